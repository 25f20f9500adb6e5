import { hottest } from "../harness/profile.ts";
import { shownNumber } from "../harness/report.ts";
import { groups, sharesOf } from "./groups.ts";

/** What was seen of a hot path. */
export interface ProfiledPath {
  readonly name: string;
  readonly what: string;
  readonly perSecond: number;
  readonly selfUs: readonly (readonly [place: string, us: number])[];
}

/** Where the time went: a line for each group, a column for each path, and below the functions that took the most. */
export function profileTable(paths: readonly ProfiledPath[], most: number): string {
  const shares = paths.map(({ selfUs }) => sharesOf(new Map(selfUs)));
  const lines = [
    ["% of the time", "", ...paths.map(({ name }) => name)],
    ...groups.map(({ name, kind }) => [name, kind, ...shares.map((of) => percent(of.get(name) ?? 0))]),
    ["a second", "", ...paths.map(({ perSecond }) => shownNumber(Number(perSecond.toPrecision(3))))],
  ];
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const table = lines.map((line) =>
    line
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  const details = paths.flatMap(({ name, what, selfUs }) => [
    "",
    `${name}: ${what}; a flame chart is in dist-bench/profile-${name}.cpuprofile`,
    ...hottest(new Map(selfUs), most),
  ]);
  return [...table, ...details, ""].join("\n");
}

const percent = (share: number): string => (share < 0.0005 ? "-" : (share * 100).toFixed(1));
