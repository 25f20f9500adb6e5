import { shown } from "./shown.ts";

/** An instant as control calls take it: a `Date`, an RFC 3339 text such as `"2026-01-01T00:00:00Z"`, or epoch milliseconds. */
export type Instant = Date | string | number;

/** How the contract writes "never happened". It is a text only: the simulator's clock cannot stand there. */
export const ZERO_TIME = "0001-01-01T00:00:00Z";

const FIRST_INSTANT_MS = 0;
const LAST_INSTANT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const MS_PER_MINUTE = 60_000;

const EXPECTED =
  'an instant is a Date, whole milliseconds since 1970, or a text with a zone ("2026-01-01T00:00:00Z", "2026-01-01T01:00:00.5+01:00") ' +
  "from 1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z";

/**
 * The epoch milliseconds of an instant given to a control call.
 *
 * Our choice: a text is a full RFC 3339 date-time, with seconds and a zone. A bare date or a local time would mean
 * another instant on another machine or to another reader. A leap second (`:60`) is refused, since epoch milliseconds
 * have none. Digits after the millisecond are cut: commits stand on whole milliseconds, so "after all commits up to"
 * it holds what it would hold at the finer instant.
 *
 * Source: control-surface.md, "Values".
 *
 * @returns milliseconds since 1970-01-01T00:00:00Z
 * @throws TypeError naming the value: other types and forms, a date that the calendar lacks, out of bounds
 * @example
 * instantMs("2026-01-01T01:00:00+01:00") // 1_767_225_600_000
 * instantMs("2026-02-30T00:00:00Z") // TypeError
 */
export function instantMs(value: Instant): number {
  const ms = millisecondsOf(value);
  if (ms === undefined || !isWithinBounds(ms)) throw new TypeError(`${shown(value)} is no instant; ${EXPECTED}`);
  return ms;
}

function millisecondsOf(value: Instant): number | undefined {
  if (value instanceof Date) return value.getTime();
  if (typeof value === "string") return parseInstant(value);
  return Number.isInteger(value) ? value : undefined;
}

/** Whether a text reads as an instant. A place in history that does is one, so the name of a mark must not. */
export function isInstantText(text: string): boolean {
  const ms = parseInstant(text);
  return ms !== undefined && isWithinBounds(ms);
}

/**
 * An instant as the contract writes it: RFC 3339 in UTC, without a fraction when there is none, else without trailing
 * zeros.
 *
 * Source: decisions-secrets-core.md A.5 (timestamps).
 *
 * @param ms milliseconds since 1970-01-01T00:00:00Z
 * @throws RangeError for what is no instant of the calendar
 * @example
 * rfc3339(1_767_225_600_000) // "2026-01-01T00:00:00Z"
 * rfc3339(1_767_225_600_120) // "2026-01-01T00:00:00.12Z"
 */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString().replace(/\.?0*Z$/, "Z");
}

function isWithinBounds(ms: number): boolean {
  return ms >= FIRST_INSTANT_MS && ms <= LAST_INSTANT_MS;
}

const DATE_TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

function parseInstant(text: string): number | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [, date, time, fraction = "", sign, hours, minutes] = match;
  const local = `${date}T${time}.${fraction.slice(0, 3).padEnd(3, "0")}Z`;
  const localMs = Date.parse(local);
  const isInCalendar = !Number.isNaN(localMs) && new Date(localMs).toISOString() === local;
  if (!isInCalendar) return undefined;
  const offsetMinutes = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return localMs - (sign === "-" ? -offsetMinutes : offsetMinutes) * MS_PER_MINUTE;
}
