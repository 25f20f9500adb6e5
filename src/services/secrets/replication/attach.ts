import type { Plain } from "../../../kernel/plain.ts";
import type { SecretsDecision } from "../declare.ts";
import type { ClusterName } from "../place.ts";
import { failKeepingFacts, refuse } from "../rejections.ts";
import { clusterOf } from "../world.ts";
import { readClaims } from "../wrapping/jwt.ts";
import type { OpenClaims } from "./activation/claims.ts";
import type { PreparedToken } from "./activation/prepare.ts";
import { areLinked, type ConnectedWorld, clusterAtAddress, clusterAtApi } from "./addresses.ts";
import type { Attachment } from "./folds.ts";
import { stepActivation } from "./primary.ts";
import { roleOf } from "./roles.ts";
import { activationNamed, type PrimaryRole, type ReplicationKind } from "./state.ts";

// How a cluster comes to a primary by an activation token (decisions-replication.md, 4.1, 4.2 and 4.4).

/** What a request says of the primary that it wants. */
export interface WantedPrimary {
  readonly token: string;
  /** Where the primary's API is reached, if not where the token says. */
  readonly primaryApiAddr: string;
  /** What was found out about the token before the decision (./activation/prepare.ts). */
  readonly prepared?: Plain | undefined;
}

interface Unwrapped {
  readonly primary: ClusterName;
  readonly role: PrimaryRole;
  readonly id: string;
  readonly jti: string;
}

/**
 * Uses an activation token up and finds the primary that it leads to.
 *
 * @param set the set that the cluster has to stay in; undefined when it may join any
 */
export function attachByToken(
  decision: SecretsDecision,
  kind: ReplicationKind,
  wanted: WantedPrimary,
  set?: string,
): Attachment {
  const unwrapped = unwrap(decision, kind, wanted);
  const { primary, role, id, jti } = unwrapped;
  const use = (connected: boolean): void =>
    decision.record({ type: "SecondaryTokenUsed", data: { cluster: primary, kind, id, jti, connected } });
  if (set !== undefined && role.clusterId !== set) {
    // Which set it is of is only known when it is open: by then it is used up.
    use(false);
    return failKeepingFacts("cluster_id_differs", {});
  }
  const primaryClusterAddr = role.primaryClusterAddr || clusterOf(decision.state, primary).ignored.clusterAddress;
  const served = clusterServing(decision, kind, primaryClusterAddr, role.clusterId, primary);
  use(served);
  if (!served) return failKeepingFacts("bootstrap_failed", { address: primaryClusterAddr });
  return { clusterId: role.clusterId, secondaryId: id, credential: jti, primaryClusterAddr, primary };
}

function unwrap(
  decision: SecretsDecision,
  kind: ReplicationKind,
  { token, primaryApiAddr, prepared }: WantedPrimary,
): Unwrapped {
  const found = prepared as PreparedToken | undefined;
  if (found !== undefined && "opened" in found) return unwrapOpened(decision, kind, found.opened);
  const claims = readClaims(decision, token) ?? refuse("activation_token_malformed", {});
  const address = primaryApiAddr || claims.addr;
  const world = decision.state as ConnectedWorld;
  const primary = clusterAtApi(world, address);
  if (primary === undefined || !areLinked(world, decision.caller.cluster, primary)) {
    return refuse("unwrapping_failed", { reason: `${address} cannot be reached` });
  }
  return found === undefined
    ? knownToken(decision, kind, primary, claims.jti)
    : refuse("unwrapping_failed", { reason: NOT_VALID });
}

/** Nothing has to be unwrapped: the primary's cluster address alone is to be reached (decisions-replication.md, 4.1). */
function unwrapOpened(
  decision: SecretsDecision,
  kind: ReplicationKind,
  { primary_cluster_addr: address, jti }: OpenClaims,
): Unwrapped {
  const world = decision.state as ConnectedWorld;
  const primary = clusterAtAddress(world, address);
  if (primary === undefined || !areLinked(world, decision.caller.cluster, primary)) {
    return refuse("bootstrap_failed", { address });
  }
  return knownToken(decision, kind, primary, jti);
}

function knownToken(decision: SecretsDecision, kind: ReplicationKind, primary: ClusterName, jti: string): Unwrapped {
  const role = roleOf(clusterOf(decision.state, primary), kind);
  const [id] = activationNamed(role, jti) ?? [];
  const known = role.mode === "primary" && id !== undefined ? role.secondaries.get(id) : undefined;
  const next = stepActivation(decision, known, "use");
  if (role.mode !== "primary" || id === undefined || next === undefined) {
    return refuse("unwrapping_failed", { reason: NOT_VALID });
  }
  return { primary, role, id, jti };
}

const NOT_VALID = "wrapping token is not valid or does not exist";

/** Whether a cluster address leads to the primary of a set that was unwrapped from, and can be reached. */
function clusterServing(
  decision: SecretsDecision,
  kind: ReplicationKind,
  address: string,
  clusterId: string,
  primary: ClusterName,
): boolean {
  const world = decision.state as ConnectedWorld;
  const target = clusterAtAddress(world, address);
  if (target === undefined || !areLinked(world, decision.caller.cluster, target)) return false;
  const role = roleOf(clusterOf(world, target), kind);
  return target === primary && role.mode === "primary" && role.clusterId === clusterId;
}

/** The first of some addresses at which a primary of this set answers that knows this secondary. */
export function attachByAddress(
  decision: SecretsDecision,
  kind: ReplicationKind,
  addresses: readonly string[],
): Attachment {
  const { cluster } = decision.caller;
  const world = decision.state as ConnectedWorld;
  const own = roleOf(clusterOf(world, cluster), kind);
  for (const address of addresses) {
    const primary = clusterAtAddress(world, address);
    if (own.mode !== "secondary" || own.credential === null) break;
    if (primary === undefined || primary === cluster || !areLinked(world, cluster, primary)) continue;
    const role = roleOf(clusterOf(world, primary), kind);
    if (role.mode !== "primary" || role.clusterId !== own.clusterId) continue;
    if (role.secondaries.get(own.secondaryId)?.credential !== own.credential) continue;
    const { clusterId, secondaryId, credential } = own;
    return { clusterId, secondaryId, credential, primaryClusterAddr: address, primary };
  }
  return refuse("no_primary_responds", {});
}
