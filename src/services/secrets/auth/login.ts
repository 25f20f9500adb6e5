import { entityIsBarred, entityPoliciesOf } from "../access.ts";
import type { SecretsDecision } from "../declare.ts";
import { isWritten, writeAlias } from "../identity/decide.ts";
import { externalChange } from "../identity/group-aliases.ts";
import { entityIn } from "../identity/membership.ts";
import type { EntityId, Metadata } from "../identity/state.ts";
import { leaseTimesOf } from "../leases/issue.ts";
import { AUTH, type AuthMount } from "../mounts/state.ts";
import { type MountPath, placeOfNamespace } from "../place.ts";
import { hasRoot, policyNames } from "../policies/names.ts";
import { refuse } from "../rejections.ts";
import { homeOfShared } from "../replication/forwarding/home.ts";
import { type AuthShown, authenticatedAs, type Envelope, type Reply } from "../reply.ts";
import { createToken } from "../tokens/create.ts";
import type { TokenType } from "../tokens/state.ts";
import { authOf } from "../tokens/views.ts";
import type { TokenParameters } from "./parameters.ts";

// Source of all rules in this file: auth/README.md, 3 to 5.

/** Somebody whom a method has let in. */
export interface LoggedIn {
  readonly mount: MountPath;
  readonly method: AuthMount;
  /** Below the mount. */
  readonly path: string;
  /** The user or the role, as renewals look for it. */
  readonly name: string;
  /** Kept where renewals show it again. */
  readonly password?: string;
  /** The name of the alias. */
  readonly alias: string;
  readonly aliasMetadata?: Metadata;
  /** What the method calls the groups that who logs in is in. */
  readonly groups?: readonly string[];
  /** Absent where the method's path is all that it is called. */
  readonly displayName?: string;
  readonly metadata: Metadata;
  readonly parameters: TokenParameters;
  readonly warnings?: readonly string[];
}

/** Gives a token to somebody whom a method has let in, and leads the alias to an entity. */
export function logIn(decision: SecretsDecision, login: LoggedIn): Reply<Envelope<null, AuthShown>> {
  const { mount, method, parameters } = login;
  const policies = policyNames(parameters.policies);
  if (hasRoot(policies)) refuse("root_login", {});
  const type = tokenTypeOf(method, parameters);
  if (type === "batch") refuseBatch(parameters);
  const entityId = entityOf(decision, login);
  changeExternalGroups(decision, method.accessor, entityId, login);
  const { defaultSeconds, maxSeconds } = leaseTimesOf(method);
  const { boundCidrs, ...times } = parameters;
  const { token, record, warnings } = createToken(decision, placeOfNamespace(decision.caller), {
    ...times,
    type,
    policies,
    renewable: true,
    orphan: true,
    entityId,
    displayName: [mount.slice(AUTH.length, -1).replaceAll("/", "-"), login.displayName ?? ""].filter(Boolean).join("-"),
    meta: login.metadata,
    id: undefined,
    path: mount + login.path,
    ...(boundCidrs.length === 0 ? {} : { boundCidrs }),
    login: { mount, name: login.name, ...(login.password === undefined ? {} : { password: login.password }) },
    limits: { defaultSeconds, maxSeconds: Math.min(maxSeconds, parameters.maxTtlSeconds || maxSeconds) },
  });
  const auth = authOf(token, record, record.creationTtlSeconds, entityPoliciesOf(decision, record));
  return authenticatedAs(auth, [...(login.warnings ?? []), ...warnings]);
}

function tokenTypeOf({ tokenType = "default-service" }: AuthMount, { type }: TokenParameters): TokenType {
  switch (tokenType) {
    case "service":
    case "batch":
      return tokenType;
    case "default-service":
      return type === "default" ? "service" : type;
    case "default-batch":
      return type === "default" ? "batch" : type;
    default:
      return tokenType satisfies never;
  }
}

/** What of a batch token the method's type may force on parameters that were written for service tokens. */
function refuseBatch({ uses, periodSeconds, explicitMaxTtlSeconds }: TokenParameters): void {
  if (uses > 0) refuse("batch_token_option", { option: "num_uses" });
  if (periodSeconds > 0) refuse("batch_token_option", { option: "period" });
  if (explicitMaxTtlSeconds > 0) refuse("batch_token_option", { option: "explicit_max_ttl" });
}

/**
 * The entity of a login, a new one where nobody has logged in so before. What is written for it lies in shared storage; a performance
 * secondary that has all of it writes nothing.
 */
export function entityOf(
  decision: SecretsDecision,
  {
    method,
    path,
    alias,
    aliasMetadata = {},
  }: Pick<LoggedIn, "path" | "alias" | "aliasMetadata"> & { readonly method: { readonly accessor: string } },
): EntityId {
  const { caller } = decision;
  const fields = { name: alias, mountAccessor: method.accessor, metadata: aliasMetadata };
  const cluster = isWritten(decision, caller, fields) ? caller.cluster : homeOfShared(decision, caller.cluster, path);
  const { entity } = writeAlias(decision, placeOfNamespace({ ...caller, cluster }), fields);
  const { namespace } = caller;
  if (entityIsBarred(decision, namespace === undefined ? { entityId: entity } : { entityId: entity, namespace })) {
    refuse("permission_denied", { path });
  }
  return entity;
}

/** A login tells in which external groups its entity is, of those with an alias on its method (identity/README.md, 4.4). */
export function changeExternalGroups(
  decision: SecretsDecision,
  accessor: string,
  entity: string,
  { path, groups = [] }: Pick<LoggedIn, "path" | "groups">,
): void {
  const { caller } = decision;
  const known = entityIn(decision.state, caller, entity);
  if (known === undefined || known === "deleted") return;
  const change = externalChange(known.identity, known.id, accessor, groups);
  if (change === undefined) return;
  const { namespace } = known;
  const cluster = homeOfShared(decision, caller.cluster, path);
  const at = namespace === undefined ? { cluster } : { cluster, namespace };
  decision.record({ type: "ExternalGroupsChanged", data: { at, entity: known.id, ...change } });
}
