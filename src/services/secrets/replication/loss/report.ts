import type { EpochMs, LogPosition } from "../../../../kernel/brand.ts";
import type { Commit } from "../../../../kernel/commit.ts";
import type { ClusterName } from "../../place.ts";
import type { Cluster } from "../../state.ts";
import type { SecretsWorld } from "../../world.ts";
import type { Filter } from "../filters/state.ts";
import { isDrSecondary, isPerformanceSecondary } from "../roles.ts";
import type { ReplicationKind } from "../state.ts";
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

interface Entry extends LostCommit {
  readonly index: number;
  /** Those of the objects that are shared with performance clusters, and that it wrote as their primary. */
  readonly shared: readonly TouchedObject[];
}

/**
 * What `from` acknowledged and `to` lacks: entries of its log that were not applied when the two parted, or since. What was applied, by
 * streaming or by a sync, is not lost. It reads the whole log once.
 */
export function lossReport(timeline: Past, from: ClusterName, to: ClusterName): readonly LostCommit[] {
  let lost: LostCommit[] = [];
  const led = new Set<ReplicationKind>();
  let pending: Entry[] = [];
  const { history, position: head } = timeline;
  const states = history.states(0, head);
  let before = states.next().value as SecretsWorld;
  for (const commit of history.commits(1, head)) {
    const after = states.next().value as SecretsWorld;
    const [was, is] = [before.secrets[from], after.secrets[from]];
    const joined = joinedBy(commit, from);
    if (joined !== undefined) {
      // What a primary acknowledged stays lost; what a cluster held that never led was no set's (amendments.md, R4).
      if (led.has(joined)) lost.push(...pending);
      else lost = [];
      pending = [];
    } else if (was !== undefined && is !== undefined && was !== is) {
      // It holds another past from here on: what it alone had is gone for good.
      const adopted = adoptedBy(was, is);
      if (adopted === "all") {
        lost.push(...pending);
        pending = [];
      } else if (adopted === "shared") {
        const replaced = namesOf(touchedObjects(was, is, "performance", undefined));
        lost.push(...pending.map((entry) => onlyThose(entry, replaced)).filter(isAnything));
        pending = pending.map((entry) => withoutThose(entry, replaced)).filter(isAnything);
      }
      const entry = entryOf(commit, was, is, after.secrets[to]);
      if (entry !== undefined) pending.push(entry);
    }
    if (is?.ignored.dr.mode === "primary") led.add("dr");
    if (is?.local.performance.mode === "primary") led.add("performance");
    const applied = appliedOf(after, from, to);
    if (applied !== undefined && pending.length > 0) pending = pending.filter(({ index }) => index > applied);
    before = after;
  }
  return [...lost, ...pending].map(({ position, atMs, command, objects }) => ({ position, atMs, command, objects }));
}

/** The entry that a commit wrote to a cluster's own log, with what of it another cluster would get. */
function entryOf(
  { position, atMs, command }: Commit,
  was: Cluster,
  is: Cluster,
  to: Cluster | undefined,
): Entry | undefined {
  if (is.ignored.dr.mode === "secondary" || was.ignored.walIndex === is.ignored.walIndex) return undefined;
  const kind = kindOf(to);
  // What is shared was acknowledged by its primary.
  if (kind === "performance" && isPerformanceSecondary(is)) return undefined;
  const objects = touchedObjects(was, is, kind, kind === "performance" ? filterOf(is, to) : undefined);
  if (objects.length === 0) return undefined;
  const shared = isPerformanceSecondary(is) ? [] : touchedObjects(was, is, "performance", undefined);
  return { position, atMs, command: command.name, objects, shared, index: is.ignored.walIndex };
}

const nameOf = ({ kind, path }: TouchedObject): string => `${kind} ${path}`;
const namesOf = (objects: readonly TouchedObject[]): ReadonlySet<string> => new Set(objects.map(nameOf));
const isAnything = ({ objects }: Entry): boolean => objects.length > 0;

function onlyThose(entry: Entry, replaced: ReadonlySet<string>): Entry {
  return { ...entry, objects: entry.shared.filter((object) => replaced.has(nameOf(object))) };
}

function withoutThose(entry: Entry, replaced: ReadonlySet<string>): Entry {
  const shared = namesOf(entry.shared.filter((object) => replaced.has(nameOf(object))));
  const isLeft = (object: TouchedObject): boolean => !shared.has(nameOf(object));
  return { ...entry, objects: entry.objects.filter(isLeft), shared: entry.shared.filter(isLeft) };
}

/** The kind of the set that a cluster joins anew, which clears what it held. */
function joinedBy({ events }: Commit, joining: ClusterName): ReplicationKind | undefined {
  const found = events.find(
    ({ type, data }) => type === "ReplicationSecondaryEnabled" && (data as Joining).cluster === joining,
  );
  return found === undefined ? undefined : (found.data as Joining).kind;
}

type Joining = { readonly cluster: ClusterName; readonly kind: ReplicationKind };

/** Whoever was never a secondary for performance gets all that a disaster-recovery secondary gets. */
function kindOf(to: Cluster | undefined): ReplicationKind {
  return to?.ignored.links.dr === undefined && to?.ignored.links.performance !== undefined ? "performance" : "dr";
}

function filterOf({ local }: Cluster, to: Cluster | undefined): Filter | undefined {
  const own = to?.local.performance;
  if (local.performance.mode !== "primary" || own?.mode !== "secondary") return undefined;
  return local.performance.filters.get(own.secondaryId);
}

/**
 * What of its storage a cluster gave up for that of a primary whose past it does not share. A performance secondary keeps what is local, and
 * gives up nothing by what it is streamed: that it holds a past of already.
 */
function adoptedBy(was: Cluster, is: Cluster): "all" | "shared" | undefined {
  if (isDrSecondary(is)) return was.replicated !== is.replicated || was.local !== is.local ? "all" : undefined;
  if (!isPerformanceSecondary(is) || was.replicated === is.replicated) return undefined;
  const [before, after] = [was.ignored.links.performance, is.ignored.links.performance];
  const isStreamed = before !== undefined && before.stale === undefined && before.upstream === after?.upstream;
  return isStreamed ? undefined : "shared";
}

/** The last entry of one cluster that the other has applied; undefined as long as it has had none. */
function appliedOf({ secrets }: SecretsWorld, from: ClusterName, to: ClusterName): number | undefined {
  const { dr, performance } = secrets[to]?.ignored.links ?? {};
  for (const link of [dr, performance]) {
    if (link?.upstream === from && link.stale === undefined && link.sync === undefined) return link.applied;
  }
  return undefined;
}
