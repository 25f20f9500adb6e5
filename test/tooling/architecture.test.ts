import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { breaches, importsOf } from "./architecture.ts";

const project = fileURLToPath(new URL("../../", import.meta.url));
const { dependencies, peerDependencies = {} } = manifest as {
  dependencies: Record<string, string>;
  peerDependencies?: Record<string, string>;
};
const installed: ReadonlySet<string> = new Set([...Object.keys(dependencies), ...Object.keys(peerDependencies)]);

describe("the house", () => {
  test("imports run downward only", () => {
    const files = sources();
    expect(files.size).toBeGreaterThan(0);
    expect(breaches(files, installed)).toEqual([]);
  });

  test("no file imports itself, by whatever way", () => {
    const files = sources();
    const done = new Set<string>();
    const circles: string[] = [];
    const follow = (file: string, way: readonly string[]): void => {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(" -> "));
      if (done.has(file)) return;
      done.add(file);
      const ours = importsOf(file, files.get(file) ?? "").map((target) => posix.join(posix.dirname(file), target));
      for (const target of ours) if (files.has(target)) follow(target, [...way, file]);
    };
    for (const file of files.keys()) if (file.endsWith(".ts")) follow(file, []);
    expect(circles).toEqual([]);
  });
});

describe("the families of a service", () => {
  const files = sources();
  const imports = (file: string): string[] =>
    importsOf(file, files.get(file) ?? "").map((target) => posix.join(posix.dirname(file), target));
  const isState = (file: string): boolean => /^src\/services\/[^/]+\/(state|storage)\.ts$/.test(file);
  const familyOf = (file: string): string | undefined => /^src\/services\/[^/]+\/[^/]+(?=\/)/.exec(file)?.[0];

  test("know slices of the state, and not the whole", () => {
    const knowing = [...files.keys()].filter(
      (file) => file.endsWith(".ts") && familyOf(file) !== undefined && imports(file).some(isState),
    );
    expect(knowing.sort()).toEqual([
      // A region comes into being as a whole, and follows another one in all its tables.
      "src/services/scheduler/regions/folds.ts",
      "src/services/scheduler/replication/settle.ts",
      // What clusters ship, compare and show of each other lies in all their parts.
      "src/services/secrets/replication/addresses.ts",
      "src/services/secrets/replication/connections.ts",
      "src/services/secrets/replication/filters/decide.ts",
      "src/services/secrets/replication/filters/filtered-view.ts",
      "src/services/secrets/replication/loss/comparison.ts",
      "src/services/secrets/replication/loss/objects.ts",
      "src/services/secrets/replication/loss/report.ts",
      "src/services/secrets/replication/merkle/report.ts",
      "src/services/secrets/replication/merkle/root.ts",
      "src/services/secrets/replication/settle/entry.ts",
      "src/services/secrets/replication/settle/pass.ts",
      "src/services/secrets/replication/settle/ship.ts",
      "src/services/secrets/replication/settle/vanished.ts",
      "src/services/secrets/replication/views.ts",
      // A snapshot is all that is stored.
      "src/services/secrets/snapshots/image.ts",
      "src/services/secrets/snapshots/settle.ts",
    ]);
  });

  test("build their slices in no circle", () => {
    const known = new Map<string, ReadonlySet<string>>();
    const open = new Set<string>();
    /** The families whose slices a family's are built of; it throws where one is built of itself. */
    const builtOf = (family: string): ReadonlySet<string> => {
      const before = known.get(family);
      if (before !== undefined) return before;
      if (open.has(family)) throw new Error(`a circle: ${[...open, family].join(" -> ")}`);
      open.add(family);
      const states = [...files.keys()].filter((file) => familyOf(file) === family && file.endsWith("/state.ts"));
      const direct = states.flatMap(imports).flatMap((file) => familyOf(file) ?? []);
      const all = new Set(direct.filter((other) => other !== family).flatMap((other) => [other, ...builtOf(other)]));
      open.delete(family);
      known.set(family, all);
      return all;
    };
    const families = new Set([...files.keys()].flatMap((file) => familyOf(file) ?? []));
    expect([...families].map(builtOf).some(({ size }) => size > 0)).toBe(true);
  });
});

