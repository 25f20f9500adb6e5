import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addHashes, hashOf, hashOfEntry, hashOfText, hexOf, NO_HASH, RunningHash } from "../../src/kernel/hash.ts";
import { deepFreeze } from "../../src/kernel/plain.ts";
import { Table } from "../../src/kernel/table.ts";
import { property } from "../support/property.ts";
import { runs } from "../support/runs.ts";

const hex = (value: unknown): string => hexOf(hashOf(value));

/** Plain data, tables among it. Objects have no undefined members here. */
const data = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      fc.constantFrom(null, true, false, "", "0", "1", "null", "true"),
      fc.string(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    ),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), tie("value"), { maxKeys: 4 }),
    fc.dictionary(fc.string(), tie("value"), { maxKeys: 4 }).map((members) => Table.from(Object.entries(members))),
  ),
})).value;

/** The same data made anew, with the members of each object and table in the opposite order. */
function mirrored(value: unknown): unknown {
  if (value instanceof Table) {
    return Table.from([...value].reverse().map(([key, item]) => [key, mirrored(item)] as const));
  }
  if (Array.isArray(value)) return value.map(mirrored);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, mirrored(member)]),
  );
}

/** Writes a value so that different values read differently, and equal ones alike. */
function canonical(value: unknown): string {
  if (value instanceof Table) {
    return `table(${[...value].map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join()})`;
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.sort().join()}}`;
}

describe("the hash of data", () => {
  property([data], runs(400))("is equal for equal data, in whatever order its members stand", (value) => {
    expect(hex(mirrored(value))).toBe(hex(value));
  });

  property([data], runs(200))("is the same before and after freezing, and when it is remembered", (value) => {
    const fresh = hex(value);
    deepFreeze(value);
    expect([hex(value), hex(value)]).toEqual([fresh, fresh]);
  });

  property([data, data], runs(2_000))("differs for data that differs", (one, other) => {
    expect(hex(one) === hex(other)).toBe(canonical(one) === canonical(other));
  });

  it("is taken anew of what may still change", () => {
    const value = { list: [1] };
    const before = hex(value);
    value.list.push(2);
    expect(hex(value)).not.toBe(before);
  });

  it("differs for values that are easily confused", () => {
    const values: unknown[] = [
      null,
      "null",
      true,
      "true",
      1,
      "1",
      "",
      0,
      [],
      {},
      Table.of(),
      [[]],
      [{}],
      [null],
      [1, 2],
      [2, 1],
      ["12"],
      [12],
      { a: 1 },
      { a: "1" },
      { b: 1 },
      { a: { a: 1 } },
      { a: [1] },
      { a: 1, b: 2 },
      { a: 2, b: 1 },
      Table.from([["a", 1]]),
      Table.from([
        ["a", 1],
        ["b", 2],
      ]),
      { a: null },
      "a",
      "ab",
      "ba",
      "a\0",
      "\0a",
      "b".repeat(64),
      "b".repeat(65),
    ];
    expect(new Set(values.map(hex)).size).toBe(values.length);
  });

  it("does not count members that are undefined: the log cannot carry them", () => {
    expect(hex({ a: 1, b: undefined })).toBe(hex({ a: 1 }));
  });

  it("takes both zeros for one, as the log does", () => {
    expect(hex({ zero: -0 })).toBe(hex({ zero: 0 }));
  });

  it("differs for a hundred thousand texts that differ in little", () => {
    const hashes = new Set<string>();
    for (let number = 0; number < 100_000; number++) hashes.add(hexOf(hashOfText(`account-${number}`)));
    expect(hashes.size).toBe(100_000);
  });

  it("differs in each of its words for a hundred thousand texts, but for what chance brings together", () => {
    const words = { a: new Set<number>(), b: new Set<number>(), c: new Set<number>(), d: new Set<number>() };
    for (let number = 0; number < 100_000; number++) {
      const hash = hashOfText(`account-${number}`);
      for (const word of ["a", "b", "c", "d"] as const) words[word].add(hash[word]);
    }
    // Of so many words of 32 bits about 1.2 pairs are equal by chance.
    for (const seen of Object.values(words)) expect(seen.size).toBeGreaterThan(99_990);
  });

  it("changes about half of its bits when one character changes", () => {
    let changed = 0;
    for (let number = 0; number < 1_000; number++) {
      const [one, other] = [hexOf(hashOfText(`text ${number} a`)), hexOf(hashOfText(`text ${number} b`))];
      changed += (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2).replaceAll("0", "").length;
    }
    expect(changed / 1_000).toBeGreaterThan(62);
    expect(changed / 1_000).toBeLessThan(66);
  });
});

describe("a running hash", () => {
  property([fc.array(fc.string())], runs(100))("is that of the whole text, wherever it was cut", (pieces) => {
    const running = new RunningHash();
    for (const piece of pieces) running.add(piece);
    expect(hexOf(running.value())).toBe(hexOf(hashOfText(pieces.join(""))));
  });

  it("goes on after it was asked", () => {
    const running = new RunningHash();
    running.add("one");
    running.value();
    running.add("two");
    expect(running.value()).toEqual(hashOfText("onetwo"));
  });
});

describe("a hash", () => {
  it("is written as 32 hexadecimal digits", () => {
    expect(hexOf(NO_HASH)).toBe("0".repeat(32));
    expect(hexOf({ a: 1, b: 0xabc, c: 0xffffffff, d: 0 })).toBe("0000000100000abcffffffff00000000");
  });

  it("has four unsigned words of 32 bits", () => {
    const { a, b, c, d } = hashOfText("anything");
    for (const word of [a, b, c, d]) {
      expect(Number.isInteger(word) && word >= 0 && word < 2 ** 32).toBe(true);
    }
  });

  it("of entries is a sum: their order does not count, and each that goes can be taken away", () => {
    const entries = [hashOfEntry("a", 1), hashOfEntry("b", 2), hashOfEntry("c", 3)] as const;
    const forward = entries.reduce(addHashes, NO_HASH);
    const backward = [...entries].reverse().reduce(addHashes, NO_HASH);
    expect(forward).toEqual(backward);
    expect(addHashes(NO_HASH, entries[0])).toEqual(entries[0]);
  });
});
