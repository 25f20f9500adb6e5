import { describe, expect, test } from "vitest";
import { groups, sharesOf } from "./profile/groups.ts";
import { hotPaths } from "./profile/paths.ts";
import { profileTable } from "./profile/table.ts";

/** Places as a profile has them, and what their time goes to. */
const places: readonly (readonly [place: string, group: string])[] = [
  ["(garbage collector)", "garbage collection"],
  ["stringify", "JSON"],
  ["parse", "JSON"],
  ["freezeObject  src/kernel/plain.js:67", "freezing, copying"],
  ["hashOf  src/kernel/hash.js:12", "hashing"],
  ["update  @noble/hashes/_md.js:40", "hashing"],
  ["makeRequest  node:internal/deps/undici/undici:12", "Request, Response, URL"],
  ["inserted  src/kernel/tree.js:52", "tables (our tree)"],
  ["get  src/kernel/table.js:48", "tables (our tree)"],
  ["execute  src/kernel/timeline.js:58", "deciding, folding, log"],
  ["nextInt  src/kernel/randomness.js:5", "randomness, ids"],
  ["customRandom  nanoid/index.browser.js:9", "randomness, ids"],
  ["simulatedFetch  src/http/fetch.js:20", "doors: HTTP, typed calls"],
  ["pipe  valibot/dist/index.mjs:680", "doors: HTTP, typed calls"],
  ["answer  src/services/secrets/serve.js:18", "rules of the services"],
  ["DirectoryPasswordChanged  src/surroundings/directory/state.js:42", "rules of the services"],
  ["produce  immer/dist/immer.mjs:1", "immer"],
  ["next  xstate/dist/StateMachine.js:1", "charts (xstate)"],
  ["step  src/kernel/machine.js:30", "charts (xstate)"],
  ["turns  test/bench/families/lending-world.js:80", "the bench itself"],
  ["(program)", "the engine, all else"],
];

describe("a profile", () => {
  test.each(places)("%s is time of: %s", (place, group) => {
    const shares = sharesOf(new Map([[place, 10]]));
    expect([...shares].filter(([, share]) => share > 0)).toEqual([[group, 1]]);
  });

  test("has something in every group, and shares that are the whole together", () => {
    const shares = sharesOf(new Map(places.map(([place], index) => [place, 1 + index])));
    expect([...shares.keys()]).toEqual(groups.map(({ name }) => name));
    expect([...shares.values()].every((share) => share > 0)).toBe(true);
    expect([...shares.values()].reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
    expect([...sharesOf(new Map()).values()].every((share) => share === 0)).toBe(true);
  });

  test("is a table: a line for each group, a column for each path, and the hottest places below", () => {
    const selfUs = [
      ["(garbage collector)", 250],
      ["inserted  src/kernel/tree.js:52", 750],
    ] as const;
    const paths = [
      { name: "commands", what: "check-outs", perSecond: 41_234, selfUs },
      { name: "seeks", what: "looks back", perSecond: 900, selfUs: [selfUs[1]] },
    ];
    const lines = profileTable(paths, 1).split("\n");
    expect(lines[0]).toMatch(/^% of the time +commands +seeks$/);
    expect(lines[1]).toMatch(/^garbage collection +physics +25\.0 +-$/);
    expect(lines.find((line) => line.startsWith("tables"))).toMatch(/ours +75\.0 +100\.0$/);
    expect(lines.find((line) => line.startsWith("a second"))).toMatch(/41,200 +900$/);
    expect(lines.slice(groups.length + 2)).toEqual([
      "",
      "commands: check-outs; a flame chart is in dist-bench/profile-commands.cpuprofile",
      " 75.0%  inserted  src/kernel/tree.js:52",
      "",
      "seeks: looks back; a flame chart is in dist-bench/profile-seeks.cpuprofile",
      "100.0%  inserted  src/kernel/tree.js:52",
      "",
    ]);
  });

  test("is made of paths with names of their own", () => {
    expect(new Set(hotPaths.map(({ name }) => name)).size).toBe(hotPaths.length);
  });
});
