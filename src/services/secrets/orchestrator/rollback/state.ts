import type { Brand, EpochMs } from "../../../../kernel/brand.ts";
import { arm, type DeadlineKey, type Due, disarm } from "../../../../kernel/calendar.ts";
import type { Flat } from "../../../../kernel/draft.ts";
import type { FlatEvolvers, FoldMeta } from "../../../../kernel/evolvers.ts";
import type { Table } from "../../../../kernel/table.ts";
import type { ObjectName } from "../../../../surroundings/orchestrator/state.ts";
import type { LeasingEngine } from "../../leases/state.ts";
import { type ClusterName, localMountKey, type MountPath, type NamespacePath } from "../../place.ts";

/** A note's key: where its engine is mounted, and the position of the request that failed. */
export type NoteKey = Brand<string, "NoteKey">;

/** What an engine has to delete because a request failed after it had begun to make objects. */
export interface RollbackNote {
  /** Spelled as the state of the chart. */
  readonly status: "pending";
  /** The first object of the request: the others go with it. */
  readonly object: ObjectName;
  readonly notedAtMs: EpochMs;
}

export interface RollbackSlice {
  /** What orchestrator engines have half made, by their mounts and the requests that failed. */
  readonly rollbackNotes: Table<RollbackNote>;
  /** The next pass of each engine that has noted something, by `localMountKey`. */
  readonly rollbackPasses: Table<DeadlineKey>;
}

type Rollbacks = RollbackSlice & Due;

/** The facts of half-created objects. */
export interface RollbackEvents {
  RollbackNoted: OfEngine & {
    readonly note: NoteKey;
    readonly object: ObjectName;
    /** The first pass at which it is old enough. */
    readonly passAtMs: EpochMs;
  };
  /** It is no longer waited for: its object is gone, or stays for good. */
  RollbackNoteClosed: OfEngine & { readonly note: NoteKey; readonly status: "rolled_back" | "dropped" };
  RollbackPassSet: OfEngine & { readonly passAtMs: EpochMs };
}

interface OfEngine {
  readonly cluster: ClusterName;
  readonly engine: LeasingEngine;
}

export const rollbackEvolvers: FlatEvolvers<Rollbacks, RollbackEvents> = {
  RollbackNoted: (local, { engine, note, object, passAtMs }, meta) => {
    local.rollbackNotes = local.rollbackNotes.set(note, { status: "pending", object, notedAtMs: meta.atMs });
    // One that is armed already is for an older note, and so not later.
    if (!local.rollbackPasses.has(localMountKey(engine))) setPass(local, engine, passAtMs, meta);
  },
  RollbackNoteClosed: (local, { engine, note }) => {
    local.rollbackNotes = local.rollbackNotes.delete(note);
    if (hasNotes(local, engine)) return;
    const key = localMountKey(engine);
    disarm(local, local.rollbackPasses.get(key));
    local.rollbackPasses = local.rollbackPasses.delete(key);
  },
  RollbackPassSet: (local, { engine, passAtMs }, meta) => {
    disarm(local, local.rollbackPasses.get(localMountKey(engine)));
    setPass(local, engine, passAtMs, meta);
  },
};

function setPass(local: Flat<Rollbacks>, engine: LeasingEngine, passAtMs: EpochMs, meta: FoldMeta): void {
  const deadline = arm(local, passAtMs, { command: "timer.rollback", input: { ...engine } }, meta);
  const key = localMountKey(engine);
  local.rollbackPasses =
    deadline === undefined ? local.rollbackPasses.delete(key) : local.rollbackPasses.set(key, deadline);
}

// --- keys -----------------------------------------------------------------------------------------------------------

const POSITION_DIGITS = 10;

export function noteKey(engine: LeasingEngine, position: number): NoteKey {
  return `${notePrefix(engine)}${`${position}`.padStart(POSITION_DIGITS, "0")}` as NoteKey;
}

function notePrefix(engine: LeasingEngine): string {
  return `${localMountKey(engine)} `;
}

function hasNotes({ rollbackNotes }: RollbackSlice, engine: LeasingEngine): boolean {
  const prefix = notePrefix(engine);
  return rollbackNotes.firstFrom(prefix)?.[0].startsWith(prefix) ?? false;
}

/** The notes of an engine, the oldest first. */
export function notesOf(
  { rollbackNotes }: RollbackSlice,
  engine: LeasingEngine,
): readonly (readonly [NoteKey, RollbackNote])[] {
  return [...rollbackNotes.entries({ prefix: notePrefix(engine) })] as [NoteKey, RollbackNote][];
}

/** The engine at a place, as facts of a cluster name it. */
export function engineAt({
  namespace,
  mount,
}: {
  readonly namespace?: NamespacePath;
  readonly mount: MountPath;
}): LeasingEngine {
  return namespace === undefined ? { mount } : { namespace, mount };
}
