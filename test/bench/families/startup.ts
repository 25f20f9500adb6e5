import { spawnSync } from "node:child_process";
import { createSimulator } from "../../../src/index.ts";
import { microsecondsEach, seconds } from "../harness/measure.ts";
import { atMost, type Family, type Row, row } from "../harness/row.ts";

/** What a user imports: the built package, not the single files that the other rows run. */
const entry = import.meta.resolve("hindcast");

/** What a test file pays before its first line. */
export const startup: Family = {
  name: "startup",
  rows: [
    row({
      id: "create-ms",
      unit: "ms",
      goal: atMost(0.1),
      prepare: (effort) => {
        const count = effort.count(2_000);
        return () =>
          microsecondsEach(count, () => {
            for (let made = 0; made < count; made++) createSimulator({ seed: made });
          }) / 1_000;
      },
    }),
    row({
      id: "create-ms@first",
      unit: "ms",
      rounds: 9,
      warmUps: 0,
      prepare: () => () => Number(run(`${IMPORT} const before = performance.now(); createSimulator(); ${TOLD}`)),
      note: "the first one of a fresh process",
    }),
    row({
      id: "import-ms",
      unit: "ms",
      goal: atMost(45),
      rounds: 15,
      prepare: () => () => {
        const bare = seconds(() => run(""));
        return (seconds(() => run(`import ${JSON.stringify(entry)};`)) - bare) * 1_000;
      },
      note: "a fresh process that imports the built main entry, less one that imports nothing",
    }),
    importRow("import-runs-ms", "runs", 20),
    importRow("import-scheduler-ms", "scheduler", 20),
    importRow("import-secrets-ms", "secrets", 38),
    ...["node", "msw", "undici"].map((name) => importRow(`import-ms@${name}`, name)),
  ],
};

/** Another entry: of one service, or with the library that it adapts. */
function importRow(id: string, name: string, goalMs?: number): Row {
  return row({
    id,
    unit: "ms",
    ...(goalMs === undefined ? {} : { goal: atMost(goalMs) }),
    rounds: 9,
    prepare: () => {
      const other = import.meta.resolve(`hindcast/${name}`);
      return () => {
        const bare = seconds(() => run(""));
        return (seconds(() => run(`import ${JSON.stringify(other)};`)) - bare) * 1_000;
      };
    },
    note: `the same for hindcast/${name}`,
  });
}

const IMPORT = `import { createSimulator } from ${JSON.stringify(entry)};`;
const TOLD = "console.log(performance.now() - before);";

/** Runs a module in a process of its own, and returns what it printed. */
function run(source: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", source], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
