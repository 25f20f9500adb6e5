import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { seconds } from "../harness/measure.ts";
import { atMost, type Effort, type Family, row, shared } from "../harness/row.ts";
import { fileOf, write } from "./logs.ts";

const manifest = JSON.parse(readFileSync(fileURLToPath(import.meta.resolve("hindcast/package.json")), "utf8")) as {
  readonly scripts: { readonly start: string };
};

/** The story that `npm start` tells. */
const STORY = / run ([\w-]+)$/.exec(manifest.scripts.start)?.[1] ?? "";

/** The built command line, as a user has it. */
const program = fileURLToPath(new URL("node/cli.js", import.meta.resolve("hindcast")));

const COMMITS = 1_000_000;
const file = shared((effort: Effort) => fileOf(write(effort.size(COMMITS)).sim));

/** What somebody waits for who sits at a terminal: whole processes, from the first word to the last line. */
export const commandLine: Family = {
  name: "command line",
  rows: [
    row({
      id: "story-ms",
      unit: "ms",
      goal: atMost(400),
      rounds: 15,
      prepare: () => () => seconds(() => run(["run", STORY])) * 1_000,
      note: `hindcast run ${STORY}, the whole process`,
    }),
    row({
      id: "timeline-s",
      unit: "s",
      goal: atMost(20),
      rounds: 3,
      warmUps: 0,
      collects: false,
      process: "timeline",
      prepare: async (effort) => {
        const log = await file(effort);
        return () => seconds(() => run(["timeline", log]));
      },
      note: `${COMMITS.toLocaleString("en-US")} commits of the first row; two threads`,
    }),
    row({
      id: "timeline-mib",
      unit: "MiB",
      goal: atMost(500),
      rounds: 1,
      warmUps: 0,
      collects: false,
      process: "timeline",
      prepare: async (effort) => {
        const log = await file(effort);
        return () => run(["timeline", log]);
      },
      note: "the most that the process holds",
    }),
  ],
};

/** Tells at the end how much memory the process held at most, in KiB; its other threads say nothing. */
const TELL =
  "import { isMainThread } from 'node:worker_threads';" +
  "if (isMainThread) process.once('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS)));";

/** Runs a command in a process of its own, and returns how many MiB it held at most. */
function run(words: readonly string[]): number {
  const options = ["--import", `data:text/javascript,${encodeURIComponent(TELL)}`];
  const { status, stderr } = spawnSync(process.execPath, [...options, program, ...words], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return Number(stderr) / 1_024;
}
