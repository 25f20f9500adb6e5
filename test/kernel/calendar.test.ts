import { describe, expect, it } from "vitest";
import { type EpochMs, epochMs, logPosition } from "../../src/kernel/brand.ts";
import {
  arm,
  type Calendar,
  type Deadline,
  type DeadlineKey,
  disarm,
  dueAtMsOf,
  LAST_INSTANT_MS,
} from "../../src/kernel/calendar.ts";
import { FoldPass } from "../../src/kernel/fold.ts";
import { Table } from "../../src/kernel/table.ts";

const commit = (position: number): FoldPass => new FoldPass(logPosition(position), epochMs(0));
const holder = (): { calendar: Calendar } => ({ calendar: Table.of<Deadline>() });
const ring = (name: string): Deadline => ({ command: "timer.ring", input: { name } });

const names = ({ calendar }: { calendar: Calendar }): unknown[] =>
  [...calendar.values()].map(({ input }) => (input as { readonly name: string }).name);

describe("a deadline", () => {
  it("lies in its calendar under a key that tells its instant", () => {
    const part = holder();
    const key = arm(part, epochMs(1_700_000_000_123), ring("tea"), commit(7)) as DeadlineKey;
    expect([...part.calendar]).toEqual([[key, ring("tea")]]);
    expect(dueAtMsOf(key)).toBe(1_700_000_000_123);
  });

  it("is frozen, input and all", () => {
    const part = holder();
    const input = { name: "tea", cups: [1, 2] };
    arm(part, epochMs(5), { command: "timer.ring", input }, commit(1));
    expect(Object.isFrozen(part.calendar.first()?.[1])).toBe(true);
    expect(Object.isFrozen(input.cups)).toBe(true);
  });

  it("comes after all that are due before it, whenever they were armed", () => {
    const part = holder();
    const dueAt = [999, 9, 1_000_000_000_000, 10, 0, 99_999, 1];
    for (const [index, ms] of dueAt.entries()) arm(part, epochMs(ms), ring(`${ms}`), commit(100 - index));
    expect(names(part)).toEqual(["0", "1", "9", "10", "999", "99999", "1000000000000"]);
  });

  it("with a rank comes after those of the same instant without, by rank, and before later ones", () => {
    const part = holder();
    const ranked = (name: string, at: number): DeadlineKey | undefined =>
      arm(part, epochMs(at), ring(name), commit(1), name);
    ranked("b", 5);
    ranked("a", 5);
    ranked("~", 5);
    ranked("0", 5);
    arm(part, epochMs(5), ring("unranked"), commit(9_999_999_999));
    arm(part, epochMs(6), ring("later"), commit(1));
    const gone = ranked("gone", 5);
    disarm(part, gone);
    expect(names(part)).toEqual(["unranked", "0", "a", "b", "~", "later"]);
    expect(dueAtMsOf(ranked("x", 1_700_000_000_123) ?? "")).toBe(1_700_000_000_123);
    expect(arm(part, epochMs(LAST_INSTANT_MS + 1), ring("never"), commit(1), "never")).toBeUndefined();
  });

  it("comes after those of the same instant that earlier commits have armed", () => {
    const part = holder();
    for (const position of [12, 9, 1_000, 99, 100_000]) arm(part, epochMs(5), ring(`${position}`), commit(position));
    expect(names(part)).toEqual(["9", "12", "99", "1000", "100000"]);
  });

  it("comes after those of the same instant that its own commit has armed before it", () => {
    const part = holder();
    const meta = commit(3);
    const wanted = Array.from({ length: 120 }, (_, index) => `${index}`);
    for (const name of wanted) arm(part, epochMs(5), ring(name), meta);
    expect(names(part)).toEqual(wanted);
  });

  it("keeps its turn also among more than a million of one commit", () => {
    const part = holder();
    const meta = commit(3);
    meta.ordinal = 999_999;
    arm(part, epochMs(5), ring("millionth"), meta);
    arm(part, epochMs(5), ring("next"), meta);
    expect(names(part)).toEqual(["millionth", "next"]);
  });

  it("of two calendars never has the key of another of its commit", () => {
    const meta = commit(3);
    const keys = [arm(holder(), epochMs(5), ring("one"), meta), arm(holder(), epochMs(5), ring("two"), meta)];
    expect(new Set(keys).size).toBe(2);
  });

  it("may be due at the last instant that can be written", () => {
    const part = holder();
    const key = arm(part, LAST_INSTANT_MS, ring("the end"), commit(1)) as DeadlineKey;
    expect(dueAtMsOf(key)).toBe(Date.parse("9999-12-31T23:59:59.999Z"));
  });

  it.each<[what: string, dueAtMs: number]>([
    ["a millisecond after the last instant", LAST_INSTANT_MS + 1],
    ["after all time", Number.POSITIVE_INFINITY],
    ["at no instant", Number.NaN],
  ])("is never armed when it is due %s", (_, dueAtMs) => {
    const part = holder();
    const meta = commit(1);
    expect(arm(part, dueAtMs as EpochMs, ring("never"), meta)).toBeUndefined();
    expect(part.calendar.size).toBe(0);
    expect(meta.nextOrdinal()).toBe(0);
  });

  it("that was due before 1970 is due at once", () => {
    const part = holder();
    arm(part, epochMs(3), ring("later"), commit(1));
    const key = arm(part, epochMs(-86_400_000), ring("overdue"), commit(2)) as DeadlineKey;
    expect(names(part)).toEqual(["overdue", "later"]);
    expect(dueAtMsOf(key)).toBe(0);
  });
});

describe("disarming", () => {
  it("takes away the one deadline of a key", () => {
    const part = holder();
    const meta = commit(1);
    const [first] = ["one", "two"].map((name) => arm(part, epochMs(5), ring(name), meta));
    disarm(part, first);
    expect(names(part)).toEqual(["two"]);
  });

  it("changes nothing for a deadline that has fired, and for none", () => {
    const part = holder();
    const key = arm(part, epochMs(5), ring("once"), commit(1));
    disarm(part, key);
    const { calendar } = part;
    disarm(part, key);
    disarm(part, undefined);
    expect(part.calendar).toBe(calendar);
  });
});
