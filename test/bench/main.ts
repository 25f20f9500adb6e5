import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { chosenFamilies, readArguments, type Wanted } from "./harness/arguments.ts";
import { linesOf, type Measured, type Report, reportOf, tableOf } from "./harness/report.ts";
import { Effort } from "./harness/row.ts";
import { runFamily } from "./harness/run-family.ts";
import { Subject } from "./harness/subject.ts";
import { serve } from "./harness/worker.ts";
import { families, USUAL } from "./rows.ts";

// npm run bench                                  the usual rows, and what they are compared with: a table, and bench.json
// npm run bench -- --all                         all rows
// npm run bench -- --only fork-us,writes*        some rows
// npm run bench -- --quick                       a smoke test: everything small, the numbers mean nothing
// npm run bench -- --only create-ms --profile    and where the time of the rounds goes, without what prepared them
//
// Each row, or each group of rows that names one `process`, runs in a Node process of its own, started by this one from
// this same program.

const WORKER = "--worker";
const program = fileURLToPath(import.meta.url);
const resultFile = fileURLToPath(new URL("../../../bench.json", import.meta.url));

if (process.argv[2] === WORKER) {
  const { quick, profile } = readArguments(process.argv.slice(3));
  const rows = families.flatMap((family) => family.rows);
  serve(rows, new Effort(quick), profile);
} else {
  process.exitCode = await bench(readArguments(process.argv.slice(2)));
}

/** Measures; writes the file and prints the rows as each family is done, so that a run that is stopped has not been for nothing. */
async function bench({ only, all, quick, profile }: Wanted): Promise<number> {
  const loadAtStart = loadavg()[0] ?? 0;
  const chosen = chosenFamilies(families, all || only.length > 0 ? only : USUAL);
  const words = [WORKER, ...(quick ? ["--quick"] : []), ...(profile ? ["--profile"] : [])];
  const measured = new Map<string, Measured>();
  const yardstickMs: number[] = [];
  const begun = performance.now();
  const progress = (text: string): void => {
    console.error(`${((performance.now() - begun) / 1_000).toFixed(0).padStart(4)} s  ${text}`);
  };
  const reported = (): Report =>
    reportOf(
      chosen.flatMap((family) => family.rows).filter(({ id }) => measured.has(id)),
      measured,
      {
        node: process.version,
        cpu: cpus()[0]?.model.trim() ?? "unknown",
        cores: availableParallelism(),
        quick,
        loadAtStart,
        yardstickMs,
      },
    );
  for (const family of chosen) {
    const outcome = await runFamily(family, { startSubject: () => new Subject(program, words), quick, progress });
    for (const [id, row] of outcome.measured) measured.set(id, row);
    yardstickMs.push(...outcome.yardstickMs);
    const report = reported();
    writeFileSync(resultFile, `${JSON.stringify(report, null, 2)}\n`);
    for (const line of linesOf(report.rows.filter(({ id }) => outcome.measured.has(id)))) progress(line);
  }
  progress("done");
  const report = reported();
  console.log(tableOf(report));
  return report.rows.some(({ failure }) => failure !== undefined) ? 1 : 0;
}
