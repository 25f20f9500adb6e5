import { type Goal, isMet, type Row } from "./row.ts";
import { median, rounded, spread } from "./statistics.ts";

/** What came of a row: a value for each round, or why there are none. */
export interface Measured {
  readonly values: readonly number[];
  readonly detail?: string;
  readonly failure?: string;
}

/** The machine and what disturbed it. */
export interface Circumstances {
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly quick: boolean;
  /** Runnable processes when it began, this one not among them. */
  readonly loadAtStart: number;
  /** What the fixed piece of work took, before each round. */
  readonly yardstickMs: readonly number[];
}

/** A row of `bench.json`. `ratio` divides this row by the one that it is compared with. */
export interface ReportedRow {
  readonly id: string;
  readonly value: number | null;
  readonly unit: string;
  readonly goal: number | null;
  readonly better?: "higher" | "lower";
  readonly met?: boolean;
  /** Half the way from the worst to the best round, as a share of the value. */
  readonly spread: number;
  readonly rounds: number;
  readonly comparedWith?: string;
  readonly ratio?: number;
  readonly ratioGoal?: number;
  readonly ratioBetter?: "higher" | "lower";
  readonly ratioMet?: boolean;
  readonly note?: string;
  readonly detail?: string;
  readonly failure?: string;
}

/** The content of `bench.json`. */
export interface Report {
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  /** Sizes and rounds were cut down: the numbers mean nothing. */
  readonly quick: boolean;
  readonly loadAtStart: number;
  readonly noise: { readonly medianMs: number; readonly leastMs: number; readonly greatestMs: number } | null;
  readonly rows: readonly ReportedRow[];
}

/** Puts what was measured beside what was wanted. */
export function reportOf(
  rows: readonly Row[],
  measured: ReadonlyMap<string, Measured>,
  { yardstickMs, ...circumstances }: Circumstances,
): Report {
  const { quick } = circumstances;
  const noise =
    yardstickMs.length === 0
      ? null
      : {
          medianMs: rounded(median(yardstickMs)),
          leastMs: rounded(Math.min(...yardstickMs)),
          greatestMs: rounded(Math.max(...yardstickMs)),
        };
  return { ...circumstances, noise, rows: rows.map((row) => reportedRow(row, measured, quick)) };
}

function reportedRow(row: Row, measured: ReadonlyMap<string, Measured>, quick: boolean): ReportedRow {
  const { values, detail, failure } = measured.get(row.id) ?? { values: [], failure: "was not measured" };
  const value = values.length === 0 ? null : rounded(median(values));
  return {
    id: row.id,
    value,
    unit: row.unit,
    goal: row.goal?.value ?? null,
    ...(row.goal === undefined ? {} : { better: row.goal.better }),
    ...(row.goal === undefined || value === null || quick ? {} : { met: isMet(row.goal, value) }),
    spread: values.length === 0 ? 0 : rounded(spread(values), 2),
    rounds: values.length,
    ...comparison(row, values, measured, quick),
    ...(row.note === undefined ? {} : { note: row.note }),
    ...(detail === undefined ? {} : { detail }),
    ...(failure === undefined ? {} : { failure }),
  };
}

function comparison(
  { comparedWith, ratioGoal }: Row,
  values: readonly number[],
  measured: ReadonlyMap<string, Measured>,
  quick: boolean,
): Partial<ReportedRow> {
  if (comparedWith === undefined) return {};
  const ratio = ratioOf(values, measured.get(comparedWith)?.values ?? []);
  return {
    comparedWith,
    ...(ratio === undefined ? {} : { ratio: rounded(ratio) }),
    ...(ratioGoal === undefined ? {} : { ratioGoal: ratioGoal.value, ratioBetter: ratioGoal.better }),
    ...(ratioGoal === undefined || ratio === undefined || quick ? {} : { ratioMet: isMet(ratioGoal, rounded(ratio)) }),
  };
}

