import type { SecretsDecision } from "../declare.ts";
import type { ClusterName } from "../place.ts";
import { failKeepingFacts, refuse } from "../rejections.ts";
import { clusterOf } from "../state.ts";
import { readClaims } from "./activation/claims.ts";
import { areLinked, type ConnectedWorld, clusterAtAddress, clusterAtApi } from "./addresses.ts";
import type { Attachment } from "./folds.ts";
import { roleOf } from "./roles.ts";
import type { PrimaryRole, ReplicationKind } from "./state.ts";

// How a cluster comes to a primary by an activation token (decisions-replication.md, 4.1, 4.2 and 4.4).

/** What a request says of the primary that it wants. */
export interface WantedPrimary {
  readonly token: string;
  /** Where the primary's API is reached, if not where the token says. */
  readonly primaryApiAddr: string;
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

function unwrap(decision: SecretsDecision, kind: ReplicationKind, { token, primaryApiAddr }: WantedPrimary): Unwrapped {
  const claims = readClaims(token) ?? refuse("activation_token_malformed", {});
  const address = primaryApiAddr || claims.addr;
  const world = decision.state as ConnectedWorld;
  const primary = clusterAtApi(world, address);
  if (primary === undefined || !areLinked(world, decision.caller.cluster, primary)) {
    return refuse("unwrapping_failed", { reason: `${address} cannot be reached` });
  }
  const role = roleOf(clusterOf(world, primary), kind);
  if (role.mode !== "primary") return refuse("unwrapping_failed", { reason: NOT_VALID });
  for (const [id, { activation }] of role.secondaries.entries()) {
    if (activation?.jti !== claims.jti) continue;
    if (decision.nowMs >= activation.expiresAtMs) break;
    return { primary, role, id, jti: claims.jti };
  }
  return refuse("unwrapping_failed", { reason: NOT_VALID });
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
