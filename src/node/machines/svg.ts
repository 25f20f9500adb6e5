import { type Chart, type ChartMove, type ChartState, listedText, moveText } from "../../simulator/charts.ts";
import {
  type Arrow,
  type Box,
  type Heading,
  LINE_HEIGHT,
  laidOut,
  type Point,
  rounded,
  START,
  START_RADIUS,
  STATE_HEIGHT,
} from "./layout.ts";
import { partsOf } from "./parts.ts";

/** How far apart the ends of a loop are. */
const LOOP = 14;

/** A chart as a picture. What it shows comes from the chart's definition alone, so equal charts are equal pictures. */
export function svgOf(chart: Chart): string {
  const { width, height, boxes, arrows, headings } = laidOut(chart);
  const { listed } = partsOf(chart);
  const title = escaped(`${chart.id}: ${chart.description}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    "<style>",
    "text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; text-anchor: middle; dominant-baseline: central; }",
    ".move text { font-size: 11px; fill: #57606a; }",
    ".listed text, .heading { text-anchor: start; }",
    ".state rect { fill: #eef4fb; stroke: #3b6ea5; }",
    ".final rect { fill: #f6f8fa; stroke: #57606a; }",
    ".never rect { fill: #ffffff; stroke: #8c959f; stroke-dasharray: 4 3; }",
    ".move path { fill: none; stroke: #8c959f; }",
    "</style>",
    '<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#8c959f"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...arrows.map((arrow) => `<g class="move"><path d="${pathOf(arrow)}" marker-end="url(#end)"/></g>`),
    ...arrows.flatMap(labelOf),
    ...[...boxes].filter(([name]) => name === START).map(([, box]) => startOf(box)),
    ...chart.states.flatMap((state) => {
      const box = boxes.get(state.name);
      const within = listed.filter(({ from }) => from === state.name);
      return box === undefined ? [] : stateOf(state, box, within);
    }),
    ...headings.map(headingOf),
    "</svg>",
    "",
  ].join("\n");
}

function pathOf({ way, label }: Arrow): string {
  return "x" in way ? loopOf(way, label) : curveOf(way);
}

/** Out at the right of the state, to the label, and in again. */
function loopOf({ x, y, width }: Box, label: Box): string {
  const side = x + width / 2;
  // A curve comes three quarters of the way to its handles.
  const far = side + (label.x - label.width / 2 - side) / 0.75;
  const [above, below] = [y - LOOP / 2, y + LOOP / 2];
  return `M${spot({ x: side, y: above })}C${spot({ x: far, y: above - LOOP })} ${spot({ x: far, y: below + LOOP })} ${spot({ x: side, y: below })}`;
}

/** A curve through all points of a way, upright in each. */
function curveOf(way: readonly Point[]): string {
  return way.reduce((path, point, index) => {
    const before = way[index - 1];
    if (before === undefined) return `M${spot(point)}`;
    const y = (before.y + point.y) / 2;
    return `${path}C${spot({ x: before.x, y })} ${spot({ x: point.x, y })} ${spot(point)}`;
  }, "");
}

function labelOf({ moves, label }: Arrow): string[] {
  if (moves.length === 0) return [];
  const { x, y, width, height } = label;
  const [left, top] = [rounded(x - width / 2), rounded(y - height / 2)];
  const lines = moves.map((move, index) => lineOf(move, moveText(move), x, top + LINE_HEIGHT * (index + 0.5)));
  const ground = `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="#ffffff" fill-opacity="0.85"/>`;
  return [`<g class="move">${ground}${lines.join("")}</g>`];
}

/** The text of a move; its description shows where one points. */
function lineOf({ description }: ChartMove, text: string, x: number, y: number): string {
  return `<text x="${rounded(x)}" y="${rounded(y)}"><title>${escaped(description)}</title>${escaped(text)}</text>`;
}

function stateOf(
  { name, description, isFinal, isNeverEntered }: ChartState,
  { x, y, width, height }: Box,
  listed: readonly ChartMove[],
): string[] {
  const [left, top] = [x - width / 2, y - height / 2];
  const rect = (inset: number): string =>
    `<rect x="${rounded(left + inset)}" y="${rounded(top + inset)}" ` +
    `width="${rounded(width - 2 * inset)}" height="${height - 2 * inset}" rx="${8 - inset}"/>`;
  const text = `<text x="${rounded(x)}" y="${rounded(top + STATE_HEIGHT / 2)}">${escaped(name)}</text>`;
  const lines = listed.map((move, index) =>
    lineOf(move, listedText(move), left + 10, top + STATE_HEIGHT + LINE_HEIGHT * (index + 0.25)),
  );
  const kind = `state${isFinal ? " final" : ""}${isNeverEntered ? " never" : ""}`;
  return [
    `<g class="${kind}"><title>${escaped(description)}</title>${rect(0)}${isFinal ? rect(3) : ""}${text}</g>`,
    ...(lines.length === 0 ? [] : [`<g class="move listed">${lines.join("")}</g>`]),
  ];
}

function startOf({ x, y }: Box): string {
  return `<circle cx="${rounded(x)}" cy="${rounded(y)}" r="${START_RADIUS}" fill="#1f2328"/>`;
}

function headingOf({ text, x, y }: Heading): string {
  return `<text class="heading" x="${rounded(x)}" y="${rounded(y)}">${escaped(text)}</text>`;
}

function spot({ x, y }: Point): string {
  return `${rounded(x)} ${rounded(y)}`;
}

/** Text as XML takes it. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
