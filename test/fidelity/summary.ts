import type { OperationInfo } from "../../src/index.ts";
import { GRADES, type Grade, type Graded } from "./grade.ts";

export type Counts = { readonly [G in Grade]: number };

/** How many answers have which grade, by family, in the order of the recording. */
export function byFamily(all: readonly Graded[]): ReadonlyMap<string, Counts> {
  return counted(all, ({ played }) => played.recorded.family);
}

/** The same by operation, for the table that the library shows. */
function byOperation(all: readonly Graded[]): ReadonlyMap<string, Counts> {
  return counted(all, ({ played }) => played.ours.operation);
}

function counted(all: readonly Graded[], keyOf: (graded: Graded) => string | undefined): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Record<Grade, number>>();
  for (const graded of all) {
    const key = keyOf(graded);
    if (key === undefined) continue;
    const row = counts.get(key) ?? { same: 0, wording: 0, decided: 0, version: 0 };
    row[graded.grade] += 1;
    counts.set(key, row);
  }
  return counts;
}

/** The table by family, as Markdown has it. */
export function familyTable(all: readonly Graded[]): string {
  const families = [...byFamily(all), ...counted(all, () => "**all**")];
  return markdown(
    HEADINGS,
    families.map(([family, counts]) => cellsOf(family, counts)),
  );
}

/** What is simulated, by resource: how far its operations can be trusted, as Markdown has it. */
export function simulatedTable(operations: readonly OperationInfo[]): string {
  const resources = new Map<string, OperationInfo[]>();
  for (const operation of operations) {
    const resource = `\`${operation.name.split(".").slice(0, 2).join(".")}\``;
    resources.set(resource, [...(resources.get(resource) ?? []), operation]);
  }
  const all = trustOf(operations);
  const share = all.map((count) => `${Math.round((100 * count) / operations.length)}%`);
  const rows = [...resources].map(([resource, rows]) => [resource, ...trustOf(rows).map(String)]);
  return markdown(TRUST_HEADINGS, [...rows, ["**all**", ...all.map(String)], ["**share**", ...share]]);
}

const TRUST_HEADINGS = ["Simulated", "Operations", "Documented", "Observed", "Chosen", "Graded"];

function trustOf(operations: readonly OperationInfo[]): readonly number[] {
  const rests = (on: OperationInfo["evidence"]) => operations.filter(({ evidence }) => evidence === on).length;
  const held = operations.filter(({ graded }) => graded !== undefined).length;
  return [operations.length, rests("documented"), rests("observed"), rests("chosen"), held];
}

function markdown(headings: readonly string[], body: readonly (readonly string[])[]): string {
  const rows = [headings, ...body];
  const widths = headings.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const [head, ...lines] = rows.map((cells) => lineOf(cells, widths));
  const ruler = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [head, lineOf(ruler, widths), ...lines].join("\n");
}

const HEADINGS = ["Family", "Requests", "Same", "Other words", "By decision", "By version", "Identical"];

/** Identical is what is the same but for the words of errors and warnings. */
function cellsOf(family: string, counts: Counts): string[] {
  const requests = GRADES.reduce((sum, grade) => sum + counts[grade], 0);
  const share = Math.floor((100 * (counts.same + counts.wording)) / requests);
  return [family, `${requests}`, ...GRADES.map((grade) => `${counts[grade]}`), `${share}%`];
}

function lineOf(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => {
    const width = widths[column] ?? 0;
    return column === 0 ? cell.padEnd(width) : cell.padStart(width);
  });
  return `| ${padded.join(" | ")} |`;
}

/** The source of the table of grades by operation. */
export function gradesSource(all: readonly Graded[]): string {
  const rows = [...byOperation(all)]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, { same, wording, decided, version }]) => {
      return `  ${JSON.stringify(name)}: { same: ${same + wording}, decided: ${decided}, version: ${version} },`;
    });
  return `${[
    'import type { Graded } from "../kit/registry.ts";',
    "",
    "// Written by `npm run fidelity -- --write`: how many answers of each operation were held against a real server's.",
    "",
    "export const GRADES: { readonly [operation: string]: Graded } = {",
    ...rows,
    "};",
  ].join("\n")}\n`;
}
