import { Immer } from "immer";
import { describe, expect, it } from "vitest";
import { hashOf, hexOf } from "../../src/kernel/hash.ts";
import { Draw } from "../../src/kernel/randomness.ts";
import { Table } from "../../src/kernel/table.ts";

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index}`.padStart(6, "0"));

const tableOf = (keys: readonly string[]): Table<string> => Table.from(keys.map((key) => [key, `of ${key}`] as const));

const shuffled = (keys: readonly string[], seed: string): string[] => new Draw(seed).shuffle(keys);

const hash = (value: unknown): string => hexOf(hashOf(value));

describe("an empty table", () => {
  it("has nothing", () => {
    const table = Table.of<number>();
    expect(table.size).toBe(0);
    expect(table.get("a")).toBeUndefined();
    expect(table.has("a")).toBe(false);
    expect(table.first()).toBeUndefined();
    expect(table.firstFrom("")).toBeUndefined();
    expect(table.at(0)).toBeUndefined();
    expect(table.rank("a")).toBe(0);
    expect([...table]).toEqual([]);
    expect(JSON.stringify(table)).toBe("{}");
  });

  it("is one and the same, also when the last entry has gone", () => {
    const table = Table.of<number>();
    expect(Table.of<string>()).toBe(table);
    expect(Table.from([])).toBe(table);
    expect(table.set("a", 1).delete("a")).toBe(table);
  });
});

describe("a table", () => {
  it("keeps the last value that a key was set to", () => {
    const table = Table.of<number>().set("ann", 41).set("bob", 38).set("ann", 42);
    expect(table.get("ann")).toBe(42);
    expect(table.size).toBe(2);
    expect(
      Table.from<number>([
        ["x", 1],
        ["x", 2],
      ]).get("x"),
    ).toBe(2);
  });

  it("lists its entries by key, whatever the order in which they came", () => {
    const table = Table.from([
      ["b", 1],
      ["", 0],
      ["a", 2],
      ["aa", 3],
      ["B", 4],
      ["10", 5],
      ["9", 6],
    ] as const);
    expect([...table.keys()]).toEqual(["", "10", "9", "B", "a", "aa", "b"]);
    expect([...table.values()]).toEqual([0, 5, 6, 4, 2, 3, 1]);
    expect([...table]).toEqual([...table.entries()]);
  });

  it("orders keys by UTF-16 code unit", () => {
    const keys = ["\uffff", "\ud83d\ude00", "\ue000", "é", "z", "\0", "a\0", "a"];
    expect([...tableOf(keys).keys()]).toEqual([...keys].sort());
  });

  it("holds falsy values: only undefined is none", () => {
    const table = Table.from<unknown>([
      ["zero", 0],
      ["no", false],
      ["empty", ""],
      ["null", null],
    ]);
    for (const key of ["zero", "no", "empty", "null"]) expect(table.has(key)).toBe(true);
    expect(table.size).toBe(4);
    expect(() => table.set("gone", undefined)).toThrow(
      new TypeError("a table holds no undefined, but gone was set to it"),
    );
  });

  it.each(["__proto__", "constructor", "hasOwnProperty", "toString", ""])("takes the key %j like any other", (key) => {
    expect(Table.of<number>().get(key)).toBeUndefined();
    const table = Table.of<number>().set(key, 7);
    expect(table.get(key)).toBe(7);
    expect(table.delete(key).has(key)).toBe(false);
    expect(JSON.stringify(table)).toBe(`{${JSON.stringify(key)}:7}`);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it("is the same table when nothing changes", () => {
    const value = Object.freeze({ a: 1 });
    const table = tableOf(numbered(100)) as Table<unknown>;
    const withValue = table.set("x", value);
    expect(withValue.set("x", value)).toBe(withValue);
    expect(withValue.delete("nobody")).toBe(withValue);
    expect(withValue.update("x", (before) => before)).toBe(withValue);
  });

  it("updates an entry that is there, and asks nobody about one that is not", () => {
    const table = tableOf(numbered(100));
    const updated = table.update("000042", (before) => `${before}, and more`);
    expect(updated.get("000042")).toBe("of 000042, and more");
    expect([...Table.changes(table, updated)]).toEqual([["000042", "of 000042", "of 000042, and more"]]);
    expect(
      table.update("nobody", () => {
        throw new Error("asked");
      }),
    ).toBe(table);
    expect(() => table.update("000042", () => undefined as never)).toThrow(
      "a table holds no undefined, but 000042 was set to it",
    );
  });

  it("cannot be changed from outside", () => {
    const table = tableOf(["a"]);
    expect(Object.isFrozen(table)).toBe(true);
    const entry = table.first() as [string, string];
    entry[1] = "changed";
    expect(table.get("a")).toBe("of a");
  });
});

describe("an old version of a table", () => {
  it("stays as it was when the table goes on", () => {
    const versions: { readonly table: Table<string>; readonly entries: readonly (readonly [string, string])[] }[] = [];
    let table = Table.of<string>();
    for (const key of shuffled(numbered(300), "insertions")) {
      versions.push({ table, entries: [...table] });
      table = table.set(key, key);
    }
    for (const key of shuffled(numbered(300), "deletions")) {
      versions.push({ table, entries: [...table] });
      table = table.delete(key);
    }
    for (const { table: version, entries } of versions) expect([...version]).toEqual(entries);
  });

  it("has the hash that it had", () => {
    const before = tableOf(numbered(100));
    const known = hash(before);
    hash(before.set("000050", "other").delete("000001"));
    expect(hash(before)).toBe(known);
    expect(hash(before.set("000050", "other").set("000050", "of 000050"))).toBe(known);
  });
});

describe("the values of a table", () => {
  it("are frozen all the way down", () => {
    const value = { list: [{ deep: [1] }] };
    Table.of<unknown>().set("a", value);
    for (const part of [value, value.list, value.list[0], value.list[0]?.deep])
      expect(Object.isFrozen(part)).toBe(true);
    const updated = Table.of<object>()
      .set("a", { n: 1 })
      .update("a", () => ({ n: { deep: 1 } }));
    expect(Object.isFrozen((updated.get("a") as { readonly n: object }).n)).toBe(true);
  });

  it("are no drafts, nor hold any", () => {
    const immer = new Immer();
    const refused = "a draft cannot be kept: take its current value first";
    immer.produce({ part: { n: 1 } }, (draft) => {
      expect(() => Table.of<unknown>().set("a", draft.part)).toThrow(refused);
      expect(() => Table.of<unknown>().set("a", { inner: [draft.part] })).toThrow(refused);
    });
    expect.assertions(2);
  });

  it("are the very ones that were set", () => {
    const value = { n: 1 };
    expect(Table.of<object>().set("a", value).get("a")).toBe(value);
  });
});

describe("entries", () => {
  const table = tableOf(["a", "b", "ba", "bab", "bb", "c"]);

  it.each<[range: { from?: string; prefix?: string }, keys: string[]]>([
    [{}, ["a", "b", "ba", "bab", "bb", "c"]],
    [{ from: "" }, ["a", "b", "ba", "bab", "bb", "c"]],
    [{ from: "ba" }, ["ba", "bab", "bb", "c"]],
    [{ from: "b\0" }, ["ba", "bab", "bb", "c"]],
    [{ from: "d" }, []],
    [{ prefix: "b" }, ["b", "ba", "bab", "bb"]],
    [{ prefix: "ba" }, ["ba", "bab"]],
    [{ prefix: "bc" }, []],
    [{ prefix: "z" }, []],
    [{ prefix: "b", from: "ba\0" }, ["bab", "bb"]],
    [{ prefix: "b", from: "a" }, ["b", "ba", "bab", "bb"]],
    [{ prefix: "b", from: "c" }, []],
  ])("of %j are %j", (range, keys) => {
    expect([...table.keys(range)]).toEqual(keys);
    expect([...table.entries(range)]).toEqual(keys.map((key) => [key, `of ${key}`]));
    expect([...table.values(range)]).toEqual(keys.map((key) => `of ${key}`));
  });

  it("are those of the table that was asked, whatever is made of it meanwhile", () => {
    let later = tableOf(numbered(50));
    const seen: string[] = [];
    for (const [key] of later) {
      seen.push(key);
      later = later.delete(key);
    }
    expect(seen).toEqual(numbered(50));
    expect(later.size).toBe(0);
  });
});

describe("the hash of a table's contents", () => {
  it("is that of equal contents, whatever the order of insertion and whatever went before", () => {
    const keys = numbered(500);
    const ascending = tableOf(keys);
    const shuffledIn = tableOf(shuffled(keys, "in"));
    let afterDetours = tableOf(shuffled(numbered(900), "detour"));
    for (const key of shuffled(numbered(900).slice(500), "out")) afterDetours = afterDetours.delete(key);
    expect(hash(shuffledIn)).toBe(hash(ascending));
    expect(hash(afterDetours)).toBe(hash(ascending));
  });

  it("differs when a key, a value or the number of entries differs", () => {
    const hashes = [
      tableOf([]),
      tableOf(["a"]),
      tableOf(["b"]),
      tableOf(["a", "b"]),
      Table.of<string>().set("a", "of b"),
      Table.of<string>().set("a", "of a").set("b", "of a"),
      Table.from([
        ["a", "of b"],
        ["b", "of a"],
      ]),
    ].map(hash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it("is not that of an object with the same members", () => {
    expect(hash(Table.of<number>().set("a", 1))).not.toBe(hash({ a: 1 }));
  });
});

describe("a large table", () => {
  it.each<[order: string, keys: string[]]>([
    ["ascending", numbered(5_000)],
    ["descending", numbered(5_000).reverse()],
    ["shuffled", shuffled(numbered(5_000), "large")],
  ])("filled in %s order finds each entry by key, by index and by rank", (_, keys) => {
    const table = tableOf(keys);
    expect(table.size).toBe(5_000);
    expect([...table.keys()]).toEqual(numbered(5_000));
    numbered(5_000).forEach((key, index) => {
      if (table.get(key) !== `of ${key}` || table.rank(key) !== index || table.at(index)?.[0] !== key) {
        throw new Error(`${key} is not found at ${index}`);
      }
    });
  });

  it.each<[order: string, keys: string[]]>([
    ["ascending", numbered(3_000)],
    ["descending", numbered(3_000).reverse()],
    ["shuffled", shuffled(numbered(3_000), "emptied")],
  ])("emptied in %s order loses one entry at a time", (_, keys) => {
    let table = tableOf(numbered(3_000));
    for (const [gone, key] of keys.entries()) {
      table = table.delete(key);
      if (table.size !== 2_999 - gone || table.has(key)) throw new Error(`${key} is still there`);
    }
    expect(table).toBe(Table.of());
  });
});
