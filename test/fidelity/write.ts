import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { createSimulator } from "../../src/index.ts";
import { graded } from "./grade.ts";
import { play } from "./play.ts";
import { HOME, recorded } from "./recording.ts";
import { familyTable, gradesSource, simulatedTable } from "./summary.ts";

// npm run fidelity              holds the simulator against what real servers answered, and prints the grades by family
// npm run fidelity -- --write   also writes them into the README, and those by operation into src

const { lines, explained } = recorded();
const all = (await play(lines)).map((played) => graded(played, explained));
const table = familyTable(all);
process.stdout.write(`${table}\n`);
for (const { played, ungraded } of all) {
  for (const { place } of ungraded) {
    process.stderr.write(`${played.recorded.id}: ${place} differs, and nothing decides it\n`);
    process.exitCode = 1;
  }
}
if (process.argv[2] === "--write") {
  const readme = new URL("../../README.md", HOME);
  const text = readFileSync(readme, "utf8");
  const simulated = simulatedTable(createSimulator().operations());
  const tables = [
    [/\| Family +\|[\s\S]*?\n(?=\n)/, table],
    [/\| Simulated +\|[\s\S]*?\n(?=\n)/, simulated],
  ] as const;
  writeFileSync(
    readme,
    tables.reduce((told, [place, shown]) => told.replace(place, `${shown}\n`), text),
  );
  writeFileSync(new URL("../../src/services/secrets/grades.ts", HOME), gradesSource(all));
}
