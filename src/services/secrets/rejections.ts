import { type Refusals, refusalsOf } from "../../kernel/outcome.ts";
import type { AuthRefusals } from "./auth/rejections.ts";
import type { ClusterRefusals } from "./cluster/rejections.ts";
import type { RekeyRefusals } from "./cluster/rekey/rejections.ts";
import type { DirectoryConfigRefusals } from "./directory-config/rejections.ts";
import type { DynamicRoleRefusals } from "./dynamic-roles/rejections.ts";
import type { IdentityRefusals } from "./identity/rejections.ts";
import type { KvRefusals } from "./kv/rejections.ts";
import type { VersionedKvRefusals } from "./kv2/rejections.ts";
import type { LeaseRefusals } from "./leases/rejections.ts";
import type { LibraryRefusals } from "./library/rejections.ts";
import type { MountRefusals } from "./mounts/rejections.ts";
import type { NamespaceRefusals } from "./namespaces/rejections.ts";
import type { OidcRefusals, ProtocolRefusals } from "./oidc/rejections.ts";
import type { OrchestratorEngineRefusals } from "./orchestrator/rejections.ts";
import type { PasswordPolicyRefusals } from "./password-policies/rejections.ts";
import type { PluginRefusals } from "./plugins/rejections.ts";
import type { PolicyRefusals } from "./policies/rejections.ts";
import type { ReindexRefusals } from "./replication/merkle/rejections.ts";
import type { OperationTokenRefusals } from "./replication/operation-tokens/rejections.ts";
import type { ReplicationRefusals } from "./replication/rejections.ts";
import type { SnapshotRefusals } from "./snapshots/rejections.ts";
import type { StaticRoleRefusals } from "./static-roles/rejections.ts";
import type { TokenRefusals } from "./tokens/rejections.ts";
import type { WrappingRefusals } from "./wrapping/rejections.ts";

/** Why the secrets service refuses, in the order in which it looks (decisions-secrets-core.md, A.3). */
export interface SecretsRefusals
  extends RequestRefusals,
    TokenRefusals,
    AuthRefusals,
    LeaseRefusals,
    WrappingRefusals,
    PolicyRefusals,
    NamespaceRefusals,
    MountRefusals,
    KvRefusals,
    VersionedKvRefusals,
    ClusterRefusals,
    RekeyRefusals,
    ReplicationRefusals,
    OperationTokenRefusals,
    ReindexRefusals,
    PasswordPolicyRefusals,
    SnapshotRefusals,
    PluginRefusals,
    DirectoryConfigRefusals,
    LibraryRefusals,
    IdentityRefusals,
    OidcRefusals,
    ProtocolRefusals,
    OrchestratorEngineRefusals,
    StaticRoleRefusals,
    DynamicRoleRefusals {}

/** What is wrong with a request before any handler has seen it. */
export interface RequestRefusals {
  /** A failure that a test asked for. */
  request_failed: { readonly status: number };
  /** A command for a view of the past. */
  past_is_read_only: Record<never, never>;
  sealed: Record<never, never>;
  namespace_not_found: { readonly namespace: string };
  trailing_slash: { readonly path: string };
  permission_denied: { readonly path: string };
  no_handler_for_route: { readonly path: string };
  unsupported_path: { readonly path: string };
  unsupported_operation: { readonly path: string };
  field_validation_failed: { readonly field: string; readonly reason: string };
  /** The last use of a token cannot be a lease: it would end with the token at once. */
  lease_of_spent_token: { readonly path: string };
  /** An id that a caller chose is taken. */
  token_exists: { readonly token: string };
  /** A read of something that is not there, or a listing of nothing. */
  not_found: Record<never, never>;
}

/** The two ways out of a decider of this service. */
export const { refuse, failKeepingFacts }: Refusals<SecretsRefusals> = refusalsOf<SecretsRefusals>();
