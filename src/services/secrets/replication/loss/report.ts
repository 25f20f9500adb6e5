import type { EpochMs, LogPosition } from "../../../../kernel/brand.ts";
import type { Commit } from "../../../../kernel/commit.ts";
import type { ClusterName } from "../../place.ts";
import type { Cluster } from "../../state.ts";
import type { SecretsWorld } from "../../world.ts";
import type { Filter } from "../filters/state.ts";
import { type Held, type Part, throughOf } from "../lineage/state.ts";
import { isDrSecondary, isPerformanceSecondary } from "../roles.ts";
import { type TouchedObject, touchedObjects } from "./objects.ts";

/** A commit that one cluster acknowledged and another one lacks. */
export interface LostCommit {
  readonly position: LogPosition;
  readonly atMs: EpochMs;
  /** What was asked for, such as `secrets.kv.write`. */
  readonly command: string;
  /** What it touched, of the classes that are shipped between the two. */
  readonly objects: readonly TouchedObject[];
}

/** A line of time as far as it is looked back on. */
export interface Past {
  readonly position: LogPosition;
  readonly history: {
    states(from: number, to: number): Iterator<SecretsWorld>;
    commits(from: number, to: number): Iterable<Commit>;
  };
}

/** Commits of one part of a storage, which the other storage does not hold. */
interface Gap {
  readonly part: Part;
  readonly first: number;
  readonly last: number;
}

/**
 * What `from` acknowledged and `to` does not hold now: commits of epochs of `from` beyond what the lineage of `to` has of them. It reads
 * nothing but these commits.
 */
export function lossReport(timeline: Past, from: ClusterName, to: ClusterName): readonly LostCommit[] {
  const { history, position: head } = timeline;
  const world = history.states(head, head).next().value as SecretsWorld;
  const [source, target] = [world.secrets[from], world.secrets[to]];
  if (source === undefined || target === undefined) return [];
  const gaps = gapsBetween(from, source, target, head);
  if (gaps.length === 0) return [];
  const filter = filterOf(source, target);
  const first = Math.min(...gaps.map((gap) => gap.first));
  const last = Math.max(...gaps.map((gap) => gap.last));
  const states = history.states(first - 1, last);
  let before = states.next().value as SecretsWorld;
  const lost: LostCommit[] = [];
  for (const { position, atMs, command } of history.commits(first, last)) {
    const after = states.next().value as SecretsWorld;
    const [was, is] = [before.secrets[from], after.secrets[from]];
    before = after;
    if (was === undefined || is === undefined || was === is) continue;
    const parts = gaps.filter((gap) => gap.first <= position && position <= gap.last).map(({ part }) => part);
    const objects = touchedObjects(was, is, parts, filter);
    if (objects.length > 0) lost.push({ position, atMs, command: command.name, objects });
  }
  return lost;
}

function gapsBetween(from: ClusterName, source: Cluster, target: Cluster, head: LogPosition): readonly Gap[] {
  return source.ignored.epochs.flatMap(({ part, since, until }): Gap | readonly never[] => {
    if (part === "local" && !sharesLocal(source, target)) return [];
    const held = throughOf(target.ignored.lineage[part], from, since);
    // What goes on is whole where both hold the very same.
    const last = until ?? (source[part] === target[part] ? held : head);
    return held < last ? { part, first: Math.max(held + 1, 1), last } : [];
  });
}

/**
 * Whether what is local to one cluster is to be had by the other: a disaster-recovery secondary gets it, and so does a cluster that was
 * promoted from one. A performance secondary has its own; clusters that never met are held against each other in all that they have.
 */
function sharesLocal(source: Cluster, target: Cluster): boolean {
  if (isDrSecondary(source) || isDrSecondary(target)) return true;
  const [own, theirs] = [source.ignored.lineage, target.ignored.lineage];
  if (haveCommon(own.local, theirs.local)) return true;
  const isPerformance = isPerformanceSecondary(source) || isPerformanceSecondary(target);
  return !isPerformance && !haveCommon(own.replicated, theirs.replicated);
}

function haveCommon(left: readonly Held[], right: readonly Held[]): boolean {
  return left.some(({ writer, since }) => right.some((held) => held.writer === writer && held.since === since));
}

function filterOf({ local }: Cluster, { local: theirs, ignored }: Cluster): Filter | undefined {
  const own = theirs.performance;
  if (local.performance.mode === "primary" && own.mode === "secondary") {
    return local.performance.filters.get(own.secondaryId);
  }
  return ignored.links.performance?.filtered?.filter;
}
