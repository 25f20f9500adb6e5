import type { EventFromLogic } from "xstate";
import { activationTokenMachine } from "../../../../machines/activation-token.machine.ts";
import { replicationClusterMachine } from "../../../../machines/replication-cluster.machine.ts";
import { secondsAfter } from "../../../kernel/brand.ts";
import { arrivedAt } from "../../../kernel/machine.ts";
import { rfc3339 } from "../../../languages/instant.ts";
import type { SecretsDecision } from "../declare.ts";
import { refuse } from "../rejections.ts";
import type { WrapInfo } from "../reply.ts";
import { newTokenId } from "../tokens/create.ts";
import { clusterOf } from "../world.ts";
import { type WrappingClaims, wrappingClaims } from "../wrapping/jwt.ts";
import type { OpenClaims } from "./activation/claims.ts";
import { pointOfPublicKey } from "./activation/public-key.ts";
import { type ReplicationMove, UNASKED } from "./guards.ts";
import { roleOf } from "./roles.ts";
import type { Activation, KnownSecondary, PrimaryRole, ReplicationKind, SecondaryKey } from "./state.ts";

// What a primary does, and how one comes to be (decisions-replication.md, 4 and 4.1 to 4.3).

/** Where a move leads that the operation's guard has found the mode to have; undefined where the judgement refuses it. */
export function move(decision: SecretsDecision, kind: ReplicationKind, type: ReplicationMove, judgement = UNASKED) {
  const { mode } = roleOf(clusterOf(decision.state, decision.caller.cluster), kind);
  return decision.step(replicationClusterMachine, mode, judgement, { type });
}

export function enablePrimary(decision: SecretsDecision, kind: ReplicationKind, primaryClusterAddr: string): void {
  const mode = arrivedAt(move(decision, kind, "enablePrimary"), "primary");
  const { cluster } = decision.caller;
  const clusterId = decision.draw.uuid();
  decision.record({ type: "ReplicationPrimaryEnabled", data: { cluster, kind, mode, clusterId, primaryClusterAddr } });
}

export function demotePrimary(decision: SecretsDecision, kind: ReplicationKind): void {
  const mode = arrivedAt(move(decision, kind, "demote"), "secondary");
  decision.record({ type: "ReplicationPrimaryDemoted", data: { cluster: decision.caller.cluster, kind, mode } });
}

/** Ends replication of one kind, on a primary or on a secondary: the data stays as it is. */
export function disableReplication(decision: SecretsDecision, kind: ReplicationKind, by: ReplicationMove): void {
  const mode = arrivedAt(move(decision, kind, by), "disabled");
  decision.record({ type: "ReplicationDisabled", data: { cluster: decision.caller.cluster, kind, mode } });
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
  if (stepActivation(decision, known, "issue") === undefined) refuse("secondary_exists", { id });
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

/** Asks the chart of the tokens that are made for an id (decisions-replication.md, 4.1). */
export function stepActivation(
  decision: SecretsDecision,
  known: KnownSecondary | undefined,
  type: EventFromLogic<ReturnType<typeof activationTokenMachine>>["type"],
) {
  const { activation } = known ?? {};
  const inForce = activation !== undefined && decision.nowMs < activation.expiresAtMs;
  const state = known === undefined ? "unknown" : activation === undefined ? "used" : "issued";
  return decision.step(activationTokenMachine, state, { inForce }, { type });
}

/** Forgets an id: an unused token of it is worth nothing, and whoever is connected by it is refused at once. */
export function revokeSecondary(decision: SecretsDecision, kind: ReplicationKind, id: string): void {
  if (id === "") refuse("secondary_id_missing", {});
  move(decision, kind, "revokeSecondary");
  const known = primaryRole(decision, kind).secondaries.get(id);
  arrivedAt(stepActivation(decision, known, "revoke"), "unknown");
  if (known === undefined) return;
  decision.record({ type: "SecondaryRevoked", data: { cluster: decision.caller.cluster, kind, id } });
}

function primaryRole({ state, caller }: SecretsDecision, kind: ReplicationKind): PrimaryRole {
  const role = roleOf(clusterOf(state, caller.cluster), kind);
  if (role.mode !== "primary")
    throw new TypeError(`${caller.cluster} is ${role.mode}, and was let through as a primary`);
  return role;
}