/** Round by round where rounds alternated, because what disturbs one round disturbs the one beside it as well. */
export function ratioOf(values: readonly number[], others: readonly number[]): number | undefined {
  if (values.length === 0 || others.length === 0) return undefined;
  if (values.length !== others.length) return median(values) / median(others);
  return median(values.map((value, round) => value / (others[round] as number)));
}

const WIDTH = 100;

/** The report for people: aligned, at most 100 columns wide, no colours. */
export function tableOf(report: Report): string {
  return [...headOf(report), "", ...linesOf(report.rows), "", ...footOf(report), ""].join("\n");
}

/** The lines of some rows, aligned among each other. */
export function linesOf(rows: readonly ReportedRow[]): string[] {
  const cells = rows.map(cellsOf);
  const widths = cells.reduce<number[]>(
    (widest, line) => line.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)),
    [],
  );
  return rows.flatMap((row, index) => [
    (cells[index] as string[])
      .map((cell, column) => (column === 1 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
    ...remarksOf(row).flatMap((remark) => wrapped(remark, WIDTH - 4).map((line) => `    ${line}`)),
  ]);
}

function headOf({ node, cpu, cores, quick, loadAtStart }: Report): string[] {
  const head = [
    `hindcast bench: node ${node}, ${cpu}, ${cores} cores, load ${loadAtStart.toFixed(1)} before the start`,
  ];
  if (quick) head.push("QUICK: sizes and rounds are cut down, the numbers mean nothing");
  return head;
}

function cellsOf(row: ReportedRow): string[] {
  const goal = row.goal === null || row.better === undefined ? "" : goalText({ better: row.better, value: row.goal });
  return [
    row.id,
    row.value === null ? "-" : shownNumber(row.value),
    row.unit,
    row.rounds > 1 ? `±${(row.spread * 100).toFixed(0)}%` : "",
    goal === "" ? "" : `goal ${goal}${verdict(row.met)}`,
  ];
}

function remarksOf(row: ReportedRow): string[] {
  const remarks: string[] = [];
  if (row.failure !== undefined) remarks.push(`FAILED: ${row.failure}`);
  if (row.ratio !== undefined) {
    const wanted =
      row.ratioGoal === undefined || row.ratioBetter === undefined
        ? ""
        : `, goal ${goalText({ better: row.ratioBetter, value: row.ratioGoal })}${verdict(row.ratioMet)}`;
    remarks.push(`${shownNumber(row.ratio)} times ${row.comparedWith}${wanted}`);
  }
  if (row.detail !== undefined) remarks.push(row.detail);
  if (row.note !== undefined) remarks.push(row.note);
  return remarks;
}

function verdict(met: boolean | undefined): string {
  return met === undefined ? "" : met ? ": met" : ": missed";
}

function footOf({ noise }: Report): string[] {
  if (noise === null) return [];
  const { medianMs, leastMs, greatestMs } = noise;
  return wrapped(
    `Noise: a fixed piece of work before each round took ${medianMs} ms (median), ${leastMs} to ${greatestMs} ms. ` +
      "± is half the way from the worst to the best round." +
      (wasBusy({ noise }) ? " THE MACHINE WAS BUSY: rates are too low, times too long; ratios hold better." : ""),
    WIDTH,
  );
}

/** From here on the fixed piece of work shows that others wanted the cores, too. */
const BUSY = 1.25;

/** Whether a fixed piece of work took longer than it does on a machine at rest. */
export function wasBusy({ noise }: Pick<Report, "noise">): boolean {
  return noise !== null && noise.medianMs > noise.leastMs * BUSY;
}

function goalText({ better, value }: Goal): string {
  return `${better === "higher" ? ">=" : "<="} ${shownNumber(value)}`;
}

/** A number with commas between thousands, whatever the machine's locale. */
export function shownNumber(value: number): string {
  const short = rounded(value);
  const text = Math.abs(short) >= 1_000 ? short.toFixed(0) : String(short);
  const [whole = "", fraction] = text.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return line === "" ? lines : [...lines, line];
}