describe("the check itself", () => {
  test.each([
    // one row per layer and per thing it may see
    ["src/kernel/log.ts", "../languages/durations.ts"],
    ["src/kernel/log.ts", "./table.ts"],
    ["src/kernel/log.ts", "date-fns/addHours"],
    ["src/surroundings/directory/server.ts", "../../kernel/log.ts"],
    ["src/services/runs/state.ts", "../../../machines/run.machine.ts"],
    ["src/services/runs/state.ts", "../paging.ts"],
    ["src/services/runs/policy-checks/decide.ts", "../state.ts"],
    ["src/services/runs/state.ts", "../kit/door.ts"],
    ["src/http/handler.ts", "../services/kit/door.ts"],
    ["src/programs/timer.ts", "../kernel/log.ts"],
    ["src/simulator.ts", "./http/handler.ts"],
    ["src/simulator.ts", "./programs/timer.ts"],
    ["src/scenario/runner.ts", "../simulator.ts"],
    ["src/index.ts", "./scenario/runner.ts"],
    ["scenarios/failover.ts", "../src/index.ts"],
    ["src/node/start.ts", "../../scenarios/failover.ts"],
    ["src/node/start.ts", "node:fs"],
    ["src/testing/fixture.ts", "vitest"],
    ["src/testing/fixture.ts", "../explore/explore.ts"],
    ["src/explore/explore.ts", "fast-check"],
    ["src/explore/explore.ts", "../conduct/rule.ts"],
    ["src/conduct/rule.ts", "../simulator.ts"],
    ["machines/run.machine.ts", "xstate"],
  ])("lets %s import %s", (file, target) => {
    expect(breachesOf(file, `import { x } from "${target}"; export { x };`)).toEqual([]);
  });

  test.each([
    ["src/languages/durations.ts", "../kernel/table.ts", "kernel is not below languages"],
    ["src/kernel/log.ts", "../../machines/run.machine.ts", "machines is not below kernel"],
    ["src/kernel/log.ts", "../services/paging.ts", "services is not below kernel"],
    ["src/surroundings/directory/server.ts", "../../services/paging.ts", "services is not below surroundings"],
    ["src/kernel/log.ts", "../programs/timer.ts", "programs is not below kernel"],
    ["src/services/runs/state.ts", "../secrets/state.ts", "runs must not know secrets"],
    ["src/services/paging.ts", "./runs/state.ts", "src/services/paging.ts must not know runs"],
    ["src/services/runs/state.ts", "../../http/handler.ts", "http is not below services"],
    ["src/services/kit/door.ts", "../runs/state.ts", "services is not below kit"],
    ["src/http/handler.ts", "../services/runs/operations.ts", "it goes through the list of services, and names none"],
    ["src/http/handler.ts", "../simulator.ts", "simulator is not below http"],
    ["src/simulator.ts", "./scenario/runner.ts", "scenario is not below simulator"],
    ["src/scenario/runner.ts", "../index.ts", "door is not below scenario"],
    ["src/index.ts", "./testing/fixture.ts", "testing is not below door"],
    ["src/index.ts", "../scenarios/failover.ts", "scenarios is not below door"],
    ["src/testing/fixture.ts", "../node/start.ts", "node is not below testing"],
    ["src/node/start.ts", "../testing/fixture.ts", "testing is not below node"],
    ["scenarios/failover.ts", "../src/simulator.ts", "simulator is not below scenarios"],
    ["scenarios/failover.ts", "../machines/run.machine.ts", "machines is not below scenarios"],
    ["scenarios/failover.ts", "immer", "a scenario imports only the public door"],
    ["machines/run.machine.ts", "./lease.machine.ts", "a machine imports nothing but xstate"],
    ["machines/run.machine.ts", "immer", "a machine imports nothing but xstate"],
    ["machines/run.machine.ts", "../src/kernel/table.ts", "kernel is not below machines"],
    ["src/kernel/log.ts", "node:fs", "only src/node and src/testing may import Node's modules"],
    ["src/kernel/log.ts", "fs", "only src/node and src/testing may import Node's modules"],
    ["src/node/start.ts", "date-fns", "import its subpaths, the root costs up to 0.9 s"],
    ["src/kernel/log.ts", "fast-check", "a test library, for src/testing alone"],
    ["src/node/start.ts", "vitest", "a test library, for src/testing alone"],
    ["src/scenario/runner.ts", "fast-check", "a test library, for src/testing alone"],
    ["src/kernel/log.ts", "left-pad", "it is not among the dependencies of package.json"],
    ["src/kernel/log.ts", "./nowhere.ts", "there is no such file"],
    ["src/kernel/log.ts", "../../test/tooling/architecture.ts", "it belongs to no layer"],
  ])("refuses that %s imports %s", (file, target, why) => {
    expect(breachesOf(file, `import { x } from "${target}"; export { x };`)).toEqual([
      `${file} imports ${target}: ${why}`,
    ]);
  });

  test.each(["src/helpers.ts", "src/util/strings.ts", "machines/notes.md", "src/kernel/fast.js"])(
    "refuses %s, which is outside all layers",
    (file) => {
      expect(breachesOf(file, "")).toEqual([`${file} belongs to no layer`]);
    },
  );

  test("sees every form of import, and none in comments and strings", () => {
    const source = `
      // import "./comment.ts";
      /** import { x } from "./docs.ts"; */
      import "./effect.ts";
      import type { T } from "./type.ts";
      import * as all from "./all.ts";
      export * from "./star.ts";
      export { x as y } from "./named.ts";
      export type Q = import("./query.ts").Q;
      export const text = 'import "./text.ts"', load = () => import("./lazy.ts"), other = (n: string) => import(n);
    `;
    expect(importsOf("a.ts", source)).toEqual([
      "./effect.ts",
      "./type.ts",
      "./all.ts",
      "./star.ts",
      "./named.ts",
      "./query.ts",
      "./lazy.ts",
      "?",
    ]);
  });
});

