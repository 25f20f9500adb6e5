import type { LogPosition } from "../../../../kernel/brand.ts";
import type { ClusterName } from "../../place.ts";
import type { Filter } from "../filters/state.ts";
import type { LocalReplicationSlice, ReplicationSlice } from "../state.ts";

// What a storage holds is known (design, invariant 10). An epoch is a time in which one cluster acknowledges what is written to a part of
// its storage. Its entries are commits, so that how much of an epoch a storage holds is the position of one commit. A cluster that takes
// another's storage takes what that holds.

/** The two parts of a storage: a cluster may write to one, and receive the other. */
export type Part = "replicated" | "local";
export const PARTS: readonly Part[] = ["replicated", "local"];

/** What a part holds of an epoch. */
export interface Held {
  /** The cluster that acknowledges. */
  readonly writer: ClusterName;
  /** The position at which the epoch began: a writer has one at a time for each part. */
  readonly since: LogPosition;
  /** The last commit of it that is held; null while it goes on here. */
  readonly through: LogPosition | null;
  /** What filters it came through: what they keep back is not held. Absent where there were none. */
  readonly filters?: readonly Filter[];
}

/** What each part of a storage holds, the oldest epoch first. */
export type Lineage = { readonly [P in Part]: readonly Held[] };

/** An epoch of a cluster's own, whoever holds something of it now. */
export interface Epoch {
  readonly part: Part;
  readonly since: LogPosition;
  /** The last commit of it; null while it goes on. */
  readonly until: LogPosition | null;
}

export interface LineageSlice {
  readonly lineage: Lineage;
  readonly epochs: readonly Epoch[];
}

/** Of a storage that was cleared. */
export const NOTHING_HELD: Lineage = Object.freeze({ replicated: Object.freeze([]), local: Object.freeze([]) });

/** Of a cluster that is born: it writes to both parts. */
export function lineageAtBirth(writer: ClusterName): LineageSlice {
  const since = 0 as LogPosition;
  const held = Object.freeze([Object.freeze({ writer, since, through: null })]);
  return {
    lineage: Object.freeze({ replicated: held, local: held }),
    epochs: Object.freeze(PARTS.map((part) => Object.freeze({ part, since, until: null }))),
  };
}

/** What a storage held after a commit, for whoever takes it from there. */
export function lineageThrough({ replicated, local }: Lineage, position: LogPosition): Lineage {
  return { replicated: heldThrough(replicated, position), local: heldThrough(local, position) };
}

export function heldThrough(held: readonly Held[], position: LogPosition): readonly Held[] {
  const last = held.at(-1);
  return last?.through === null ? [...held.slice(0, -1), { ...last, through: position }] : held;
}

/** What is held by whoever gets this through a filter. */
export function filteredBy(held: readonly Held[], filter: Filter | undefined): readonly Held[] {
  if (filter === undefined) return held;
  return held.map((one) => ({ ...one, filters: [...(one.filters ?? []), filter] }));
}

/** What is held of an epoch; undefined where nothing is. */
export function heldOf(held: readonly Held[], { writer, since }: Pick<Held, "writer" | "since">): Held | undefined {
  return held.find((one) => one.writer === writer && one.since === since);
}

/** The last commit of an epoch that is held; before the epoch where nothing is. */
export function throughOf(held: readonly Held[], epoch: Pick<Held, "writer" | "since">): number {
  const found = heldOf(held, epoch);
  return found === undefined ? epoch.since - 1 : (found.through ?? Number.POSITIVE_INFINITY);
}

/** What of a cluster tells which parts it writes to. */
interface Writing {
  readonly ignored: ReplicationSlice & LineageSlice;
  readonly local: LocalReplicationSlice;
}

function mayWrite({ ignored, local }: Writing, part: Part): boolean {
  if (ignored.dr.mode === "secondary") return false;
  return part === "local" || local.performance.mode !== "secondary";
}

/** The epochs of a cluster after a commit that may have changed what it is, or what it holds; undefined when they are as before. */
export function reviewed(
  cluster: Writing,
  writer: ClusterName,
  position: LogPosition,
): Pick<LineageSlice, "lineage" | "epochs"> | undefined {
  let { lineage, epochs } = cluster.ignored;
  for (const part of PARTS) {
    const writes = mayWrite(cluster, part);
    const isOpen = lineage[part].at(-1)?.through === null;
    const goesOn = epochs.some((epoch) => epoch.part === part && epoch.until === null);
    if (goesOn && !(isOpen && writes)) {
      // What was cleared or restored by this commit ended before it; a demotion is the last that it acknowledged.
      const until = (isOpen ? position : position - 1) as LogPosition;
      epochs = epochs.map((epoch) => (epoch.part === part && epoch.until === null ? { ...epoch, until } : epoch));
    }
    if (isOpen && !writes) lineage = { ...lineage, [part]: heldThrough(lineage[part], position) };
    if (writes && !isOpen) {
      lineage = { ...lineage, [part]: [...lineage[part], { writer, since: position, through: null }] };
      epochs = [...epochs, { part, since: position, until: null }];
    }
  }
  return lineage === cluster.ignored.lineage && epochs === cluster.ignored.epochs ? undefined : { lineage, epochs };
}
