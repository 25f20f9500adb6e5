import { type Brand, type EpochMs, epochMs, type LogPosition, logPosition } from "./brand.ts";
import type { FoldMeta } from "./evolvers.ts";
import type { Plain } from "./plain.ts";
import type { Table } from "./table.ts";

/** A command that waits for its instant. */
export interface Deadline {
  readonly command: string;
  readonly input: Plain;
}

/**
 * Due instant, position of the commit that armed it, ordinal in that commit, all of fixed width: keys in order are
 * deadlines in order, ties in the order of their creation. One that was armed with a rank has it instead of position and ordinal.
 */
export type DeadlineKey = Brand<string, "DeadlineKey">;

/** The deadlines of the part of the state that holds them: forked, shipped and wiped with it. */
export type Calendar = Table<Deadline>;

/** A part of the state that things are due in. */
export interface Due {
  readonly calendar: Calendar;
}

/** The last instant that RFC 3339 can write, and so the last one that a deadline or the clock may have. */
export const LAST_INSTANT_MS = epochMs(Date.UTC(9999, 11, 31, 23, 59, 59, 999));

const INSTANT_DIGITS = 15;
const AFTER_DIGITS = "~";

/**
 * Arms a deadline in a draft's calendar and returns its key, which the resource keeps so that it can disarm it.
 *
 * A due instant after the last one that can be written is never reached, so nothing is armed for it.
 *
 * @param rank for deadlines whose ties have an order of their own: after all that have none, by rank. No two of one calendar that
 * are due at one instant may have the same.
 * @example
 * lease.deadline = arm(local, lease.expiresAtMs, { command: "timer.leaseExpiry", input: { leaseId } }, meta);
 */
export function arm(
  holder: { calendar: Calendar },
  dueAtMs: EpochMs,
  deadline: Deadline,
  meta: FoldMeta,
  rank?: string,
): DeadlineKey | undefined {
  if (!(dueAtMs <= LAST_INSTANT_MS)) return undefined;
  const due = instantText(dueAtMs);
  if (rank !== undefined) {
    const ranked = `${due}.${AFTER_DIGITS}${rank}` as DeadlineKey;
    holder.calendar = holder.calendar.set(ranked, deadline);
    return ranked;
  }
  const key = `${due}.${positionText(meta.position)}.${ordinalText(meta.nextOrdinal())}` as DeadlineKey;
  holder.calendar = holder.calendar.set(key, deadline);
  return key;
}

/** Where the end of a waiting request stands among deadlines: after those that were armed before the request came. */
export function keyOfEnd(dueAtMs: EpochMs, came: { readonly position: LogPosition; readonly ordinal: number }): string {
  const due = Number.isFinite(dueAtMs) ? instantText(Math.floor(dueAtMs)) : AFTER_DIGITS;
  return `${due}.${positionText(came.position)}.${AFTER_DIGITS}${ordinalText(came.ordinal)}`;
}

const instantText = (ms: number): string => Math.max(ms, 0).toString().padStart(INSTANT_DIGITS, "0");
const positionText = (position: LogPosition): string => position.toString().padStart(10, "0");
const ordinalText = (ordinal: number): string => ordinal.toString().padStart(9, "0");

/** Takes a deadline away. Nothing happens for a deadline that has fired or was never armed. */
export function disarm(holder: { calendar: Calendar }, key: DeadlineKey | undefined): void {
  if (key !== undefined) holder.calendar = holder.calendar.delete(key);
}

/** The position of the commit that armed a deadline, by its key; undefined for one that was armed with a rank. */
export function armedAtOf(key: string): LogPosition | undefined {
  const position = key.split(".")[1] ?? "";
  return /^\d+$/.test(position) ? logPosition(Number(position)) : undefined;
}

/** The instant that a key stands for. */
export function dueAtMsOf(key: string): EpochMs {
  return epochMs(Number(key.slice(0, INSTANT_DIGITS)));
}
