import type { ContextFrom, EventFromLogic } from "xstate";
import { secondaryLinkMachine } from "../../../../machines/secondary-link.machine.ts";
import { type EpochMs, epochMs } from "../../../kernel/brand.ts";
import { step } from "../../../kernel/machine.ts";
import type { ClusterName } from "../place.ts";
import { clusterOf } from "../world.ts";
import { areLinked, type ConnectedWorld, clusterAtAddress } from "./addresses.ts";
import type { Link, LinkState, Links } from "./connections.ts";
import { roleOf } from "./roles.ts";
import type { PrimaryRole, ReplicationKind, SecondaryRole } from "./state.ts";

// Source of all rules in this file: decisions-replication.md, 1 and 2.

/** Who answers a secondary: a primary of its set that knows it, somebody who does not, or nobody. */
export type Answering = { readonly primary: ClusterName } | "refused" | undefined;

/** Who answers a secondary at the address that it has of its primary. */
export function answering(
  world: ConnectedWorld,
  cluster: ClusterName,
  kind: ReplicationKind,
  role: SecondaryRole,
): Answering {
  if (role.credential === null || role.primaryClusterAddr === "") return undefined;
  const target = clusterAtAddress(world, role.primaryClusterAddr);
  if (target === undefined || target === cluster || !areLinked(world, cluster, target)) return undefined;
  const primary = roleOf(clusterOf(world, target), kind);
  if (primary.mode !== "primary" || primary.clusterId !== role.clusterId) return undefined;
  return knows(primary, role) ? { primary: target } : "refused";
}

/** Whether a primary lets a secondary connect. */
export function knows(primary: PrimaryRole, { secondaryId, credential }: SecondaryRole): boolean {
  return primary.secondaries.get(secondaryId)?.credential === credential;
}

/**
 * The links of a cluster whose storage a snapshot took the place of. It may make the cluster a performance secondary again, which holds
 * less than it had come to since: its trees are compared first.
 */
export function linksRestored(links: Links): Links {
  const { performance } = links;
  return performance === undefined
    ? links
    : { ...links, performance: { ...performance, status: linkAfter(performance.status, "restore"), stale: true } };
}

type LinkMove = EventFromLogic<ReturnType<typeof secondaryLinkMachine>>["type"];
type LinkJudgement = ContextFrom<ReturnType<typeof secondaryLinkMachine>>;

/** Where the chart leads; the same state where it does not know the move. Links follow from commits, so nobody is refused. */
export function linkAfter(state: LinkState, type: LinkMove, judgement: LinkJudgement = UNASKED): LinkState {
  return step(secondaryLinkMachine, state, judgement, { type })?.value ?? state;
}

const UNASKED: LinkJudgement = { isPast: false, differs: false };

/** The state of a link at an instant: a comparison that has taken its time has become a sync. */
export function linkState({ status, sync }: Link, nowMs: EpochMs): LinkState {
  if (sync === undefined) return status;
  const differs = nowMs >= sync.diffUntilMs && sync.untilMs > sync.diffUntilMs;
  return linkAfter(status, "compared", { isPast: false, differs });
}

const HEARTBEAT_MS = 1_000;
/** Whoever has not been heard of for longer counts as lost. */
const LOST_AFTER_MS = 10_000;

/** The instant of the last heartbeat: at the instant of connecting, and every full second after it while linked. */
export function lastHeartbeatMs(sinceMs: EpochMs, untilMs: EpochMs): EpochMs {
  return epochMs(sinceMs + Math.floor((untilMs - sinceMs) / HEARTBEAT_MS) * HEARTBEAT_MS);
}

export type ConnectionStatus = "connected" | "disconnected" | "unknown";

/** How somebody is connected whose last heartbeat was then. */
export function connectionStatus(heartbeatMs: EpochMs, nowMs: EpochMs): ConnectionStatus {
  return nowMs - heartbeatMs <= LOST_AFTER_MS ? "connected" : "disconnected";
}

/** The states of a secondary, spelled as on the wire. */
export type SecondaryState = "idle" | "merkle-diff" | "merkle-sync" | "stream-wals";

/** The state of a secondary, which follows from its link and from time. */
export function secondaryState(link: Link | undefined, nowMs: EpochMs): SecondaryState {
  if (link === undefined) return "idle";
  const state = linkState(link, nowMs);
  switch (state) {
    case "stream-wals":
    case "merkle-diff":
    case "merkle-sync":
      return state;
    case "cut":
      if (nowMs - (link.downAtMs ?? nowMs) > LOST_AFTER_MS) return "idle";
      return link.stale ? "merkle-diff" : "stream-wals";
    case "idle":
    case "refused":
    case "detached":
    case "restored":
      return "idle";
    default:
      return state satisfies never;
  }
}
