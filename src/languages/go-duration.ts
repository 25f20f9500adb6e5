/** What a duration text says, in whole nanoseconds, or why it says nothing. A sign is allowed and kept. */
export type GoDuration =
  | { readonly ok: true; readonly nanoseconds: bigint }
  | { readonly ok: false; readonly reason: "not_a_duration" | "out_of_range" };

const NANOSECONDS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["\u00b5s", 1_000n], // micro sign
  ["\u03bcs", 1_000n], // Greek small letter mu
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

/** A duration is a signed 64-bit number of nanoseconds: about 292 years. */
const INT64_END = 2n ** 63n;

/** Our choice: longer texts are no durations. Go has no limit; no client needs more, and every step here stays short. */
const LONGEST_TEXT = 256;

/**
 * Reads a duration as Go's `time.ParseDuration` does: an optional sign, then decimal numbers with a unit each, `ns`,
 * `us`, `ms`, `s`, `m` or `h`; `"0"` needs no unit. Units may repeat and stand in any order.
 *
 * Whole numbers are exact. A fraction is taken in the same floating point steps as in Go and cut to nanoseconds, so
 * that both agree to the last digit: "0.3333333333333333333h" is 20 minutes.
 *
 * Source: decisions-secrets-core.md A.5 (Go-style string); decisions-scheduler-acl.md, `wait` (no bare number but `0`).
 *
 * @returns nanoseconds, or `out_of_range` beyond 64 bits, or `not_a_duration` for all other texts, `""` included
 * @example
 * parseGoDuration("1h30m") // { ok: true, nanoseconds: 5_400_000_000_000n }
 * parseGoDuration("-1.5s") // { ok: true, nanoseconds: -1_500_000_000n }
 * parseGoDuration("90") // { ok: false, reason: "not_a_duration" }
 */
export function parseGoDuration(text: string): GoDuration {
  if (text.length > LONGEST_TEXT) return { ok: false, reason: "not_a_duration" };
  const magnitude = /^[+-]/.test(text) ? text.slice(1) : text;
  if (magnitude === "0") return { ok: true, nanoseconds: 0n };

  let total = 0n;
  let end = 0;
  for (const [part, whole = "", fraction = "", unit = ""] of magnitude.matchAll(/(\d*)(?:\.(\d*))?([^\d.]+)/gy)) {
    const scale = NANOSECONDS.get(unit);
    if (scale === undefined || whole + fraction === "") return { ok: false, reason: "not_a_duration" };
    total += BigInt(whole) * scale + fractionOf(scale, fraction);
    end += part.length;
  }
  if (end === 0 || end < magnitude.length) return { ok: false, reason: "not_a_duration" };
  return withinInt64(text.startsWith("-") ? -total : total);
}

/** The duration of a number of nanoseconds, if 64 bits hold it. */
export function withinInt64(nanoseconds: bigint): GoDuration {
  const fits = nanoseconds >= -INT64_END && nanoseconds < INT64_END;
  return fits ? { ok: true, nanoseconds } : { ok: false, reason: "out_of_range" };
}

/** `0.<digits>` of a unit. As in Go, digits count as long as their number fits 63 bits; what follows them is ignored. */
function fractionOf(unit: bigint, digits: string): bigint {
  let numerator = 0n;
  let denominator = 1;
  for (const digit of digits) {
    const longer = numerator * 10n + BigInt(digit);
    if (longer > INT64_END) break;
    numerator = longer;
    denominator *= 10;
  }
  return BigInt(Math.trunc(Number(numerator) * (Number(unit) / denominator)));
}

/**
 * A duration as Go writes it: `1h0m0s`, `1m30.5s`, `250ms`.
 *
 * Source: Go documentation, `time.Duration.String`.
 */
export function goDurationText(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${goDurationText(-nanoseconds)}`;
  if (nanoseconds === 0n) return "0s";
  for (const unit of ["ns", "\u00b5s", "ms"]) {
    const scale = NANOSECONDS.get(unit) ?? 1n;
    if (nanoseconds < scale * 1_000n) return decimal(nanoseconds, scale) + unit;
  }
  const minutes = nanoseconds / MINUTE;
  const seconds = `${decimal(nanoseconds % MINUTE, SECOND)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;

function decimal(value: bigint, scale: bigint): string {
  const digits = (value % scale)
    .toString()
    .padStart(scale.toString().length - 1, "0")
    .replace(/0+$/, "");
  return digits === "" ? `${value / scale}` : `${value / scale}.${digits}`;
}
