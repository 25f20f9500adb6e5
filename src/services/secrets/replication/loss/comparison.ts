import type { LogPosition } from "../../../../kernel/brand.ts";
import type { History } from "../../../../kernel/history.ts";
import type { SecretsEvents } from "../../events.ts";
import type { ClusterName } from "../../place.ts";
import type { Cluster } from "../../state.ts";
import { clusterNamed, clusterOf, type SecretsWorld } from "../../world.ts";
import type { Link } from "../connections.ts";
import type { Filter } from "../filters/state.ts";
import { type Held, heldOf, type Lineage, type Part, throughOf } from "../lineage/state.ts";
import { isDrSecondary, isPerformanceSecondary } from "../roles.ts";
import type { TouchedObject } from "./objects.ts";

/** A line of time as far as it is looked back on. */
export interface Past {
  readonly position: LogPosition;
  readonly history: History<SecretsWorld, object>;
}

/** Two clusters, one of which may lack what the other had. */
export interface Comparison {
  readonly past: Past;
  /** As far as it is looked at what `from` had. */
  readonly had: LogPosition;
  /** The world in which `to` may lack it. */
  readonly world: SecretsWorld;
  readonly from: ClusterName;
  readonly to: ClusterName;
  /** `from` as it was then, and `to` as it is. */
  readonly source: Cluster;
  readonly target: Cluster;
}

/** What `from` had of an epoch; `through` is null while that goes on. */
export interface Claim {
  readonly part: Part;
  readonly writer: ClusterName;
  readonly since: LogPosition;
  readonly through: LogPosition | null;
  /** What filters it came through: what they keep back, `from` had not. */
  readonly filters?: readonly Filter[];
}

/** A commit that changed what was claimed. */
export interface Changed {
  readonly claim: Claim;
  /** What its writer held when the claim ended. */
  readonly then: Lineage;
  readonly position: LogPosition;
  readonly before: SecretsWorld;
  readonly after: SecretsWorld;
  readonly objects: readonly TouchedObject[];
}

/** Whether a commit recorded a fact, of a cluster or of any. */
export function hasFact(
  { history }: Past,
  position: LogPosition,
  type: keyof SecretsEvents,
  cluster?: ClusterName,
): boolean {
  return history
    .commitAt(position)
    .events.some((event) => event.type === type && (cluster === undefined || clusterIn(event.data) === cluster));
}

function clusterIn(data: unknown): unknown {
  return (data as { readonly cluster?: unknown }).cluster;
}

/** How a cluster stands to whom it gets its storage from. */
export function linkOf(cluster: Cluster): Link | undefined {
  if (isDrSecondary(cluster)) return cluster.ignored.links.dr;
  return isPerformanceSecondary(cluster) ? cluster.ignored.links.performance : undefined;
}

/** A cluster and whom it gets its storage from, one after the other. */
function upstreamOf(world: SecretsWorld, name: ClusterName, follows = linkOf): readonly ClusterName[] {
  const way = [name];
  for (;;) {
    const next = follows(clusterOf(world, way.at(-1) as ClusterName))?.upstream;
    if (next === undefined || way.includes(next) || clusterNamed(world, next) === undefined) return way;
    way.push(next);
  }
}

/** How a disaster-recovery secondary stands to whose whole storage it gets. */
function wholeLinkOf(cluster: Cluster): Link | undefined {
  return isDrSecondary(cluster) ? cluster.ignored.links.dr : undefined;
}

/** The cluster whose whole storage a disaster-recovery secondary gets, or the cluster itself. */
function wholeOf(world: SecretsWorld, name: ClusterName): ClusterName {
  return upstreamOf(world, name, wholeLinkOf).at(-1) as ClusterName;
}

/** A cluster and whom it gets a part of its storage from, one after the other. */
export function lineTo({ world, to }: Comparison, part: Part): readonly ClusterName[] {
  return upstreamOf(world, to, part === "local" ? wholeLinkOf : linkOf);
}

export function haveCommon(left: readonly Held[], right: readonly Held[]): boolean {
  return left.some((held) => heldOf(right, held) !== undefined);
}

/** Whether two clusters have ever met. */
export function haveMet(left: Lineage, right: Lineage): boolean {
  return haveCommon(left.replicated, right.replicated) || haveCommon(left.local, right.local);
}

export function areOfOneSet(world: SecretsWorld, from: ClusterName, to: ClusterName): boolean {
  if (upstreamOf(world, to).includes(from)) return true;
  return haveMet(clusterOf(world, from).ignored.lineage, clusterOf(world, to).ignored.lineage);
}

/**
 * Whether what is local to one cluster is to be had by the other: a disaster-recovery secondary gets it, and so does a cluster that was
 * promoted from one. A performance secondary has its own; clusters that never met are held against each other in all that they have.
 */
export function sharesLocal({ world, from, to, source, target }: Comparison, then: Lineage): boolean {
  const [one, other] = [wholeOf(world, from), wholeOf(world, to)];
  if (one === other || haveCommon(source.ignored.lineage.local, target.ignored.lineage.local)) return true;
  // Whatever became of who wrote it since.
  if (haveCommon(then.local, target.ignored.lineage.local)) return true;
  const [left, right] = [clusterOf(world, one), clusterOf(world, other)];
  const [own, theirs] = [left.ignored.lineage, right.ignored.lineage];
  if (haveCommon(own.local, theirs.local)) return true;
  return (
    !isPerformanceSecondary(left) && !isPerformanceSecondary(right) && !haveCommon(own.replicated, theirs.replicated)
  );
}

/** What the writer of a claim held when it ended. */
export function lineageThen({ past, source }: Comparison, { writer, through }: Claim): Lineage {
  const then = through === null ? source : clusterNamed(past.history.stateAt(through), writer);
  return (then ?? source).ignored.lineage;
}

/** Filters, and the last position of which they keep anything back. */
export interface Filtering {
  readonly filters: readonly Filter[];
  readonly through: number;
}

/** The filters through which what is claimed would come. */
export function filtersTo({ world, to, target }: Comparison, claim: Claim): Filtering {
  const whole = clusterOf(world, wholeOf(world, to));
  const upstream = isPerformanceSecondary(whole) ? whole.ignored.links.performance?.upstream : undefined;
  const primary = upstream === undefined ? undefined : clusterNamed(world, upstream);
  const [own, theirs] = [whole.local.performance, primary?.local.performance];
  if (primary === undefined || own.mode !== "secondary" || theirs?.mode !== "primary") {
    // What is on its way from a cluster that got it through a filter is what that let through.
    const held = [whole, target].map(({ ignored }) => heldOf(ignored.lineage.replicated, claim)).find(Boolean);
    return { filters: held?.filters ?? [], through: Number.POSITIVE_INFINITY };
  }
  const { replicated } = primary.ignored.lineage;
  const filter = theirs.filters.get(own.secondaryId);
  const filters = [...(heldOf(replicated, claim)?.filters ?? []), ...(filter === undefined ? [] : [filter])];
  // What its primary never had does not stay away because of a filter.
  return { filters, through: throughOf(replicated, claim) };
}
