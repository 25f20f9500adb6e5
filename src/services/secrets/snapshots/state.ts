import { type EpochMs, secondsAfter } from "../../../kernel/brand.ts";
import { arm, type DeadlineKey, type Due, disarm } from "../../../kernel/calendar.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { FoldMeta } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import { type ObjectPlace, urlOf } from "../../../surroundings/stores/state.ts";
import type { SnapshotConfig } from "./configuration.ts";
import type { StorageImage } from "./image.ts";

/**
 * How the attempts of a configuration went, and when the next is due. It belongs to the cluster that makes them, and nobody receives
 * it: the configuration does not say whether it runs.
 */
export interface SnapshotSchedule {
  /** Spelled as the states of the snapshot schedule chart. */
  readonly status: SnapshotScheduleStatus;
  /** The attempt that was begun last; absent before the first. */
  readonly begun?: { readonly startedAtMs: EpochMs; readonly url: string };
  /** The attempt that ended last; absent before the first. An empty error is a success. */
  readonly ended?: { readonly startedAtMs: EpochMs; readonly endedAtMs: EpochMs; readonly error: string };
  /** That of the latest success; empty before the first. */
  readonly lastUrl: string;
  /** The attempt under way. */
  readonly attempt?: SnapshotAttempt;
  /** The next attempt; absent while the cluster takes no snapshots. It is used up when the attempt begins. */
  readonly next?: DeadlineKey;
}

export type SnapshotScheduleStatus = "waiting" | "running" | "succeeded" | "failed";

/** An attempt goes on as it was begun, whatever becomes of its configuration. */
export interface SnapshotAttempt {
  readonly place: ObjectPlace;
  readonly content: StorageImage;
  readonly bytes: number;
  readonly retain: number;
  /** Bytes that may lie at its place; absent where nothing limits them. */
  readonly maxBytes?: number;
  /** There was room when it began. */
  readonly allowed: boolean;
  /** The cluster was away while it ran. */
  readonly disturbed?: true;
  readonly deadline?: DeadlineKey;
}

export interface SnapshotScheduleSlice {
  /** How the attempts of each snapshot configuration went, and when the next is due. */
  readonly snapshotSchedules: Table<SnapshotSchedule>;
}

export type Schedules = SnapshotScheduleSlice & Due;

const NEW_SCHEDULE: SnapshotSchedule = Object.freeze({ status: "waiting", lastUrl: "" });

/**
 * Arms the next attempt of a configuration, one interval from now. Those that are due at the same instant begin in the order of their
 * names, after all else (decisions-secrets-core.md, B.2).
 */
function armNext(
  part: Flat<Schedules>,
  name: string,
  { intervalSeconds }: SnapshotConfig,
  meta: FoldMeta,
): DeadlineKey | undefined {
  const dueAtMs = secondsAfter(meta.atMs, intervalSeconds);
  return arm(part, dueAtMs, { command: "timer.snapshotAttempt", input: { name } }, meta, name);
}

const endOf = (name: string) => ({ command: "timer.snapshotEnd", input: { name } });

/** The attempts of a configuration count from now: it was written, or the cluster is back. */
export function startSchedule(part: Flat<Schedules>, name: string, config: SnapshotConfig, meta: FoldMeta): void {
  const before = part.snapshotSchedules.get(name) ?? NEW_SCHEDULE;
  disarm(part, before.next);
  const { next: _, ...kept } = before;
  const next = armNext(part, name, config, meta);
  part.snapshotSchedules = part.snapshotSchedules.set(name, next === undefined ? kept : { ...kept, next });
}

/** An attempt begins. One that takes no time is not waited for. */
export function beginAttempt(
  schedules: Flat<Schedules>,
  name: string,
  { status, ...attempt }: Omit<SnapshotAttempt, "deadline"> & { readonly status: "running" },
  endsAtMs: EpochMs | undefined,
  meta: FoldMeta,
): void {
  const { next: _, ...kept } = schedules.snapshotSchedules.get(name) ?? NEW_SCHEDULE;
  const deadline = endsAtMs === undefined ? undefined : arm(schedules, endsAtMs, endOf(name), meta);
  schedules.snapshotSchedules = schedules.snapshotSchedules.set(name, {
    ...kept,
    status,
    begun: { startedAtMs: meta.atMs, url: urlOf(attempt.place) },
    attempt: { ...attempt, ...(deadline === undefined ? {} : { deadline }) },
  });
}

/** What an attempt came to. An empty error is a success. */
export interface AttemptOutcome {
  readonly status: "succeeded" | "failed";
  readonly error: string;
  readonly lastUrl?: string;
}

/** The attempt that is under way has ended, and the next follows unless the configuration is gone. */
export function endAttempt(
  schedules: Flat<Schedules>,
  name: string,
  config: SnapshotConfig | undefined,
  { status, error, lastUrl }: AttemptOutcome,
  meta: FoldMeta,
): void {
  const before = schedules.snapshotSchedules.get(name);
  if (before?.attempt === undefined) return;
  const { attempt, next, ...kept } = before;
  disarm(schedules, attempt.deadline);
  const startedAtMs = kept.begun?.startedAtMs ?? meta.atMs;
  // One that was armed while the attempt ran, by a write of the configuration, stays as it is.
  const isArmed = next !== undefined && schedules.calendar.has(next);
  const following = isArmed || config === undefined ? next : armNext(schedules, name, config, meta);
  schedules.snapshotSchedules = schedules.snapshotSchedules.set(name, {
    ...kept,
    status,
    ended: { startedAtMs, endedAtMs: meta.atMs, error },
    lastUrl: lastUrl ?? kept.lastUrl,
    ...(following === undefined ? {} : { next: following }),
  });
}

/** Nothing is known of a configuration's attempts any more, and none is under way. */
export function forgetSchedule(schedules: Flat<Schedules>, name: string): void {
  stopSchedule(schedules, name);
  schedules.snapshotSchedules = schedules.snapshotSchedules.delete(name);
}

/** No attempt follows, and the one that is under way does not end by itself. */
export function stopSchedule(part: Flat<Schedules>, name: string): void {
  const before = part.snapshotSchedules.get(name);
  if (before === undefined) return;
  disarm(part, before.next);
  disarm(part, before.attempt?.deadline);
  const { next: _, ...kept } = before;
  part.snapshotSchedules = part.snapshotSchedules.set(name, kept);
}

/** No attempt follows; the one that is under way goes on. */
export function endSchedule(part: Flat<Schedules>, name: string): void {
  const before = part.snapshotSchedules.get(name);
  if (before?.next === undefined) return;
  disarm(part, before.next);
  const { next: _, ...kept } = before;
  part.snapshotSchedules = part.snapshotSchedules.set(name, kept);
}

/** The attempt that was under way when the cluster went away is noticed to have ended. */
export function disturbAttempt(part: Flat<Schedules>, name: string, meta: FoldMeta): void {
  const before = part.snapshotSchedules.get(name);
  if (before?.attempt === undefined) return;
  disarm(part, before.attempt.deadline);
  const { deadline: _, ...kept } = before.attempt;
  const deadline = arm(part, meta.atMs, endOf(name), meta);
  const attempt: SnapshotAttempt = { ...kept, disturbed: true, ...(deadline === undefined ? {} : { deadline }) };
  part.snapshotSchedules = part.snapshotSchedules.set(name, { ...before, attempt });
}
