import type { Moment } from "../../kernel/timeline.ts";
import { clockFace } from "../../scenario/clock-face.ts";
import { shortName, wordsOf } from "../../scenario/words.ts";
import type { LogOutcome } from "../../simulator/log.ts";
import { fitted, wrapped } from "../terminal/columns.ts";
import { counted } from "../terminal/counted.ts";
import type { Style } from "../terminal/style.ts";
import { aheadOf, isWithin, presentOf, type Survey } from "./survey.ts";

/** From so many columns on, a label and its picture share a line. */
const WIDE = 60;
const LABEL_COLUMNS = 30;
const COUNT_COLUMNS = 9;
const NARROW_MARGIN = "  ";
/** It is a picture, and no list: so many kinds have a line of their own. */
const MOST_ROWS = 16;

/** How a picture shows how many there are in a column: each sign stands for ten times as many as the one before. */
const SIGNS: readonly (readonly [sign: string, from: number, text: string])[] = [
  ["#", 1_000, "1,000 or more"],
  ["*", 100, "100"],
  ["+", 10, "10"],
  [":", 2, "2"],
  [".", 1, "1"],
];

/** What happened when, and what lies ahead: time runs to the right, facts are lines, and each half has its own scale. */
export function pictureLines(survey: Survey, outcome: LogOutcome, columns: number, style: Style): string[] {
  const nowMs = presentOf(survey, outcome);
  const ahead = aheadOf(nowMs, survey.stretch, outcome.pending);
  const hasAhead = ahead.bins.totals().length > 0;
  const isWide = columns >= WIDE;
  const room = isWide ? columns - LABEL_COLUMNS - COUNT_COLUMNS - 2 : columns - NARROW_MARGIN.length;
  const aheadColumns = hasAhead ? Math.max(4, Math.floor(room / 4)) : 0;
  const pastColumns = room - aheadColumns - (aheadColumns === 0 ? 0 : 1);
  const row = (label: string, count: string, past: string, future: string): string[] => {
    const cells = (aheadColumns === 0 ? past : `${past.padEnd(pastColumns)}|${future}`).trimEnd();
    if (isWide) {
      return [`${fitted(label, LABEL_COLUMNS).padEnd(LABEL_COLUMNS)} ${count.padStart(COUNT_COLUMNS)} ${cells}`];
    }
    // Where little room is, a label that says nothing helps nobody: it has a line of its own.
    const labels = columns - COUNT_COLUMNS - 1;
    return [`${fitted(label, labels).padEnd(labels)} ${count.padStart(COUNT_COLUMNS)}`, NARROW_MARGIN + cells];
  };
  const pastRows = rowsOf(survey.past.totals(), (kind) => survey.past.columns(kind, nowMs, pastColumns));
  const aheadRows = rowsOf(ahead.bins.totals(), (kind) => ahead.bins.columns(kind, ahead.lastMs, aheadColumns));
  const requestRows = rowsOf(survey.requests.totals(), (kind) => survey.requests.columns(kind, nowMs, pastColumns));
  const marks = marksWithin(survey, outcome);
  const markColumns = marks.map(([, { atMs }]) => columnOf(atMs, survey.startMs, nowMs, pastColumns));
  return [
    style.strong(fitted(`${counted(survey.commits, "commit")}, seed ${survey.seed}`, columns)),
    "",
    ...pastRows.flatMap(({ kind, count, cells }) => row(wordsOf(kind), count, cells, "")),
    ...requestRows.flatMap(({ kind, count, cells }) => row(kind, count, cells, "")),
    ...(marks.length === 0 ? [] : row("marks", `${marks.length}`, withSigns(markColumns, "^"), "")),
    ...aheadRows.flatMap(({ kind, count, cells }) => row(shortName(kind), count, "", cells)),
    "",
    ...wrapped(scaleText(survey.startMs, nowMs, pastColumns), "past   ", columns),
    ...(hasAhead ? wrapped(scaleText(nowMs, ahead.lastMs, aheadColumns), "ahead  ", columns) : []),
    ...(outcome.pending.length === 0 ? [fitted("ahead  no deadline", columns)] : []),
    ...marks.map(([name, { position, atMs }]) =>
      fitted(`mark   ${clockFace(atMs)} #${position} ${JSON.stringify(name)}`, columns),
    ),
    ...wrapped(legend(), "signs  ", columns).map(style.quiet),
  ];
}

/** The marks of a picture's past. */
export function marksWithin({ stretch }: Survey, { end }: LogOutcome): readonly (readonly [string, Moment])[] {
  return [...(end?.marks ?? [])].filter(([, { atMs }]) => isWithin(stretch, atMs));
}

interface Row {
  readonly kind: string;
  readonly count: string;
  readonly cells: string;
}

/** The most frequent kinds, each on a line; what is left over is added up on one. */
function rowsOf(totals: readonly (readonly [string, number])[], columnsOf: (kind: string) => readonly number[]): Row[] {
  const alone = totals.length <= MOST_ROWS ? totals : totals.slice(0, MOST_ROWS - 1);
  const rows = alone.map(([kind, count]) => rowOf(kind, count, columnsOf(kind)));
  const others = totals.slice(alone.length);
  if (others.length === 0) return rows;
  const sums = others.map(([kind]) => columnsOf(kind)).reduce((left, right) => left.map((n, i) => n + (right[i] ?? 0)));
  const count = others.reduce((sum, [, each]) => sum + each, 0);
  return [...rows, rowOf(`${others.length} other kinds`, count, sums)];
}

function rowOf(kind: string, count: number, columns: readonly number[]): Row {
  return { kind, count: count.toLocaleString("en-US"), cells: columns.map(signOf).join("") };
}

function signOf(count: number): string {
  return SIGNS.find(([, from]) => count >= from)?.[0] ?? " ";
}

function legend(): string {
  const ranges = [...SIGNS].reverse();
  return ranges
    .map(([sign, from, text], index) => {
      const next = ranges[index + 1]?.[1];
      return next === undefined || next === from + 1 ? `${sign} ${text}` : `${sign} ${text} to ${next - 1}`;
    })
    .join(", ");
}

function withSigns(columns: readonly number[], sign: string): string {
  const cells = new Array<string>(Math.max(0, ...columns) + 1).fill(" ");
  for (const column of columns) cells[column] = sign;
  return cells.join("");
}

function columnOf(atMs: number, startMs: number, untilMs: number, columns: number): number {
  return Math.min(columns - 1, Math.floor(((atMs - startMs) * columns) / (untilMs - startMs + 1)));
}

function scaleText(fromMs: number, toMs: number, columns: number): string {
  return `${clockFace(fromMs)} to ${clockFace(toMs)}, ${spanText((toMs - fromMs) / columns)} a column`;
}

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
];

/** A span of time in its largest unit. */
function spanText(ms: number): string {
  const [unitMs, name] = UNITS.find(([unit]) => ms >= unit) ?? [1, "ms"];
  return `${(ms / unitMs).toFixed(1).replace(/\.0$/, "")} ${name}`;
}
