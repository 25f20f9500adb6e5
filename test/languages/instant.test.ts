import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Instant, instantMs, isInstantText, rfc3339, ZERO_TIME } from "../../src/languages/instant.ts";
import { property } from "../support/property.ts";

const LAST_MS = 253_402_300_799_999;

describe("an instant in a control call", () => {
  it.each<[text: string, ms: number]>([
    ["1970-01-01T00:00:00Z", 0],
    ["2026-01-01T00:00:00Z", 1_767_225_600_000],
    ["2026-01-01T00:00:00.000Z", 1_767_225_600_000],
    ["2026-01-01T00:00:00.5Z", 1_767_225_600_500],
    ["2026-01-01T01:00:00+01:00", 1_767_225_600_000],
    ["2025-12-31T18:30:00-05:30", 1_767_225_600_000],
    ["2026-01-01T00:00:00-00:00", 1_767_225_600_000],
    ["1969-12-31T23:00:00-02:00", 3_600_000],
    ["2024-02-29T12:00:00Z", 1_709_208_000_000],
    ["9999-12-31T23:59:59.999Z", LAST_MS],
  ])("%s is %i ms after the epoch", (text, ms) => {
    expect(instantMs(text)).toBe(ms);
    expect(instantMs(new Date(ms))).toBe(ms);
    expect(instantMs(ms)).toBe(ms);
    expect(isInstantText(text)).toBe(true);
  });

  it("loses what is finer than a millisecond", () => {
    expect(instantMs("2026-01-01T00:00:00.123999999Z")).toBe(1_767_225_600_123);
  });

  it.each([
    "",
    "now",
    "2026",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00Z",
    "2026-01-01 00:00:00Z",
    "2026-01-01t00:00:00z",
    " 2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00Z\n",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00+0100",
    "2026-01-01T00:00:00+24:00",
    "2026-01-01T00:00:00+01:60",
    "2026-1-1T00:00:00Z",
    "+002026-01-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2023-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z",
    "2016-12-31T23:59:60Z",
    "1969-12-31T23:59:59.999Z",
    "0070-01-01T00:00:00Z",
    ZERO_TIME,
    "9999-12-31T23:59:59-00:01",
    "\u0662026-01-01T00:00:00Z",
  ])("%j is none, so it may name a mark", (text) => {
    expect(() => instantMs(text)).toThrow(TypeError);
    expect(() => instantMs(text)).toThrow(`${JSON.stringify(text)} is no instant`);
    expect(isInstantText(text)).toBe(false);
  });

  it.each<[value: unknown, shown: string]>([
    [new Date(Number.NaN), "an invalid Date is no instant"],
    [new Date(-1), "1969-12-31T23:59:59.999Z is no instant"],
    [new Date(LAST_MS + 1), "+010000-01-01T00:00:00.000Z is no instant"],
    [-1, "-1 is no instant"],
    [0.5, "0.5 is no instant"],
    [Number.NaN, "NaN is no instant"],
    [LAST_MS + 1, `${LAST_MS + 1} is no instant`],
    [undefined, "undefined is no instant"],
    [null, "null is no instant"],
    [{}, "an object is no instant"],
  ])("%s is a TypeError that names it", (value, shown) => {
    expect(() => instantMs(value as Instant)).toThrow(new TypeError(`${shown}; ${expectation()}`));
  });

  property([fc.string()])("is read or refused from any text", (text) => {
    if (isInstantText(text)) expect(rfc3339(instantMs(text))).toBeTypeOf("string");
    else expect(() => instantMs(text)).toThrow(TypeError);
  });
});

describe("a timestamp in an answer", () => {
  it.each<[ms: number, text: string]>([
    [0, "1970-01-01T00:00:00Z"],
    [1_767_225_600_000, "2026-01-01T00:00:00Z"],
    [1_767_225_600_001, "2026-01-01T00:00:00.001Z"],
    [1_767_225_600_010, "2026-01-01T00:00:00.01Z"],
    [1_767_225_600_100, "2026-01-01T00:00:00.1Z"],
    [1_767_225_610_000, "2026-01-01T00:00:10Z"],
    [LAST_MS, "9999-12-31T23:59:59.999Z"],
  ])("of %i ms is %s, without trailing zeros", (ms, text) => {
    expect(rfc3339(ms)).toBe(text);
  });

  property([fc.integer({ min: 0, max: LAST_MS })])("reads back as the same instant", (ms) => {
    expect(instantMs(rfc3339(ms))).toBe(ms);
    expect(isInstantText(rfc3339(ms))).toBe(true);
  });

  it("is refused for what is no instant", () => {
    expect(() => rfc3339(Number.NaN)).toThrow(RangeError);
  });
});

function expectation(): string {
  return (
    'an instant is a Date, whole milliseconds since 1970, or a text with a zone ("2026-01-01T00:00:00Z", "2026-01-01T01:00:00.5+01:00") ' +
    "from 1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z"
  );
}
