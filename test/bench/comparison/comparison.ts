import { type Report, type ReportedRow, shownNumber, wasBusy } from "../harness/report.ts";
import { rounded } from "../harness/statistics.ts";
import { type Contest, entryId, type Section } from "./contests.ts";

/** What a contestant made of a contest. */
export interface Standing {
  readonly contestant: string;
  readonly value: number | null;
  /** Half the way from the worst to the best round, as a share of the value. */
  readonly spread: number;
  readonly rounds: number;
  /** How many times as good as the first contestant it is, round by round: above 1 it is ahead, whatever the unit. */
  readonly timesAsGood?: number;
  readonly detail?: string;
  readonly failure?: string;
}

export interface ComparedContest extends Contest {
  readonly standings: readonly Standing[];
}

export interface ComparedSection extends Omit<Section, "contests"> {
  readonly contests: readonly ComparedContest[];
}

/** The content of the file: the circumstances of the report, and its rows side by side. */
export interface Comparison extends Omit<Report, "rows"> {
  readonly sections: readonly ComparedSection[];
}

/** Puts the rows of a report side by side. Contests that were not measured are left out. */
export function comparisonOf(sections: readonly Section[], { rows, ...circumstances }: Report): Comparison {
  const reported = new Map(rows.map((row) => [row.id, row]));
  const compared = sections.map((section) => ({
    ...section,
    contests: section.contests.flatMap((contest): ComparedContest[] => {
      const standings = section.contestants.flatMap((contestant) => {
        const row = reported.get(entryId(contest.id, contestant));
        return row === undefined ? [] : [standingOf(contestant, contest, row)];
      });
      return standings.length === 0 ? [] : [{ ...contest, standings }];
    }),
  }));
  return { ...circumstances, sections: compared.filter(({ contests }) => contests.length > 0) };
}

function standingOf(contestant: string, { better }: Contest, row: ReportedRow): Standing {
  const { value, spread, rounds, ratio, detail, failure } = row;
  return {
    contestant,
    value,
    spread,
    rounds,
    ...(ratio === undefined ? {} : { timesAsGood: rounded(better === "higher" ? ratio : 1 / ratio, 3) }),
    ...(detail === undefined ? {} : { detail }),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** The contests in which somebody is ahead of the first contestant. */
export function behindOf({
  sections,
}: Comparison): { readonly contest: string; readonly ahead: readonly Standing[] }[] {
  return sections
    .flatMap(({ contests }) => contests)
    .map(({ id, standings }) => ({
      contest: id,
      ahead: standings.filter(({ timesAsGood }) => timesAsGood !== undefined && timesAsGood > 1),
    }))
    .filter(({ ahead }) => ahead.length > 0);
}

// --- as a page ------------------------------------------------------------------------------------------------------

/** Markdown that can be read as it is: what the README has between the marks of this table. */
export function markdownOf(comparison: Comparison): string {
  const { node, cores, cpu, quick } = comparison;
  const head = [
    `Made with Node ${node.replace(/^v/, "")} on ${cores} cores (${cpu}). The first column is a measurement and its spread; the others say ` +
      "how many times as good that contestant is, so that above 1 it is ahead.",
    ...(quick ? ["**Quick: sizes and rounds are cut down, the numbers mean nothing.**"] : []),
    ...(wasBusy(comparison)
      ? ["**The machine was busy: rates are too low, times too long; ratios hold better.**"]
      : []),
  ];
  const tables = comparison.sections.flatMap((section) => [`### ${section.title}`, tableOf(section), section.remark]);
  return `${[...head, ...tables, ...failuresOf(comparison)].join("\n\n")}\n`;
}

function tableOf({ contestants, contests }: ComparedSection): string {
  const lines = [
    ["", ...contestants],
    ...contests.map(({ what, unit, standings }) => [
      what,
      ...contestants.map((name) =>
        cellOf(
          standings.find(({ contestant }) => contestant === name),
          unit,
        ),
      ),
    ]),
  ];
  const widths = (lines[0] ?? []).map((_, column) => Math.max(3, ...lines.map((line) => line[column]?.length ?? 0)));
  const padded = lines.map((line) =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))),
  );
  const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  const [names = [], ...cells] = padded;
  return [names, rule, ...cells].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function cellOf(standing: Standing | undefined, unit: string): string {
  // Out of reach, or not asked for.
  if (standing === undefined) return "-";
  const { value, spread, rounds, timesAsGood, failure } = standing;
  if (value === null) return failure === undefined ? "" : "failed";
  const around = rounds > 1 ? ` ±${(spread * 100).toFixed(0)}%` : "";
  return timesAsGood === undefined
    ? `${shownNumber(rounded(value, 3))} ${unit}${around}`
    : `${shownNumber(rounded(timesAsGood, 2))}×${around}`;
}

function failuresOf({ sections }: Comparison): string[] {
  return sections.flatMap(({ contests }) =>
    contests.flatMap(({ id, standings }) =>
      standings.flatMap(({ contestant, failure }) =>
        failure === undefined ? [] : [`FAILED: ${entryId(id, contestant)}: ${failure}`],
      ),
    ),
  );
}
