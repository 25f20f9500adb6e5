import { clockFace } from "../../scenario/clock-face.ts";
import { escaped } from "../machines/svg.ts";
import type { Sequence, Step, StepKind } from "./steps.ts";

const MARGIN = 20;
const ROW = 22;
/** How wide a letter of the font is. */
const LETTER = 7.25;
const LONGEST_TEXT = 110;

const COLOURS: { readonly [K in StepKind]: string } = {
  request: "#3b6ea5",
  answer: "#3b6ea5",
  shipment: "#2f7d4f",
  deadline: "#946200",
  fault: "#b3261e",
  act: "#57606a",
  title: "#1f2328",
};

/** The same as a picture: what it shows comes from the steps alone, so equal logs are equal pictures. */
export function sequenceSvg({ lives, steps }: Sequence, title: string): string {
  const gap = Math.max(90, ...lives.map((name) => (name.length + 3) * LETTER));
  const xOf = (name: string): number => Math.round(MARGIN + gap * (lives.indexOf(name) + 0.5));
  const textX = Math.round(MARGIN + gap * lives.length + 12);
  const rows: string[] = [];
  let y = MARGIN + ROW;
  let nowMs: number | undefined;
  for (const step of steps) {
    if (step.atMs !== nowMs) {
      y += ROW;
      rows.push(`<text class="time" x="${MARGIN}" y="${y}">${clockFace(step.atMs)}</text>`);
    }
    nowMs = step.atMs;
    y += ROW;
    const isEverywhere = step.kind === "fault" && step.ends.length === 0;
    const shape = isEverywhere ? lives.map((name) => crossAt(xOf(name), y)).join("") : shapeOf(step, y, xOf);
    rows.push(drawn(step, shape, y, textX));
  }
  const height = y + ROW + MARGIN;
  const longest = Math.max(0, ...steps.map(({ text }) => Math.min(text.length, LONGEST_TEXT)));
  const width = Math.round(textX + longest * LETTER + MARGIN);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    "<style>",
    "text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; dominant-baseline: central; }",
    ".name { font-weight: 600; text-anchor: middle; }",
    ".time { fill: #57606a; }",
    ".life { stroke: #c4cad1; stroke-dasharray: 3 3; }",
    ...Object.entries(COLOURS).map(([kind, colour]) => `.${kind} { stroke: ${colour}; fill: ${colour}; }`),
    ".answer line { stroke-dasharray: 5 3; }",
    ".shipment line { stroke-width: 2.5; }",
    ".lost { stroke: #b3261e; fill: #b3261e; }",
    "g text { stroke: none; }",
    "</style>",
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...lives.flatMap((name) => [
      `<line class="life" x1="${xOf(name)}" y1="${MARGIN + ROW}" x2="${xOf(name)}" y2="${height - MARGIN}"/>`,
      `<text class="name" x="${xOf(name)}" y="${MARGIN + ROW / 2}">${escaped(name)}</text>`,
    ]),
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

function shapeOf({ kind, ends, isLost }: Step, y: number, xOf: (name: string) => number): string {
  const [from, to = from] = ends.map(xOf);
  if (from === undefined || to === undefined) return "";
  return to === from ? pointAt(from, y, kind) : between(from, to, y, kind, isLost);
}

function drawn({ kind, text, isLost }: Step, shape: string, y: number, textX: number): string {
  const shown = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 3)}...` : text;
  return `<g class="${isLost ? `${kind} lost` : kind}">${shape}<text x="${textX}" y="${y}">${escaped(shown)}</text></g>`;
}

function pointAt(x: number, y: number, kind: StepKind): string {
  return kind === "fault" ? crossAt(x, y) : `<circle cx="${x}" cy="${y}" r="${kind === "deadline" ? 5 : 3.5}"/>`;
}

function crossAt(x: number, y: number): string {
  return `<path d="M${x - 5} ${y - 5}L${x + 5} ${y + 5}M${x - 5} ${y + 5}L${x + 5} ${y - 5}" stroke-width="2.5"/>`;
}

function between(from: number, to: number, y: number, kind: StepKind, isLost: true | undefined): string {
  const line = (end: number): string => `<line x1="${from}" y1="${y}" x2="${end}" y2="${y}"/>`;
  if (kind === "fault") return line(to) + crossAt(from, y) + crossAt(to, y);
  const back = to > from ? -8 : 8;
  if (isLost) return line(to + 2 * back) + crossAt(to + 2 * back, y);
  return `${line(to)}<path d="M${to} ${y}L${to + back} ${y - 4}L${to + back} ${y + 4}z"/>`;
}
