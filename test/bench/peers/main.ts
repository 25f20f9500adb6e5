import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { behindOf, type Comparison, comparisonOf, markdownOf } from "../comparison/comparison.ts";
import { sections } from "../comparison/contests.ts";
import { chosenFamilies, readArguments } from "../harness/arguments.ts";
import { type Measured, reportOf } from "../harness/report.ts";
import { Effort, type Family } from "../harness/row.ts";
import { runFamily } from "../harness/run-family.ts";
import { Subject } from "../harness/subject.ts";
import { serve } from "../harness/worker.ts";
import { backends } from "./families/backends.ts";
import { engines } from "./families/engines.ts";
import { times } from "./families/times.ts";
import { travels } from "./families/travels.ts";

// npm run bench:peers                            everything: the README's tables in Markdown, and peers.json
// npm run bench:peers -- --quick                 a smoke test: everything small, the numbers mean nothing
// npm run bench:peers -- --only 'read*,start/*'  some rows, and hindcast's beside them
// npm run bench:peers -- --only 'start/msw' --profile   and where the time of the rounds goes

const WORKER = "--worker";
const program = fileURLToPath(import.meta.url);
const resultFile = fileURLToPath(new URL("../../../../peers.json", import.meta.url));
const families: readonly Family[] = [...backends, ...engines, ...times, ...travels];

if (process.argv[2] === WORKER) {
  const { quick, profile } = readArguments(process.argv.slice(3));
  const rows = families.flatMap((family) => family.rows);
  serve(rows, new Effort(quick), profile);
} else {
  process.exitCode = await compare();
}

/** Measures, writes the file, prints the tables. */
async function compare(): Promise<number> {
  const { only, quick, profile } = readArguments(process.argv.slice(2));
  const chosen = chosenFamilies(families, only);
  const words = [WORKER, ...(quick ? ["--quick"] : []), ...(profile ? ["--profile"] : [])];
  const loadAtStart = loadavg()[0] ?? 0;
  const begun = performance.now();
  const progress = (text: string): void => {
    console.error(`${((performance.now() - begun) / 1_000).toFixed(0).padStart(4)} s  ${text}`);
  };
  const measured = new Map<string, Measured>();
  const yardstickMs: number[] = [];
  const cpu = cpus()[0]?.model.trim() ?? "unknown";
  const circumstances = { node: process.version, cpu, cores: availableParallelism(), quick, loadAtStart, yardstickMs };
  const soFar = (): Comparison => {
    const rows = chosen.flatMap((family) => family.rows).filter(({ id }) => measured.has(id));
    return comparisonOf(sections, reportOf(rows, measured, circumstances));
  };
  for (const family of chosen) {
    const outcome = await runFamily(family, { startSubject: () => new Subject(program, words), quick, progress });
    for (const [id, row] of outcome.measured) measured.set(id, row);
    yardstickMs.push(...outcome.yardstickMs);
    // Whoever interrupts it keeps what there is.
    writeFileSync(resultFile, `${JSON.stringify(soFar(), null, 2)}\n`);
  }
  progress("done");
  const comparison = soFar();
  console.log(markdownOf(comparison));
  for (const { contest, ahead } of behindOf(comparison)) {
    console.error(
      `behind in ${contest}: ${ahead.map(({ contestant, timesAsGood }) => `${contestant} ${timesAsGood}×`).join(", ")}`,
    );
  }
  return [...measured.values()].some(({ failure }) => failure !== undefined) ? 1 : 0;
}
