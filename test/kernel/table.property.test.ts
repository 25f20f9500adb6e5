import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashOf, hexOf } from "../../src/kernel/hash.ts";
import { Draw } from "../../src/kernel/randomness.ts";
import { Table } from "../../src/kernel/table.ts";
import { property } from "../support/property.ts";
import { runs } from "../support/runs.ts";

type Operation =
  | { readonly do: "set" | "update"; readonly key: string; readonly value: number }
  | { readonly do: "delete"; readonly key: string };

/** Few keys, so that operations meet; with common prefixes, and with code units beyond ASCII. */
const keys = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 60 }).map((number) => `${number}`) },
  {
    weight: 3,
    arbitrary: fc.array(fc.constantFrom("a", "b", "/", "0"), { maxLength: 4 }).map((part) => part.join("")),
  },
  { weight: 1, arbitrary: fc.constantFrom("__proto__", "constructor", "é", "\ud83d\ude00", "\ue000", "\0", "a\0") },
);

const operations = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom("set" as const, "update" as const), key: keys, value: fc.nat({ max: 3 }) }),
    fc.record({ do: fc.constant("delete" as const), key: keys }),
  ),
  { maxLength: 150 },
);

function apply(table: Table<number>, operation: Operation): Table<number> {
  const { key } = operation;
  if (operation.do === "delete") return table.delete(key);
  const { value } = operation;
  return operation.do === "set" ? table.set(key, value) : table.update(key, (before) => before + value);
}

/** The same in a Map, whose entries are sorted when they are asked for. */
function applyToMap(map: Map<string, number>, operation: Operation): void {
  const { key } = operation;
  const before = map.get(key);
  if (operation.do === "delete") map.delete(key);
  else if (operation.do === "set") map.set(key, operation.value);
  else if (before !== undefined) map.set(key, before + operation.value);
}

type Entry = readonly [string, number];

const sorted = (map: Map<string, number>): Entry[] => [...map].sort(([left], [right]) => (left < right ? -1 : 1));

function built(all: readonly Operation[]): { readonly table: Table<number>; readonly entries: readonly Entry[] } {
  const map = new Map<string, number>();
  for (const operation of all) applyToMap(map, operation);
  return { table: all.reduce(apply, Table.of<number>()), entries: sorted(map) };
}

describe("a table does what a sorted map does:", () => {
  property([operations], runs(300))("its entries, their number, and the first of them", (all) => {
    const { table, entries } = built(all);
    expect([...table]).toEqual(entries);
    expect([...table.keys()]).toEqual(entries.map(([key]) => key));
    expect([...table.values()]).toEqual(entries.map(([, value]) => value));
    expect(table.size).toBe(entries.length);
    expect(table.first()).toEqual(entries[0]);
  });

  property([operations, keys], runs(300))("looking up any key", (all, key) => {
    const { table, entries } = built(all);
    const found = entries.find(([own]) => own === key);
    expect(table.get(key)).toBe(found?.[1]);
    expect(table.has(key)).toBe(found !== undefined);
  });

  property([operations, keys], runs(300))("the rank of any key, and the first entry from it on", (all, key) => {
    const { table, entries } = built(all);
    expect(table.rank(key)).toBe(entries.filter(([own]) => own < key).length);
    expect(table.firstFrom(key)).toEqual(entries.find(([own]) => own >= key));
  });

  property([operations], runs(300))("the entry at any index, and at none beyond the ends", (all) => {
    const { table, entries } = built(all);
    expect(entries.map((_, index) => table.at(index))).toEqual(entries);
    expect([table.at(-1), table.at(entries.length), table.at(Number.NaN)]).toEqual([undefined, undefined, undefined]);
  });

  property([operations, fc.option(keys, { nil: undefined }), fc.option(keys, { nil: undefined })], runs(300))(
    "the entries from any key on, with any prefix",
    (all, from, prefix) => {
      const { table, entries } = built(all);
      const range = { ...(from === undefined ? {} : { from }), ...(prefix === undefined ? {} : { prefix }) };
      expect([...table.entries(range)]).toEqual(
        entries.filter(([key]) => key.startsWith(prefix ?? "") && key >= (from ?? "")),
      );
    },
  );

  property([operations, operations], runs(200))("and what was before stays as it was", (before, after) => {
    const { table, entries } = built(before);
    after.reduce(apply, table);
    expect([...table]).toEqual(entries);
  });

  property([operations, fc.nat()], runs(200))(
    "equal contents have equal hashes, however they came about",
    (all, seed) => {
      const { table, entries } = built(all);
      const again = Table.from(new Draw(`${seed}`).shuffle(entries));
      expect(hexOf(hashOf(again))).toBe(hexOf(hashOf(table)));
    },
  );

  property([operations, operations], runs(200))("other contents have other hashes", (some, others) => {
    const [one, other] = [built(some), built(others)];
    const equal = JSON.stringify(one.entries) === JSON.stringify(other.entries);
    expect(hexOf(hashOf(one.table)) === hexOf(hashOf(other.table))).toBe(equal);
  });
});

