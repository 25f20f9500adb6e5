import { replicationClusterMachine } from "../../../../machines/replication-cluster.machine.ts";
import { secondsAfter } from "../../../kernel/brand.ts";
import { rfc3339 } from "../../../languages/instant.ts";
import type { SecretsDecision } from "../declare.ts";
import { refuse } from "../rejections.ts";
import type { WrapInfo } from "../reply.ts";
import { newTokenId } from "../tokens/create.ts";
import { clusterOf } from "../world.ts";
import { type WrappingClaims, wrappingClaims } from "../wrapping/jwt.ts";
import type { OpenClaims } from "./activation/claims.ts";
import { pointOfPublicKey } from "./activation/public-key.ts";
import type { ReplicationMove } from "./guards.ts";
import { roleOf } from "./roles.ts";
import type { Activation, KnownSecondary, PrimaryRole, ReplicationKind, SecondaryKey } from "./state.ts";

// What a primary does, and how one comes to be (decisions-replication.md, 4 and 4.1 to 4.3).

const WHOLE = { whole: true, forced: false };

/** Notes a move that the operation's guard has found to be legal. */
export function move(
  decision: SecretsDecision,
  kind: ReplicationKind,
  type: ReplicationMove,
  judgement = WHOLE,
): boolean {
  const { mode } = roleOf(clusterOf(decision.state, decision.caller.cluster), kind);
  return decision.step(replicationClusterMachine, mode, judgement, { type }) !== undefined;
}

export function enablePrimary(decision: SecretsDecision, kind: ReplicationKind, primaryClusterAddr: string): void {
  move(decision, kind, "enablePrimary");
  const { cluster } = decision.caller;
  const clusterId = decision.draw.uuid();
  decision.record({ type: "ReplicationPrimaryEnabled", data: { cluster, kind, clusterId, primaryClusterAddr } });
}

export function demotePrimary(decision: SecretsDecision, kind: ReplicationKind): void {
  move(decision, kind, "demote");
  decision.record({ type: "ReplicationPrimaryDemoted", data: { cluster: decision.caller.cluster, kind } });
}

/** Ends replication of one kind, on a primary or on a secondary: the data stays as it is. */
export function disableReplication(decision: SecretsDecision, kind: ReplicationKind, by: ReplicationMove): void {
  move(decision, kind, by);
  decision.record({ type: "ReplicationDisabled", data: { cluster: decision.caller.cluster, kind } });
}

const SECONDARY_ID = /^[A-Za-z0-9_-]+$/;

/** An activation token before it is signed, or encrypted. */
export type IssuedToken =
  | {
      readonly claims: WrappingClaims;
      readonly activation: Activation;
      readonly wrapInfo: Omit<WrapInfo, "token">;
    }
  | { readonly open: OpenClaims; readonly publicKey: string; readonly seed: string };

/** Makes a token for an id, which may be used once. */
export function issueSecondaryToken(
  decision: SecretsDecision,
  kind: ReplicationKind,
  wanted: { readonly id: string; readonly ttlSeconds: number; readonly publicKey?: string },
): IssuedToken {
  const { id, ttlSeconds, publicKey } = wanted;
  move(decision, kind, "issueToken");
  const { cluster } = decision.caller;
  if (id === "") refuse("secondary_id_missing", {});
  if (!SECONDARY_ID.test(id)) refuse("secondary_id_malformed", { id });
  if (ttlSeconds <= 0) refuse("secondary_token_ttl", {});
  if (publicKey !== undefined && pointOfPublicKey(publicKey) === undefined) refuse("public_key_malformed", {});
  const known = primaryRole(decision, kind).secondaries.get(id);
  if (known !== undefined && !isFree(known, decision.nowMs)) refuse("secondary_exists", { id });
  const jti = newTokenId(decision, "service");
  const expiresAtMs = secondsAfter(decision.nowMs, ttlSeconds);
  const activation = publicKey === undefined ? { jti, expiresAtMs } : { jti, expiresAtMs, publicKey };
  decision.record({ type: "SecondaryTokenCreated", data: { cluster, kind, id, activation } });
  const { url, clusterAddress } = clusterOf(decision.state, cluster).ignored;
  const claims = wrappingClaims(url, jti, decision.nowMs, ttlSeconds);
  if (publicKey !== undefined) {
    const primary_cluster_addr = primaryRole(decision, kind).primaryClusterAddr || clusterAddress;
    return { open: { primary_cluster_addr, jti, exp: claims.exp }, publicKey, seed: decision.draw.base62(32) };
  }
  return {
    claims,
    activation,
    wrapInfo: {
      accessor: decision.draw.base62(24),
      ttl: ttlSeconds,
      creation_time: rfc3339(decision.nowMs),
      creation_path: `sys/replication/${kind}/primary/secondary-token`,
      wrapped_accessor: "",
    },
  };
}

/** Makes a key pair that tokens for this cluster can be encrypted to: those for the one before are worth nothing. */
export function generateSecondaryKey(decision: SecretsDecision, kind: ReplicationKind): SecondaryKey {
  move(decision, kind, "generatePublicKey");
  const { cluster } = decision.caller;
  const seed = decision.draw.base62(43);
  decision.record({ type: "SecondaryKeyGenerated", data: { cluster, kind, seed } });
  return { seed };
}

/** An id is free again once its last token expired without having been used: it stays listed (decisions-replication.md, 4.1). */
function isFree({ activation }: KnownSecondary, nowMs: number): boolean {
  return activation !== undefined && nowMs >= activation.expiresAtMs;
}

/** Forgets an id: an unused token of it is worth nothing, and whoever is connected by it is refused at once. */
export function revokeSecondary(decision: SecretsDecision, kind: ReplicationKind, id: string): void {
  if (id === "") refuse("secondary_id_missing", {});
  move(decision, kind, "revokeSecondary");
  if (!primaryRole(decision, kind).secondaries.has(id)) return;
  decision.record({ type: "SecondaryRevoked", data: { cluster: decision.caller.cluster, kind, id } });
}

function primaryRole({ state, caller }: SecretsDecision, kind: ReplicationKind): PrimaryRole {
  const role = roleOf(clusterOf(state, caller.cluster), kind);
  if (role.mode !== "primary")
    throw new TypeError(`${caller.cluster} is ${role.mode}, and was let through as a primary`);
  return role;
}
