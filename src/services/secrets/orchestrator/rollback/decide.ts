import { rollbackNoteMachine } from "../../../../../machines/rollback-note.machine.ts";
import { type EpochMs, epochMs } from "../../../../kernel/brand.ts";
import { deleteObject, type OrchestratorSession } from "../../../../surroundings/orchestrator/calls.ts";
import type { ObjectName } from "../../../../surroundings/orchestrator/state.ts";
import type { SecretsRecorder } from "../../declare.ts";
import type { LeasingEngine } from "../../leases/state.ts";
import type { ClusterName, MountPlace } from "../../place.ts";
import { clusterOf, orchestratorAt } from "../../world.ts";
import { SESSION_FAULTS, type SessionFault, sessionAt } from "../session.ts";
import { engineAt, type NoteKey, noteKey, notesOf, type RollbackNote } from "./state.ts";

// Source of all rules in this file: decisions-orchestrator.md, 7.

const PASS_EVERY_MS = 60_000;
const LEAST_AGE_MS = 600_000;
const GIVEN_UP_AFTER_MS = 86_400_000;

/**
 * Notes what a request that fails now has begun to make. The engine notes it before it makes it, and cleans it when all went well:
 * of a request that is one commit, only the note of one that failed is ever seen.
 */
export function noteHalfCreated(decision: SecretsRecorder, at: MountPlace, object: ObjectName): void {
  const engine = engineAt(at);
  const passAtMs = firstPassFor(decision.nowMs, mountedAtMs(decision, at));
  const note = noteKey(engine, decision.position);
  decision.record({ type: "RollbackNoted", data: { cluster: at.cluster, engine, note, object, passAtMs } });
}

/** The pass of an engine: rolls back what is old enough, and sets the next pass if something is left. */
export function rollbackPass(decision: SecretsRecorder, cluster: ClusterName, engine: LeasingEngine): void {
  const at = { cluster, ...engine };
  const mountedMs = mountedAtMs(decision, at);
  // It was due while the cluster was away: the pass is at the next instant of the same grid.
  if ((decision.nowMs - mountedMs) % PASS_EVERY_MS !== 0) {
    const passAtMs = nextPass(decision.nowMs, mountedMs);
    decision.record({ type: "RollbackPassSet", data: { cluster, engine, passAtMs } });
    return;
  }
  const session = orchestratorAt(decision.state, at) === undefined ? undefined : sessionAt(decision, at);
  for (const [key, note] of notesOf(clusterOf(decision.state, cluster).local, engine)) {
    if (!isOldEnough(note, decision.nowMs)) break;
    if (session === undefined) close(decision, cluster, engine, key, note, { type: "drop" });
    else rollBack(decision, cluster, engine, key, note, session);
  }
  const [oldest] = notesOf(clusterOf(decision.state, cluster).local, engine);
  if (oldest === undefined) return;
  const passAtMs = Math.max(nextPass(decision.nowMs, mountedMs), firstPassFor(oldest[1].notedAtMs, mountedMs));
  decision.record({ type: "RollbackPassSet", data: { cluster, engine, passAtMs: epochMs(passAtMs) } });
}

/**
 * Rolls back all that an engine has noted, whatever its age, because the engine is about to go.
 *
 * Our choice: as upstream, which makes a last pass before it unmounts; what cannot be rolled back keeps the mount.
 *
 * @returns what kept it from being done, in words
 */
export function rollBackAll(decision: SecretsRecorder, at: MountPlace): string | undefined {
  const engine = engineAt(at);
  const notes = notesOf(clusterOf(decision.state, at.cluster).local, engine);
  if (notes.length === 0) return undefined;
  const session = sessionAt(decision, at);
  const failures = notes.map(([key, note]) => rollBack(decision, at.cluster, engine, key, note, session));
  return failures.find((failure) => failure !== undefined);
}

/** Forgets what an engine has noted: its objects stay. */
export function dropNotes(decision: SecretsRecorder, at: MountPlace): void {
  const engine = engineAt(at);
  for (const [key, note] of notesOf(clusterOf(decision.state, at.cluster).local, engine)) {
    close(decision, at.cluster, engine, key, note, { type: "drop" });
  }
}

function rollBack(
  decision: SecretsRecorder,
  cluster: ClusterName,
  engine: LeasingEngine,
  key: NoteKey,
  note: RollbackNote,
  session: OrchestratorSession | SessionFault,
): string | undefined {
  if (typeof session === "string") {
    close(decision, cluster, engine, key, note, { type: "unconfigured" });
    return SESSION_FAULTS[session];
  }
  const deleted = deleteObject(decision, session, note.object);
  const isDone = deleted.ok || deleted.isMissing === true;
  close(decision, cluster, engine, key, note, { type: isDone ? "rolledBack" : "rollbackFailed" });
  return deleted.ok || isDone ? undefined : deleted.reason;
}

type NoteMove = { readonly type: "rolledBack" | "rollbackFailed" | "unconfigured" | "drop" };

/** Closes a note if the move ends it. */
function close(
  decision: SecretsRecorder,
  cluster: ClusterName,
  engine: LeasingEngine,
  key: NoteKey,
  note: RollbackNote,
  move: NoteMove,
): void {
  const pastItsAge = decision.nowMs - note.notedAtMs > GIVEN_UP_AFTER_MS;
  const next = decision.step(rollbackNoteMachine, note.status, { pastItsAge }, move);
  if (next === undefined) throw new Error(`a ${note.status} note knows no ${move.type}`);
  if (next.value === "pending") return;
  decision.record({ type: "RollbackNoteClosed", data: { cluster, engine, note: key, status: next.value } });
}

// --- the grid of passes ---------------------------------------------------------------------------------------------

/** Without the mount there is nothing to count from; the pass that finds out closes the notes. */
function mountedAtMs(decision: SecretsRecorder, at: MountPlace): EpochMs {
  return orchestratorAt(decision.state, at)?.engine.mountedAtMs ?? decision.nowMs;
}

/** The first pass after an instant. */
function nextPass(afterMs: number, mountedMs: number): EpochMs {
  return epochMs(mountedMs + (Math.floor((afterMs - mountedMs) / PASS_EVERY_MS) + 1) * PASS_EVERY_MS);
}

/** The first pass at which a note is old enough: notes carry whole seconds. */
function firstPassFor(notedAtMs: number, mountedMs: number): EpochMs {
  return nextPass(secondOf(notedAtMs) + LEAST_AGE_MS, mountedMs);
}

function isOldEnough({ notedAtMs }: RollbackNote, nowMs: number): boolean {
  return secondOf(notedAtMs) < nowMs - LEAST_AGE_MS;
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
