import { clockFace } from "../../scenario/clock-face.ts";
import { fitted, wrapped } from "../terminal/columns.ts";
import type { Style } from "../terminal/style.ts";
import type { Sequence, Step, StepKind } from "./steps.ts";

/** Columns from one line of life to the next. */
const NEAREST = 5;
const FARTHEST = 14;
/** The texts of steps have the rest. */
const SHARE_OF_LIVES = 0.5;

/** What an arrow is made of, or, on one line of life, what stands on it. */
const SIGNS: { readonly [K in Exclude<StepKind, "title">]: { readonly shaft: string; readonly point: string } } = {
  request: { shaft: "-", point: "o" },
  answer: { shaft: ".", point: "o" },
  shipment: { shaft: "=", point: "o" },
  deadline: { shaft: "-", point: "*" },
  fault: { shaft: "~", point: "X" },
  act: { shaft: "-", point: "o" },
};

const LEGEND = "-> request, ..> answer that took time, => shipment, -x lost, * deadline, X fault, o anything else";

/** Lines of life beside each other, time running down: each instant has a line, and each step at it one below. */
export function sequenceLines({ lives, steps }: Sequence, columns: number, style: Style): string[] {
  if (steps.length === 0) return ["nothing happened"];
  const wanted = Math.max(...lives.map((name) => name.length)) + 2;
  const room = Math.floor((columns * SHARE_OF_LIVES) / Math.max(1, lives.length));
  const gap = Math.max(NEAREST, Math.min(FARTHEST, wanted, room));
  const head = `  ${lives.map((name) => fitted(name, gap - 1).padEnd(gap)).join("")}`.trimEnd();
  const lines = [style.strong(fitted(head, columns))];
  let nowMs: number | undefined;
  for (const step of steps) {
    if (step.atMs !== nowMs) lines.push(style.quiet(clockFace(step.atMs)));
    nowMs = step.atMs;
    const line = fitted(lineOf(step, lives, gap), columns);
    lines.push(step.kind === "fault" || step.isLost ? style.bad(line) : line);
  }
  return [...lines, "", ...wrapped(LEGEND, "signs  ", columns).map(style.quiet)];
}

function lineOf({ kind, text, ends, isLost }: Step, lives: readonly string[], gap: number): string {
  const cells = [...lives.flatMap(() => ["|", ...new Array<string>(gap - 1).fill(" ")])];
  const columnsOf = ends.map((name) => lives.indexOf(name) * gap);
  if (kind === "title") return `  ${cells.join("")}== ${text}`;
  const { shaft, point } = SIGNS[kind];
  const [from = 0, to = from] = columnsOf;
  if (from === to) {
    const touched = kind === "fault" && columnsOf.length === 0 ? lives.map((_, index) => index * gap) : columnsOf;
    for (const column of touched) cells[column] = point;
    return `  ${cells.join("")}${text}`;
  }
  const [left, right] = [Math.min(from, to), Math.max(from, to)];
  for (let column = left + 1; column < right; column++) cells[column] = cells[column] === "|" ? "+" : shaft;
  if (kind === "fault") cells[left] = cells[right] = point;
  else cells[to > from ? right - 1 : left + 1] = isLost ? "x" : to > from ? ">" : "<";
  return `  ${cells.join("")}${text}`;
}
