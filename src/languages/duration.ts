import { type GoDuration, parseGoDuration, withinInt64 } from "./go-duration.ts";
import { shown } from "./shown.ts";

/** A duration as control calls take it: a text with units (`"90s"`, `"1h30m"`, `"2d"`) or a number of milliseconds. */
export type Duration = string | number;

/** Why a field holds no duration. */
export type DurationFault = "not_a_duration" | "fraction" | "negative" | "out_of_range";

/**
 * A duration read from a field of a request. `seconds` is what answers show and `ms` what the clock counts; both are
 * cut, not rounded.
 */
export type DurationField =
  | { readonly ok: true; readonly seconds: number; readonly ms: number }
  | { readonly ok: false; readonly reason: DurationFault; readonly message: string };

type Parsed = GoDuration | { readonly ok: false; readonly reason: "fraction" };

const NANOSECONDS_PER_MS = 1_000_000n;
const NANOSECONDS_PER_SECOND = 1_000_000_000n;
const NANOSECONDS_PER_DAY = 86_400n * NANOSECONDS_PER_SECOND;

const MS_PER_SECOND = 1_000;
const MS_PER_MINUTE = 60 * MS_PER_SECOND;
const MS_PER_HOUR = 60 * MS_PER_MINUTE;
const MS_PER_DAY = 24 * MS_PER_HOUR;

const COMPLAINTS: Readonly<Record<DurationFault, string>> = {
  not_a_duration: "is no duration",
  fraction: "is a fraction",
  negative: "is negative",
  out_of_range: "is longer than a duration can be, about 292 years",
};
const EXPECTED_IN_FIELD = 'a duration is whole seconds, or a text such as "90s", "1h30m" or "30d"';
const EXPECTED_IN_CALL = 'a duration is a text with units ("90s", "1h30m", "2d") or a whole number of milliseconds';

/**
 * Reads a duration field of a request body or a header.
 *
 * | Value | Meaning |
 * |---|---|
 * | whole number, text of digits | seconds; a text may have a sign, as in Go |
 * | `"1h30m"`, `"1.5h"`, `"250ms"` | a Go-style sum, see `parseGoDuration` |
 * | `"30d"` | days: one whole number, not combinable |
 * | `""` | 0 |
 *
 * All else is refused. A negative duration is told apart by its reason, for the one field that may want to read it as
 * something else. Absent and `null` mean the field's default, which is the caller's to know. A JSON reader gives `1.0`
 * and `1e3` as the whole numbers that they are, so they are taken; upstream refuses the spelling.
 *
 * Source: decisions-secrets-core.md A.5.
 *
 * @example
 * parseContractDuration("1.5h") // { ok: true, seconds: 5400, ms: 5_400_000 }
 * parseContractDuration(1.5) // { ok: false, reason: "fraction", message: "1.5 is a fraction: ..." }
 * parseContractDuration("1w") // { ok: false, reason: "not_a_duration", ... }
 */
export function parseContractDuration(value: unknown): DurationField {
  const parsed = fieldNanoseconds(value);
  if (!parsed.ok) return refusedField(value, parsed.reason);
  if (parsed.nanoseconds < 0n) return refusedField(value, "negative");
  const seconds = Number(parsed.nanoseconds / NANOSECONDS_PER_SECOND);
  return { ok: true, seconds, ms: Number(parsed.nanoseconds / NANOSECONDS_PER_MS) };
}

/**
 * The milliseconds of a duration given to a control call.
 *
 * Our choice: texts have one grammar in the whole library. What a control call takes is what a request body takes, but
 * for bare digits and `""`; so `d` does not combine here either (write "36h", not "1d12h"), and a text that a test
 * tried in one place holds in the other.
 *
 * @throws TypeError naming the value: no unit, negative, no whole number of milliseconds, longer than 292 years
 * @example
 * durationMs("1h30m") // 5_400_000
 * durationMs(250) // 250
 * durationMs("90") // TypeError: "90" is no duration; a duration is a text with units ...
 */