describe("the changes between two tables", () => {
  const changesOf = (before: readonly Entry[], after: readonly Entry[]): unknown[] => {
    const [was, is] = [new Map(before), new Map(after)];
    return [...new Set([...was.keys(), ...is.keys()])]
      .sort((left, right) => (left < right ? -1 : 1))
      .filter((key) => was.get(key) !== is.get(key))
      .map((key) => [key, was.get(key), is.get(key)]);
  };

  property([operations, operations], runs(300))("are told by key, for versions of one table", (some, more) => {
    const [before, after] = [built(some), built([...some, ...more])];
    const version = more.reduce(apply, before.table);
    expect([...Table.changes(before.table, version)]).toEqual(changesOf(before.entries, after.entries));
    expect([...Table.changes(version, before.table)]).toEqual(changesOf(after.entries, before.entries));
  });

  property([operations, operations], runs(300))("are told by key, for tables that share nothing", (some, others) => {
    const [before, after] = [built(some), built(others)];
    expect([...Table.changes(before.table, after.table)]).toEqual(changesOf(before.entries, after.entries));
  });

  property([fc.nat({ max: 5_000 }), fc.array(keys, { maxLength: 5 })], runs(40))(
    "are told for tables of very different sizes",
    (size, changed) => {
      const entries = Array.from({ length: size }, (_, index): Entry => [`${index}`, index]);
      const large = Table.from(entries);
      const small = Table.from(changed.map((key): Entry => [key, -1]));
      const sortedLarge = [...large];
      expect([...Table.changes(large, small)]).toEqual(changesOf(sortedLarge, [...small]));
      const version = changed.reduce((table, key) => table.set(key, -1), large);
      expect([...Table.changes(large, version)]).toEqual(changesOf(sortedLarge, [...version]));
    },
  );
});

describe("after thousands of operations a table is sound:", () => {
  const LIVES: readonly [life: string, keyOf: (draw: Draw, round: number) => string, shareOfDeletions: number][] = [
    ["keys at random, growing", (draw) => `${draw.below(4_000)}`, 25],
    ["keys at random, shrinking", (draw) => `${draw.below(4_000)}`, 75],
    ["keys that grow, as deadlines do", (draw, round) => `${round - draw.below(300)}`.padStart(8, "0"), 50],
    ["keys in few clusters, as leases by token", (draw) => `${draw.below(5)}/${draw.base62(2)}`, 45],
  ];

  test.each(LIVES)("%s", (life, keyOf, shareOfDeletions) => {
    const draw = new Draw(life);
    const map = new Map<string, number>();
    let table = Table.of<number>();
    for (let round = 0; round < 20_000; round++) {
      const key = keyOf(draw, round);
      const operation: Operation =
        draw.below(100) < shareOfDeletions ? { do: "delete", key } : { do: "set", key, value: round };
      table = apply(table, operation);
      applyToMap(map, operation);
      if (round % 2_500 === 2_499) expectSound(table, sorted(map));
    }
  });

  /**
   * Every way into the tree leads to the same entries: walking it uses its leaves, `get` its dividing keys, `at` the sizes of
   * its nodes, `rank` both, and the hash what its nodes remember.
   */
  function expectSound(table: Table<number>, entries: readonly Entry[]): void {
    expect(table.size).toBe(entries.length);
    expect([...table]).toEqual(entries);
    const astray = entries.filter(
      ([key, value], index) =>
        table.get(key) !== value ||
        table.rank(key) !== index ||
        table.rank(`${key}\0`) !== index + 1 ||
        table.at(index)?.[0] !== key ||
        table.firstFrom(key)?.[0] !== key ||
        table.firstFrom(`${key}\0`)?.[0] !== entries[index + 1]?.[0],
    );
    expect(astray).toEqual([]);
    expect(hexOf(hashOf(table))).toBe(hexOf(hashOf(Table.from(entries))));
  }
});
