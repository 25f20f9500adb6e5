import { describe, expect, it } from "vitest";
import { diff } from "../../src/index.ts";
import { type Difference, differences } from "../../src/kernel/diff.ts";
import { parsePath, pathText, valueAt } from "../../src/kernel/state-path.ts";
import { Table } from "../../src/kernel/table.ts";
import { borrow, DN, eventfulLibrary, giveBack, OPENED, openLibrary } from "./support/library.ts";

const LIBRARY = 'secrets.main.replicated.mounts["ldap/"].library';
const byPath = (found: readonly Difference[]): Record<string, readonly [unknown, unknown]> =>
  Object.fromEntries(found.map(({ path, before, after }) => [path, [before, after]]));

/** What differs, as `path: before -> after`. */
const texts = (before: unknown, after: unknown): string[] =>
  differences(before, after).map(
    ({ path, before: from, after: to }) => `${path}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`,
  );

describe("the difference of two values", () => {
  it.each<[string, unknown, unknown, string[]]>([
    ["a member", { a: 1, b: 2 }, { a: 1, b: 3 }, ["b: 2 -> 3"]],
    ["a member deep down", { a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }, ["a.b.c: 1 -> 2"]],
    ["a member that came", {}, { a: { b: 1 } }, ['a: undefined -> {"b":1}']],
    ["a member that went", { a: { b: 1 } }, {}, ['a: {"b":1} -> undefined']],
    ["null and nothing", { a: null }, {}, ["a: null -> undefined"]],
    ["undefined and nothing", { a: undefined }, {}, []],
    ["equal objects that are not the same", { a: [{ b: 1 }] }, { a: [{ b: 1 }] }, []],
    ["members in another order", { a: 1, b: 2 }, { b: 2, a: 1 }, []],
    ["an item of a list", { a: [1, 2, 3] }, { a: [1, 5, 3] }, ["a[1]: 2 -> 5"]],
    ["a list that grew", { a: [1] }, { a: [1, [2], 3] }, ["a[1]: undefined -> [2]", "a[2]: undefined -> 3"]],
    ["a list that shrank", { a: [1, 2] }, { a: [] }, ["a[0]: 1 -> undefined", "a[1]: 2 -> undefined"]],
    ["a list of objects", { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, ["a[0].b: 1 -> 2"]],
    ["a list that became an object", { a: [1] }, { a: { 0: 1 } }, ['a: [1] -> {"0":1}']],
    ["a value that became an object", { a: 1 }, { a: { b: 1 } }, ['a: 1 -> {"b":1}']],
    ["the whole", 1, 2, [": 1 -> 2"]],
    ["names that are no words", { "a b": 1, "": 1 }, { "a b": 2, "": 2 }, ['["a b"]: 1 -> 2', '[""]: 1 -> 2']],
    ["names with signs", { 'a"\\\n': 1 }, { 'a"\\\n': 2 }, ['["a\\"\\\\\\n"]: 1 -> 2']],
    ["names of digits", { 7: 1, a: { "7a": 1 } }, { 7: 2, a: { "7a": 2 } }, ['["7"]: 1 -> 2', 'a["7a"]: 1 -> 2']],
    ["names with a hyphen", { "eu-west": { a: 1 } }, { "eu-west": { a: 2 } }, ['["eu-west"].a: 1 -> 2']],
    ["names of every object", { constructor: 1 }, {}, ["constructor: 1 -> undefined"]],
    ["a prototype that is a name", JSON.parse('{"__proto__":1}'), {}, ["__proto__: 1 -> undefined"]],
  ])("%s", (_, before, after, expected) => {
    expect(texts(before, after)).toEqual(expected);
  });

  it("writes the keys of tables in brackets, in their order", () => {
    const before = Table.from([
      ["gone/", { a: 1 }],
      ["kept", { a: 1 }],
      ["word", { a: 1 }],
    ]);
    const after = before.delete("gone/").set("word", { a: 2 }).set("new key", { a: 3 });
    expect(texts({ table: before }, { table: after })).toEqual([
      'table["gone/"]: {"a":1} -> undefined',
      'table["new key"]: undefined -> {"a":3}',
      'table["word"].a: 1 -> 2',
    ]);
  });

  it("is none for tables with equal entries, however they came about", () => {
    const keys = Array.from({ length: 100 }, (_, index) => `key-${index}`);
    const one = Table.from(keys.map((key) => [key, { key }] as const));
    const other = Table.from([...keys].reverse().map((key) => [key, { key }] as const)).set("more", { key: "" });
    expect(differences(one, other.delete("more"))).toEqual([]);
  });

  it("looks at nothing that both sides share", () => {
    const refuse = () => expect.fail("what both sides share was looked at");
    const secret = new Proxy({}, { ownKeys: refuse, getOwnPropertyDescriptor: refuse });
    const table = Table.from(
      Array.from({ length: 1_000 }, (_, index) => [`${index}`.padStart(4, "0"), { index }] as const),
    );
    const [before, after] = [
      { shared: secret, list: [secret], table },
      { shared: secret, list: [secret], table: table.set("0500", { index: -1 }) },
    ];
    expect(texts(before, after)).toEqual(['table["0500"].index: 500 -> -1']);
  });
});

describe("paths", () => {
  it.each([
    ["secrets.east.replicated", ["secrets", "east", "replicated"]],
    [
      'secrets.east.replicated.mounts["ldap/"].library.accounts["svc-a"].status',
      ["secrets", "east", "replicated", "mounts", "ldap/", "library", "accounts", "svc-a", "status"],
    ],
    ["secrets.eu-west.local", ["secrets", "eu-west", "local"]],
    ['secrets["eu-west"].local', ["secrets", "eu-west", "local"]],
    ["directory.failures[0].count", ["directory", "failures", "0", "count"]],
    ['a["with \\"quotes\\", \\\\ and \\u0000"]', ["a", 'with "quotes", \\ and \0']],
    ['["odd first"].b', ["odd first", "b"]],
    ['a["]"]["["][""]', ["a", "]", "[", ""]],
    ["$a._b", ["$a", "_b"]],
    ["", []],
  ])("%s is read as its names", (path, names) => {
    expect(parsePath(path)).toEqual(names);
  });

  it.each([
    [".secrets", 1],
    ["secrets.", 8],
    ["secrets..main", 8],
    ["secrets main", 8],
    ["secrets.main ", 13],
    ["secrets[", 8],
    ["secrets[main]", 8],
    ["secrets[0", 8],
    ["secrets[-1]", 8],
    ["secrets['main']", 8],
    ['secrets["main"', 8],
    ['secrets["main]', 8],
    ['secrets["\\x"]', 8],
    ['secrets["a\nb"]', 8],
    ["secrets.7a", 8],
    ['secrets."main"', 8],
    ["ä", 1],
    ["7", 1],
  ])("%j is none from column %i on", (path, column) => {
    const message = `${JSON.stringify(path)} is no path: expected .name, ["key"] or [index] at column ${column}`;
    expect(() => parsePath(path)).toThrow(new TypeError(message));
    expect(() => openLibrary().blame(path)).toThrow(new TypeError(message));
  });

  it.each([[undefined], [null], [7], [{}], [["secrets"]]])("%j is none at all", (path) => {
    expect(() => openLibrary().blame(path as unknown as string)).toThrow(TypeError);
  });

  it("end early where there is nothing below", () => {
    const state = { a: { b: [{ c: 1 }] }, table: Table.from([["k", { v: 1 }]]), text: "abc" };
    const at = (path: string): unknown => valueAt(state, parsePath(path)).value;
    expect(["a.b[0].c", 'table["k"].v', "text"].map(at)).toEqual([1, 1, "abc"]);
    const none = ["a.b[1].c", "a.x.y.z", 'table["x"].v', "table.size", "text[0]", "toString", "a.constructor"];
    expect(none.map(at)).toEqual(none.map(() => undefined));
  });

  it("of an empty list of steps are empty", () => {
    expect(pathText([])).toBe("");
  });
});

describe("the difference of two places in a history", () => {
  it("of a loan is what the loan changed, by paths as a person writes them", () => {
    const sim = openLibrary();
    const { lease } = borrow(sim, "ann");
    const changes = byPath(sim.diff(OPENED, OPENED + 1));
    expect(changes[`${LIBRARY}.accounts["svc-a"].status`]).toEqual(["available", "checked_out"]);
    expect(changes[`${LIBRARY}.accounts["svc-a"].borrower`]).toEqual([
      undefined,
      expect.objectContaining({ entityId: "ann" }),
    ]);
    expect(changes[`${LIBRARY}.shelves["ops"].available["000000"]`]).toEqual([3, 2]);
    expect(changes[`secrets.main.local.leases[${JSON.stringify(lease)}]`]).toEqual([
      undefined,
      expect.objectContaining({ status: "live" }),
    ]);
    expect(Object.keys(changes).filter((path) => !/^secrets\.main\.(local|replicated)\./.test(path))).toEqual([
      "secrets.main.ignored.walIndex",
    ]);
    expect(Object.keys(changes).some((path) => path.includes("svc-b"))).toBe(false);
  });

  it("takes positions, instants and marks", () => {
    const sim = eventfulLibrary();
    const expected = sim.diff(OPENED, 7);
    expect(expected).not.toEqual([]);
    expect(sim.diff("before the loans", 7)).toEqual(expected);
    expect(sim.diff(OPENED, "2026-01-01T00:04:59Z")).toEqual(expected);
    expect(sim.diff(OPENED, new Date(Date.UTC(2026, 0, 1, 0, 4, 59)))).toEqual(expected);
    expect(() => sim.diff(0, sim.position + 1)).toThrow(expect.objectContaining({ code: "unknown_place" }));
    expect(() => sim.diff("never", 0)).toThrow(expect.objectContaining({ code: "unknown_place" }));
  });

  it("the other way round has the sides turned", () => {
    const sim = eventfulLibrary();
    const turned = byPath(sim.diff(sim.position, 3));
    for (const [path, [before, after]] of Object.entries(byPath(sim.diff(3, sim.position)))) {
      expect(turned[path]).toEqual([after, before]);
    }
    expect(Object.keys(turned)).toHaveLength(sim.diff(3, sim.position).length);
  });

  it("of a place and itself, and of two that look alike, is none", () => {
    const sim = openLibrary();
    expect(sim.diff(OPENED, OPENED)).toEqual([]);
    sim.directory.setAvailable(false);
    sim.directory.setAvailable(true);
    expect(sim.diff(OPENED, OPENED + 2)).toEqual([]);
  });

  it("finds objects of a child namespace below it", () => {
    const sim = openLibrary();
    const main = sim.secrets.cluster("main");
    main.createNamespace("team");
    const before = sim.position;
    main.writePolicy("reader", 'path "*" { capabilities = ["read"] }', { namespace: "team" });
    expect(sim.diff(before, sim.position).map(({ path }) => path)).toEqual([
      'secrets.main.replicated.namespaces["team/"].policies["reader"]',
      "secrets.main.ignored.walIndex",
    ]);
  });

  it("names clusters with a hyphen in brackets, and blame takes them either way", () => {
    const sim = openLibrary({ secrets: { clusters: ["eu-west"] } });
    const [{ path = "" } = {}] = sim.diff(5, 6);
    expect(path).toMatch(/^secrets\["eu-west"\]\.replicated\./);
    expect(sim.blame(path)?.position).toBe(6);
    expect(sim.blame(path.replace('["eu-west"]', ".eu-west"))?.position).toBe(6);
  });

  it("shows what an entry of the directory went through", () => {
    const sim = openLibrary();
    borrow(sim, "ann");
    const before = sim.directory.entry(DN("svc-a"))?.attributes["userPassword"]?.[0];
    giveBack(sim, "ann");
    const after = sim.directory.entry(DN("svc-a"))?.attributes["userPassword"]?.[0];
    expect(
      byPath(sim.diff(7, 8))['directory.entries["cn=svc-a,dc=example"].attributes.userpassword.values[0]'],
    ).toEqual([before, after]);
  });
});

describe("the difference of a fork and its parent", () => {
  it("is what each has done since they parted", () => {
    const parent = openLibrary();
    const fork = parent.fork();
    expect(diff(parent, fork)).toEqual([]);
    borrow(parent, "ann");
    borrow(fork, "bob");
    const changes = byPath(diff(parent, fork));
    expect(changes[`${LIBRARY}.accounts["svc-a"].borrower.entityId`]).toEqual(["ann", "bob"]);
    expect(changes[`${LIBRARY}.accounts["svc-a"].status`]).toBeUndefined();
  });

  it("takes views as well, of one simulator or of two", () => {
    const sim = eventfulLibrary();
    const fork = sim.fork(9);
    expect(diff(sim.at(3), sim.at(9))).toEqual(sim.diff(3, 9));
    expect(diff(fork, sim.at(9))).toEqual([]);
    expect(diff(sim.at(3), fork)).toEqual(sim.diff(3, 9));
  });

  it("of two simulators that have nothing in common is what differs all the same", () => {
    const [one, other] = [openLibrary({ seed: 1 }), openLibrary({ seed: 2 })];
    expect(byPath(diff(one, other))["secrets.main.ignored.rootToken"]).toEqual([
      one.secrets.cluster("main").rootToken,
      other.secrets.cluster("main").rootToken,
    ]);
    expect(diff(openLibrary(), openLibrary())).toEqual([]);
  });
});
