import * as dagre from "@dagrejs/dagre";
import { type Chart, moveText } from "./charts.ts";

/** What is used of the layout: its own declarations name files in a way that this module system does not resolve. */
interface Graph {
  setGraph(options: object): void;
  setNode(name: string, size: object): void;
  setEdge(from: string, to: string, label: object): void;
  nodes(): string[];
  edges(): { readonly v: string; readonly w: string }[];
  node(name: string): Box;
  edge(edge: object): { readonly points: readonly Point[]; readonly x?: number; readonly y?: number };
}
const { Graph, layout } = dagre as unknown as {
  readonly Graph: new (options: object) => Graph;
  readonly layout: (graph: Graph) => void;
};

const CHARACTER_WIDTH = 7.3;
const LINE_HEIGHT = 16;
const STATE_HEIGHT = 34;
const MARGIN = 16;
/** How far apart the ends of a loop are. */
const LOOP = 14;
/** The dot in front of the initial state: no state has this name. */
const START = "[*]";
const START_RADIUS = 6;

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

interface Arrow {
  readonly path: string;
  readonly label: readonly string[];
  /** The middle of its label. */
  readonly at: Point | undefined;
}

/** A chart as a picture. What it shows comes from the chart's definition alone, so equal charts are equal pictures. */
export function svgOf(chart: Chart): string {
  const { width, height, boxes, arrows } = laidOut(chart);
  const finals = new Set(chart.states.filter(({ isFinal }) => isFinal).map(({ name }) => name));
  const title = escaped(`The chart ${chart.id}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    "<style>",
    "text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; text-anchor: middle; dominant-baseline: central; }",
    ".move text { font-size: 11px; fill: #57606a; }",
    ".state rect { fill: #eef4fb; stroke: #3b6ea5; }",
    ".final rect { fill: #f6f8fa; stroke: #57606a; }",
    ".move path { fill: none; stroke: #8c959f; }",
    "</style>",
    '<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#8c959f"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...arrows.map(({ path }) => `<g class="move"><path d="${path}" marker-end="url(#end)"/></g>`),
    ...arrows.flatMap(labelOf),
    ...[...boxes].map(([name, box]) => (name === START ? startOf(box) : stateOf(name, box, finals.has(name)))),
    "</svg>",
    "",
  ].join("\n");
}

interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: ReadonlyMap<string, Box>;
  readonly arrows: readonly Arrow[];
}

function laidOut({ initial, states, moves }: Chart): Drawing {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 36, ranksep: 44, edgesep: 18, marginx: MARGIN, marginy: MARGIN });
  graph.setNode(START, { width: 2 * START_RADIUS, height: 2 * START_RADIUS });
  for (const { name } of states) {
    graph.setNode(name, { width: round(name.length * CHARACTER_WIDTH + 28), height: STATE_HEIGHT });
  }
  graph.setEdge(START, initial, { width: 0, height: 0 });
  // Moves between the same two states share an arrow, and each has a line at it.
  const labels = new Map<string, { from: string; to: string; lines: string[] }>();
  for (const move of moves) {
    const key = JSON.stringify([move.from, move.to]);
    const label = labels.get(key) ?? { from: move.from, to: move.to, lines: [] };
    label.lines.push(moveText(move));
    labels.set(key, label);
  }
  for (const { from, to, lines } of labels.values()) {
    graph.setEdge(from, to, { width: labelWidth(lines) + 4, height: lines.length * LINE_HEIGHT, labelpos: "c" });
  }
  layout(graph);
  const boxes = new Map(graph.nodes().map((name) => [name, graph.node(name)] as const));
  let [right, bottom] = [0, 0];
  const reach = (x: number, y: number): void => {
    [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
  };
  for (const { x, y, width, height } of boxes.values()) reach(x + width / 2, y + height / 2);
  const arrows = graph.edges().map((edge): Arrow => {
    const { points, x, y } = graph.edge(edge);
    const label = labels.get(JSON.stringify([edge.v, edge.w]))?.lines ?? [];
    const at = x === undefined || y === undefined || label.length === 0 ? undefined : { x, y };
    if (at !== undefined) reach(at.x + labelWidth(label) / 2, at.y);
    for (const point of points) reach(point.x, point.y);
    const box = boxes.get(edge.v);
    const isLoop = edge.v === edge.w && box !== undefined && at !== undefined;
    return { path: isLoop ? loopOf(box, at, label) : pathOf(points), label, at };
  });
  return { width: Math.ceil(right + MARGIN), height: Math.ceil(bottom + MARGIN), boxes, arrows };
}

function labelWidth(lines: readonly string[]): number {
  return round(Math.max(...lines.map(({ length }) => length)) * CHARACTER_WIDTH * 0.92 + 4);
}

/** A move that leads back to where it began: out at the right of the state, to its label, and in again. */
function loopOf({ x, y, width }: Box, at: Point, label: readonly string[]): string {
  const [side, far] = [x + width / 2, at.x - labelWidth(label) / 2];
  const [above, below] = [y - LOOP / 2, y + LOOP / 2];
  return `M${spot({ x: side, y: above })}C${spot({ x: far, y: above - LOOP })} ${spot({ x: far, y: below + LOOP })} ${spot({ x: side, y: below })}`;
}

/** A curve through the middles of the way's corners. */
function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (first === undefined || last === undefined) return "";
  let path = `M${spot(first)}`;
  for (let index = 0; index < rest.length - 1; index++) {
    const [corner, next] = [rest[index] as Point, rest[index + 1] as Point];
    const isLastCorner = index === rest.length - 2;
    path += `Q${spot(corner)} ${spot(isLastCorner ? next : { x: (corner.x + next.x) / 2, y: (corner.y + next.y) / 2 })}`;
  }
  return rest.length === 1 ? `${path}L${spot(last)}` : path;
}

function labelOf({ label, at }: Arrow): string[] {
  if (at === undefined || label.length === 0) return [];
  const [width, height] = [labelWidth(label), label.length * LINE_HEIGHT];
  const [left, top] = [round(at.x - width / 2), round(at.y - height / 2)];
  const lines = label.map((line, index) => {
    const y = round(top + LINE_HEIGHT * (index + 0.5));
    return `<text x="${round(at.x)}" y="${y}">${escaped(line)}</text>`;
  });
  const ground = `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="#ffffff" fill-opacity="0.85"/>`;
  return [`<g class="move">${ground}${lines.join("")}</g>`];
}

function stateOf(name: string, { x, y, width, height }: Box, isFinal: boolean): string {
  const rect = (inset: number): string =>
    `<rect x="${round(x - width / 2 + inset)}" y="${round(y - height / 2 + inset)}" ` +
    `width="${round(width - 2 * inset)}" height="${height - 2 * inset}" rx="${8 - inset}"/>`;
  const text = `<text x="${round(x)}" y="${round(y)}">${escaped(name)}</text>`;
  return `<g class="state${isFinal ? " final" : ""}">${rect(0)}${isFinal ? rect(3) : ""}${text}</g>`;
}

function startOf({ x, y }: Box): string {
  return `<circle cx="${round(x)}" cy="${round(y)}" r="${START_RADIUS}" fill="#1f2328"/>`;
}

function spot({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
