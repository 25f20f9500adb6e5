import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { durationMs, formatDuration, parseContractDuration } from "../../src/languages/duration.ts";
import { goDurationText, parseGoDuration } from "../../src/languages/go-duration.ts";
import { property } from "../support/property.ts";

const LONGEST_MS = 9_223_372_036_854;

describe("a duration field of a request", () => {
  it.each<[value: unknown, seconds: number, ms: number]>([
    [90, 90, 90_000],
    [0, 0, 0],
    [-0, 0, 0],
    ["90", 90, 90_000],
    ["+90", 90, 90_000],
    ["007", 7, 7_000],
    ["-0", 0, 0],
    ["", 0, 0],
    ["90s", 90, 90_000],
    ["1h30m", 5_400, 5_400_000],
    ["30m1h", 5_400, 5_400_000],
    ["1.5h", 5_400, 5_400_000],
    ["30d", 2_592_000, 2_592_000_000],
    ["+1d", 86_400, 86_400_000],
    ["250ms", 0, 250],
    ["1999ms", 1, 1_999],
    ["1.9999s", 1, 1_999],
    ["1500us", 0, 1],
    ["1500\u00b5s", 0, 1],
    ["1500\u03bcs", 0, 1],
    ["999999ns", 0, 0],
    [9_223_372_036, 9_223_372_036, 9_223_372_036_000],
    ["9223372036854775807ns", 9_223_372_036, LONGEST_MS],
  ])("%j is %i whole seconds and %i whole milliseconds", (value, seconds, ms) => {
    expect(parseContractDuration(value)).toEqual({ ok: true, seconds, ms });
  });

  it.each<[value: unknown, reason: string]>([
    [1.5, "fraction"],
    [1e-9, "fraction"],
    [-1.5, "fraction"],
    [-1, "negative"],
    ["-1", "negative"],
    ["-1ns", "negative"],
    ["-1h30m", "negative"],
    ["-30d", "negative"],
    ["1.5", "not_a_duration"],
    ["1w", "not_a_duration"],
    ["1.5d", "not_a_duration"],
    ["1d12h", "not_a_duration"],
    ["d", "not_a_duration"],
    ["s", "not_a_duration"],
    [".s", "not_a_duration"],
    ["1h30", "not_a_duration"],
    ["1 h", "not_a_duration"],
    [" 90s", "not_a_duration"],
    ["1H", "not_a_duration"],
    ["1e3", "not_a_duration"],
    ["0x10", "not_a_duration"],
    ["1_000", "not_a_duration"],
    ["--1s", "not_a_duration"],
    ["\u0661s", "not_a_duration"],
    ["abc", "not_a_duration"],
    [true, "not_a_duration"],
    [null, "not_a_duration"],
    [undefined, "not_a_duration"],
    [["90s"], "not_a_duration"],
    [{}, "not_a_duration"],
    [Number.NaN, "not_a_duration"],
    [9_223_372_037, "out_of_range"],
    ["9223372037", "out_of_range"],
    ["106752d", "out_of_range"],
    ["2562048h", "out_of_range"],
    ["9223372036854775808ns", "out_of_range"],
    [1e300, "out_of_range"],
    ["9".repeat(100_000), "out_of_range"],
  ])("%j is refused as %s", (value, reason) => {
    expect(parseContractDuration(value)).toMatchObject({ ok: false, reason });
  });

  it("names the refused value and what would do", () => {
    expect(parseContractDuration("1w")).toMatchObject({
      message: '"1w" is no duration; a duration is whole seconds, or a text such as "90s", "1h30m" or "30d"',
    });
  });

  property([fc.anything()])("reads or refuses any value, and throws for none", (value) => {
    const field = parseContractDuration(value);
    if (field.ok) expect(field.seconds).toBe(Math.floor(field.ms / 1000));
    else expect(field.message).toContain(field.reason === "fraction" ? "fraction" : " ");
  });

  property([fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })])("counts nanoseconds without drift", (nanoseconds) => {
    const text = `${nanoseconds / 1_000_000_000n}.${String(nanoseconds % 1_000_000_000n).padStart(9, "0")}s`;
    expect(parseGoDuration(text)).toEqual({ ok: true, nanoseconds });
  });
});

