import type { EpochMs } from "../../../kernel/brand.ts";
import type { Due } from "../../../kernel/calendar.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import { Table } from "../../../kernel/table.ts";
import { type Identity, NO_IDENTITY } from "../identity/state.ts";
import { disarmMount, type MountSlice } from "../mounts/state.ts";
import { disarmKeys } from "../oidc/keys/state.ts";
import { newOidc, type OidcConfiguration } from "../oidc/state.ts";
import type { PasswordPolicySlice } from "../password-policies/state.ts";
import type { ClusterName, NamespacePath } from "../place.ts";
import { defaultPolicy } from "../policies/default-policy.ts";
import type { AclPolicy, PolicySlice } from "../policies/state.ts";
import type { TokenRoleSlice } from "../tokens/roles/state.ts";

/** What somebody notes about a namespace. */
export type CustomMetadata = { readonly [name: string]: string };

/** The objects of one namespace. */
export interface Namespace extends MountSlice, PolicySlice, PasswordPolicySlice, TokenRoleSlice {
  /** `root`, or six base62 characters. */
  readonly id: string;
  readonly customMetadata: CustomMetadata;
  readonly identity: Identity;
  readonly oidc: OidcConfiguration;
}

/** The child namespaces, by their full paths. */
export interface NamespaceSlice {
  readonly namespaces: Table<Namespace>;
}

type Namespaces = NamespaceSlice & Due;

interface OfNamespace {
  readonly cluster: ClusterName;
  readonly namespace: NamespacePath;
}

/** The facts of namespaces. */
export interface NamespaceEvents {
  NamespaceCreated: OfNamespace & { readonly id: string; readonly customMetadata?: CustomMetadata };
  NamespaceChanged: OfNamespace & { readonly customMetadata: CustomMetadata };
  /** It is gone, with its policies and shared mounts; what else was in it ended before. */
  NamespaceDeleted: OfNamespace;
}

export const namespaceEvolvers: FlatEvolvers<Namespaces, NamespaceEvents> = {
  NamespaceCreated: (replicated, { namespace, id, customMetadata }, { atMs }) => {
    replicated.namespaces = replicated.namespaces.set(namespace, newNamespace(id, atMs, customMetadata));
  },
  NamespaceChanged: (replicated, { namespace, customMetadata }) => {
    const before = replicated.namespaces.get(namespace);
    if (before !== undefined)
      replicated.namespaces = replicated.namespaces.set(namespace, { ...before, customMetadata });
  },
  NamespaceDeleted: (replicated, { namespace }) => {
    const before = replicated.namespaces.get(namespace);
    if (before === undefined) return;
    disarmKeys(replicated, before);
    for (const mount of before.mounts.values()) disarmMount(replicated, mount);
    replicated.namespaces = replicated.namespaces.delete(namespace);
  },
};

/** A namespace with nothing in it but what every namespace has. */
export function newNamespace(id: string, atMs: EpochMs, customMetadata: CustomMetadata = {}): Namespace {
  return {
    id,
    customMetadata,
    mounts: Table.of(),
    policies: Table.of<AclPolicy>().set("default", defaultPolicy()),
    passwordPolicies: Table.of(),
    tokenRoles: Table.of(),
    identity: NO_IDENTITY,
    oidc: newOidc(atMs),
  };
}