export function durationMs(value: Duration): number {
  const parsed = callNanoseconds(value);
  if (!parsed.ok) throw refusedCall(value, COMPLAINTS[parsed.reason]);
  if (parsed.nanoseconds < 0n) throw refusedCall(value, COMPLAINTS.negative);
  if (parsed.nanoseconds % NANOSECONDS_PER_MS !== 0n) throw refusedCall(value, "is no whole number of milliseconds");
  return Number(parsed.nanoseconds / NANOSECONDS_PER_MS);
}

/**
 * The shortest readable text of a number of milliseconds, for messages and stories. It reads back as the same number,
 * in a control call as well as in a request body; hence days only where nothing is left over.
 *
 * @throws TypeError for anything but a whole number
 * @example
 * formatDuration(90_000) // "1m30s"
 * formatDuration(250) // "250ms"
 * formatDuration(1_250) // "1.25s"
 * formatDuration(172_800_000) // "2d"
 * formatDuration(-1) // "-1ms"
 */
export function formatDuration(ms: number): string {
  if (!Number.isSafeInteger(ms)) throw new TypeError(`${shown(ms)} is no whole number of milliseconds`);
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms === 0) return "0s";
  if (ms < MS_PER_SECOND) return `${ms}ms`;
  if (ms % MS_PER_DAY === 0) return `${ms / MS_PER_DAY}d`;
  const hours = Math.floor(ms / MS_PER_HOUR);
  const minutes = Math.floor((ms % MS_PER_HOUR) / MS_PER_MINUTE);
  const seconds = (ms % MS_PER_MINUTE) / MS_PER_SECOND;
  return (hours > 0 ? `${hours}h` : "") + (minutes > 0 ? `${minutes}m` : "") + (seconds > 0 ? `${seconds}s` : "");
}

function fieldNanoseconds(value: unknown): Parsed {
  if (typeof value === "number") return multiple(value, NANOSECONDS_PER_SECOND);
  if (typeof value !== "string") return { ok: false, reason: "not_a_duration" };
  if (value === "") return { ok: true, nanoseconds: 0n };
  return isBareNumber(value) ? multiple(Number(value), NANOSECONDS_PER_SECOND) : textNanoseconds(value);
}

function callNanoseconds(value: unknown): Parsed {
  if (typeof value === "number") return multiple(value, NANOSECONDS_PER_MS);
  if (typeof value !== "string" || isBareNumber(value)) return { ok: false, reason: "not_a_duration" };
  return textNanoseconds(value);
}

/** A text with units: days, or what Go takes. */
function textNanoseconds(text: string): Parsed {
  const days = text.endsWith("d") ? text.slice(0, -1) : "";
  return isBareNumber(days) ? multiple(Number(days), NANOSECONDS_PER_DAY) : parseGoDuration(text);
}

function isBareNumber(text: string): boolean {
  return /^[+-]?\d+$/.test(text);
}

/** So many units. A whole number that is no safe integer is beyond 292 years in each unit that is counted here. */
function multiple(count: number, unit: bigint): Parsed {
  if (Number.isSafeInteger(count)) return withinInt64(BigInt(count) * unit);
  if (Number.isNaN(count)) return { ok: false, reason: "not_a_duration" };
  const whole = Number.isInteger(count) || !Number.isFinite(count);
  return { ok: false, reason: whole ? "out_of_range" : "fraction" };
}

function refusedField(value: unknown, reason: DurationFault): DurationField {
  return { ok: false, reason, message: `${shown(value)} ${COMPLAINTS[reason]}; ${EXPECTED_IN_FIELD}` };
}

function refusedCall(value: unknown, complaint: string): TypeError {
  return new TypeError(`${shown(value)} ${complaint}; ${EXPECTED_IN_CALL}`);
}