describe("a Go duration", () => {
  it.each<[text: string, nanoseconds: bigint]>([
    ["0", 0n],
    ["-0", 0n],
    ["+0", 0n],
    ["5s", 5_000_000_000n],
    ["+5s", 5_000_000_000n],
    ["-5s", -5_000_000_000n],
    [".5s", 500_000_000n],
    ["5.s", 5_000_000_000n],
    ["1.004s", 1_004_000_000n],
    ["100.00100s", 100_001_000_000n],
    ["-2m3.4s", -123_400_000_000n],
    ["1h2m3s4ms5us6ns", 3_723_004_005_006n],
    ["39h9m14.425s", 140_954_425_000_000n],
    ["52763797000ns", 52_763_797_000n],
    ["0.3333333333333333333h", 1_200_000_000_000n],
    ["0.100000000000000000000h", 360_000_000_000n],
    ["0.830103483285477580700h", 2_988_372_539_827n],
    ["9007199254740993ns", 9_007_199_254_740_993n],
    ["-9223372036854775808ns", -9_223_372_036_854_775_808n],
  ])("%s is %d nanoseconds, as in Go", (text, nanoseconds) => {
    expect(parseGoDuration(text)).toEqual({ ok: true, nanoseconds });
  });

  it.each(["", "3", "-", "+", "s", ".", "-.", ".s", "+.s", "\u0085", "1d", "1.2.3s", `${"0".repeat(300)}1s`])(
    "%j is none",
    (text) => {
      expect(parseGoDuration(text)).toEqual({ ok: false, reason: "not_a_duration" });
    },
  );

  it.each(["9223372036854775808ns", "-9223372036854775809ns", "9223372036854ms775us808ns", "3000000h"])(
    "%s is beyond 64 bits",
    (text) => {
      expect(parseGoDuration(text)).toEqual({ ok: false, reason: "out_of_range" });
    },
  );
});

describe("a duration in a control call", () => {
  it.each<[value: string | number, ms: number]>([
    ["90s", 90_000],
    ["1h30m", 5_400_000],
    ["2d", 172_800_000],
    ["0s", 0],
    ["0.5s", 500],
    ["1000us", 1],
    [0, 0],
    [-0, 0],
    [250, 250],
    [LONGEST_MS, LONGEST_MS],
  ])("%j is %i milliseconds", (value, ms) => {
    expect(durationMs(value)).toBe(ms);
  });

  it.each<[value: unknown, shown: string]>([
    ["90", '"90" is no duration'],
    ["0", '"0" is no duration'],
    ["", '"" is no duration'],
    ["abc", '"abc" is no duration'],
    ["1w", '"1w" is no duration'],
    ["1d12h", '"1d12h" is no duration'],
    ["-90s", '"-90s" is negative'],
    ["1500us", '"1500us" is no whole number of milliseconds'],
    ["300000d", '"300000d" is longer than a duration can be'],
    [1.5, "1.5 is a fraction"],
    [-1, "-1 is negative"],
    [LONGEST_MS + 1, "9223372036855 is longer than a duration can be"],
    [Number.NaN, "NaN is no duration"],
    [Number.POSITIVE_INFINITY, "Infinity is longer than a duration can be"],
    [undefined, "undefined is no duration"],
    [null, "null is no duration"],
    [{ seconds: 1 }, "an object is no duration"],
    [10n, "10 is no duration"],
    [Symbol("x"), "Symbol(x) is no duration"],
  ])("a wrong value is a TypeError that names it (row %#)", (value, shown) => {
    const call = () => durationMs(value as string);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(shown);
    expect(call).toThrow('a duration is a text with units ("90s", "1h30m", "2d") or a whole number of milliseconds');
  });
});

describe("the text of a duration", () => {
  it.each<[ms: number, text: string]>([
    [0, "0s"],
    [1, "1ms"],
    [250, "250ms"],
    [1_000, "1s"],
    [1_250, "1.25s"],
    [90_000, "1m30s"],
    [60_001, "1m0.001s"],
    [3_600_000, "1h"],
    [5_400_000, "1h30m"],
    [3_600_005, "1h0.005s"],
    [86_400_000, "1d"],
    [129_600_000, "36h"],
    [2_592_000_000, "30d"],
    [LONGEST_MS, "2562047h47m16.854s"],
    [-1, "-1ms"],
    [-90_000, "-1m30s"],
  ])("%i ms is %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])("is refused for %d, no whole number of ms", (ms) => {
    expect(() => formatDuration(ms)).toThrow(TypeError);
  });

  property([fc.oneof(fc.integer({ min: 0, max: 10_000_000 }), fc.integer({ min: 0, max: LONGEST_MS }))])(
    "reads back as the same duration, in a control call and in a request body",
    (ms) => {
      const text = formatDuration(ms);
      expect(durationMs(text)).toBe(ms);
      expect(parseContractDuration(text)).toEqual({ ok: true, seconds: Math.floor(ms / 1000), ms });
    },
  );
});

describe("a duration as Go writes it", () => {
  it.each([
    [0n, "0s"],
    [1n, "1ns"],
    [1_500n, "1.5\u00b5s"],
    [250_000_000n, "250ms"],
    [1_050_000_000n, "1.05s"],
    [60_000_000_000n, "1m0s"],
    [-90_500_000_000n, "-1m30.5s"],
    [86_400_000_000_000n, "24h0m0s"],
  ])("%d nanoseconds are %s", (nanoseconds, text) => {
    expect(goDurationText(nanoseconds)).toBe(text);
  });

  property([fc.bigInt(-(2n ** 63n) + 1n, 2n ** 63n - 1n)])("is read as what it was", (nanoseconds) => {
    expect(parseGoDuration(goDurationText(nanoseconds))).toEqual({ ok: true, nanoseconds });
  });
});