const HOUSE = [
  "machines/run.machine.ts",
  "machines/lease.machine.ts",
  "scenarios/failover.ts",
  "src/index.ts",
  "src/simulator.ts",
  "src/languages/durations.ts",
  "src/kernel/log.ts",
  "src/kernel/table.ts",
  "src/surroundings/directory/server.ts",
  "src/services/paging.ts",
  "src/services/kit/door.ts",
  "src/services/runs/state.ts",
  "src/services/runs/operations.ts",
  "src/services/secrets/state.ts",
  "src/http/handler.ts",
  "src/programs/timer.ts",
  "src/scenario/runner.ts",
  "src/node/start.ts",
  "src/conduct/rule.ts",
  "src/explore/explore.ts",
  "src/node/files.ts",
  "src/testing/fixture.ts",
];

/** What one file with this source breaks in an otherwise empty house. */
function breachesOf(file: string, source: string): string[] {
  const files = new Map([...HOUSE, file].map((name) => [name, name === file ? source : ""]));
  return breaches(files, new Set(["xstate", "immer", "date-fns"]));
}

function sources(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const folder of ["src", "machines", "scenarios"]) {
    for (const entry of readdirSync(join(project, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      // Pictures are drawn from what stands beside them, and are no sources.
      if (/[\\/]pictures$/.test(entry.parentPath)) continue;
      files.set(relative(project, file).replaceAll("\\", "/"), readFileSync(file, "utf8"));
    }
  }
  return files;
}
