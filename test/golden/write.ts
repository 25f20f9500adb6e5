import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { replay } from "../../src/index.ts";
import { VERSION } from "../../src/simulator/version.ts";
import { GOLDEN_STORIES } from "./stories.ts";

// npm run golden              writes the golden logs of this version, which must not have any yet
// npm run golden -- --force   writes them anew: only while the version is not released
// npm run golden -- --hashes  leaves all logs as they are, and records the states that they lead to now: after a change of the
//                             state's shape that was meant

/** Compiled, this file lies in a folder of its own at the top. */
const HOME = new URL("../../../test/golden/", import.meta.url);
const [flag, ...more] = process.argv.slice(2);

if (more.length > 0 || !(flag === undefined || flag === "--force" || flag === "--hashes")) {
  fail(`unknown: ${process.argv.slice(2).join(" ")}; there is --force, or --hashes`);
} else if (flag === "--hashes") {
  for (const version of versions()) recordStates(version);
} else {
  await writeLogs(VERSION, flag === "--force");
}

async function writeLogs(version: string, force: boolean): Promise<void> {
  const folder = new URL(`${version}/`, HOME);
  if (existsSync(folder) && !force) {
    fail(
      `${fileURLToPath(folder)} is there already: a released log never changes; --force writes it anew all the same`,
    );
    return;
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const { name, live } of GOLDEN_STORIES) {
    writeFileSync(new URL(`${name}.ndjson`, folder), (await live()).log.toNdjson());
  }
  recordStates(version);
}

/** Where each log of a version leads. */
function recordStates(version: string): void {
  const folder = new URL(`${version}/`, HOME);
  const logs = readdirSync(folder)
    .filter((file) => file.endsWith(".ndjson"))
    .sort();
  const states = Object.fromEntries(
    logs.map((file) => {
      const sim = replay(readFileSync(new URL(file, folder), "utf8"));
      const now = new Date(sim.clock.now()).toISOString();
      return [file, { commits: sim.position, now, pending: sim.clock.pending().length, stateHash: sim.stateHash() }];
    }),
  );
  writeFileSync(new URL("states.json", folder), `${JSON.stringify(states, null, 2)}\n`);
  process.stdout.write(`${version}: ${logs.length} logs\n`);
}

function versions(): string[] {
  return readdirSync(HOME, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function fail(message: string): void {
  process.stderr.write(`golden: ${message}\n`);
  process.exitCode = 1;
}
