import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { seconds } from "../harness/measure.ts";
import { atMost, type Family, type Row, row } from "../harness/row.ts";

/** What the doors for tests cost: their import beside that of the runner, and checks around deadlines. */
export const testing: Family = {
  name: "testing",
  rows: [
    row({
      id: "vitest-import-ms",
      unit: "ms",
      goal: atMost(55),
      rounds: 5,
      prepare: () => () => Number(/imported in ([\d.]+) ms/.exec(fileRun(IMPORTING))?.[1]),
      note: "hindcast/vitest as a test file imports it; the runner is there already",
    }),
    row({
      id: "vitest-file-ms@vitest",
      unit: "ms",
      rounds: 5,
      prepare: () => () => seconds(() => void fileRun(PLAIN)) * 1_000,
      note: "the runner from its start to its end, with one file of one test",
    }),
    row({
      id: "vitest-file-ms",
      unit: "ms",
      rounds: 5,
      comparedWith: "vitest-file-ms@vitest",
      prepare: () => () => seconds(() => void fileRun(SIMULATED)) * 1_000,
      note: "the same with the test of hindcast/vitest, which uses its simulator",
    }),
    deadlineChecks("deadline-check-us@100", 100),
    deadlineChecks("deadline-check-us", 10_000, {
      comparedWith: "deadline-check-us@100",
      ratioGoal: atMost(3),
      note: "10,000 tokens, each with an instant of its own at which it ends",
    }),
  ],
};

/** Microseconds for each check of `forEachDeadline` that does nothing, the firing of the deadlines on the way included. */
function deadlineChecks(id: string, tokens: number, declared: Partial<Row> = {}): Row {
  return row({
    id,
    unit: "us",
    ...declared,
    prepare: (effort) => {
      const sim = simWithTokens(effort.size(tokens));
      return async () => {
        const before = performance.now();
        const checks = await sim.forEachDeadline(() => {});
        return ((performance.now() - before) * 1_000) / checks;
      };
    },
  });
}

function simWithTokens(count: number): Simulator {
  const sim = createSimulator();
  const { createToken } = sim.secrets.cluster("main");
  for (let made = 0; made < count; made++) createToken({ policies: ["default"], ttl: `${made + 1}m` });
  return sim;
}

const PLAIN = 'import { expect, test } from "vitest";\ntest("adds", () => expect(1 + 1).toBe(2));\n';

const SIMULATED =
  'import { test } from "hindcast/vitest";\nimport { expect } from "vitest";\n' +
  'test("begins", ({ sim }) => expect(sim.position).toBe(0));\n';

const IMPORTING = `const before = performance.now();
const { test } = await import("hindcast/vitest");
const ms = performance.now() - before;
test("tells", () => console.log(\`imported in \${ms} ms\`));
`;

const ROOT = fileURLToPath(new URL("../../", import.meta.resolve("hindcast")));

/** What the runner prints for a file, in a project that has the built package among its own. */
function fileRun(source: string): string {
  const project = mkdtempSync(join(tmpdir(), "hindcast-bench-"));
  try {
    symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
    writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
    writeFileSync(join(project, "one.test.js"), source);
    // Where the package was installed nobody transforms it; here it is not below node_modules.
    const [alias, external] = [{ "hindcast/vitest": join(ROOT, "dist/src/testing/vitest/index.js") }, "[/\\/dist\\//]"];
    const config = `{ resolve: { alias: ${JSON.stringify(alias)} }, test: { server: { deps: { external: ${external} } } } }`;
    writeFileSync(join(project, "vitest.config.mjs"), `export default ${config};\n`);
    const words = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run"];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: project, encoding: "utf8" });
    if (status !== 0) throw new Error(stdout + stderr);
    return stdout;
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}
