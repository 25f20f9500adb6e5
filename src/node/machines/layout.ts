import * as dagre from "@dagrejs/dagre";
import { type Chart, type ChartMove, type ChartState, listedText, moveText } from "../../simulator/charts.ts";
import { grouped, type Parts, partsOf } from "./parts.ts";

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
export const LINE_HEIGHT = 16;
/** Room for a state's name; what is listed stands below it. */
export const STATE_HEIGHT = 34;
const MARGIN = 16;
/** Between boxes that no arrow leads to. */
const GAP = 14;
/** Rows are no wider than this, whatever the arrows need. */
const WIDEST_ROW = 1580;
/** The dot in front of the initial state: no state has this name. */
export const START = "[*]";
export const START_RADIUS = 6;

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Its point is its middle. */
export interface Box extends Point, Size {}

/** What leads from one state to another. */
export interface Arrow {
  /** One a line of its label; none at the arrow to the initial state. */
  readonly moves: readonly ChartMove[];
  readonly label: Box;
  /** The points that it goes through; for one that leads back, the box that it leaves. */
  readonly way: readonly Point[] | Box;
}

export interface Heading extends Point {
  readonly text: string;
}

/** Where all that is drawn of a chart has its place. */
export interface Drawing extends Size {
  /** By the names of states. */
  readonly boxes: ReadonlyMap<string, Box>;
  readonly arrows: readonly Arrow[];
  readonly headings: readonly Heading[];
}

/** What arrows link is laid out by them; other states stand in rows below. */
export function laidOut(chart: Chart): Drawing {
  const parts = partsOf(chart);
  const graph = graphOf(chart, parts);
  const boxes = new Map(graph.nodes().map((name) => [name, graph.node(name)] as const));
  const labels = grouped(parts.arrows, ({ from, to }) => [from, to]);
  const arrows = graph.edges().map((edge): Arrow => {
    const moves = labels.find(([{ from, to }]) => from === edge.v && to === edge.w) ?? [];
    const { x = 0, y = 0 } = graph.edge(edge);
    return { moves, label: { x, y, ...labelSize(moves) }, way: wayOf(graph, edge) };
  });
  const headings: Heading[] = [];
  let [right, bottom] = [0, 0];
  const reach = ({ x, y, width, height }: Box): void => {
    [right, bottom] = [Math.max(right, x + width / 2), Math.max(bottom, y + height / 2)];
  };
  for (const box of [...boxes.values(), ...arrows.map(({ label }) => label)]) reach(box);
  for (const { way } of arrows) if (!("x" in way)) for (const point of way) reach({ ...point, width: 0, height: 0 });
  const apart = [
    { text: "where listed moves lead:", states: parts.unlinked },
    { text: "never entered:", states: parts.neverEntered },
  ];
  for (const { text, states } of apart) {
    if (states.length === 0) continue;
    headings.push({ text, x: MARGIN, y: bottom + 3 * GAP });
    const row = Math.min(WIDEST_ROW, Math.max(right, WIDEST_ROW / 2));
    for (const [name, box] of inRows(states, parts, bottom + 4 * GAP, row)) {
      boxes.set(name, box);
      reach(box);
    }
  }
  return { width: Math.ceil(right + MARGIN), height: Math.ceil(bottom + MARGIN), boxes, arrows, headings };
}

function graphOf({ initial }: Chart, parts: Parts): Graph {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 36, ranksep: 44, edgesep: 18, marginx: MARGIN, marginy: MARGIN });
  graph.setNode(START, { width: 2 * START_RADIUS, height: 2 * START_RADIUS });
  for (const state of parts.linked) graph.setNode(state.name, stateSize(state, parts));
  graph.setEdge(START, initial, { width: 0, height: 0 });
  // Moves between the same two states share an arrow, and each has a line at it.
  for (const moves of grouped(parts.arrows, ({ from, to }) => [from, to])) {
    const { width, height } = labelSize(moves);
    graph.setEdge(moves[0].from, moves[0].to, { width: width + 4, height, labelpos: "c" });
  }
  layout(graph);
  return graph;
}

/** Boxes side by side, in as many rows as they need. */
function inRows(
  states: readonly ChartState[],
  parts: Parts,
  top: number,
  right: number,
): (readonly [name: string, box: Box])[] {
  let [x, y, tallest] = [MARGIN, top, 0];
  return states.map((state) => {
    const { width, height } = stateSize(state, parts);
    if (x > MARGIN && x + width > right) [x, y, tallest] = [MARGIN, y + tallest + GAP, 0];
    const box = { width, height, x: x + width / 2, y: y + height / 2 };
    [x, tallest] = [x + width + GAP, Math.max(tallest, height)];
    return [state.name, box] as const;
  });
}

// --- arrows ---------------------------------------------------------------------------------------------------------

function wayOf(graph: Graph, edge: { readonly v: string; readonly w: string }): readonly Point[] | Box {
  if (edge.v === edge.w) return graph.node(edge.v);
  const way = graph.edge(edge).points.slice(1, -1);
  const [first, last] = [way[0], way.at(-1)];
  if (first === undefined || last === undefined) return way;
  return [touchOf(graph, edge.v, first), ...way, touchOf(graph, edge.w, last)];
}

/** Where a way touches a state: at its top or bottom, which all ways there share in the order of their next points. */
function touchOf(graph: Graph, name: string, next: Point): Point {
  const { x, y, width, height } = graph.node(name);
  const isBelow = next.y > y;
  const order = graph
    .edges()
    .filter(({ v, w }) => v !== w)
    .flatMap((edge) => {
      const { points } = graph.edge(edge);
      return [...(edge.v === name ? points.slice(1, 2) : []), ...(edge.w === name ? points.slice(-2, -1) : [])];
    })
    .filter((point) => point.y > y === isBelow)
    .map((point) => point.x)
    .sort((left, right) => left - right);
  return {
    x: x - width / 2 + (width * (order.indexOf(next.x) + 1)) / (order.length + 1),
    y: y + (isBelow ? height / 2 : -height / 2),
  };
}

// --- sizes ----------------------------------------------------------------------------------------------------------

function stateSize({ name }: ChartState, { listed }: Parts): Size {
  const lines = listed.filter(({ from }) => from === name).map(listedText);
  const width = Math.max(name.length * CHARACTER_WIDTH + 28, lineWidth(lines) + 20);
  return { width: rounded(width), height: STATE_HEIGHT + lines.length * LINE_HEIGHT };
}

function labelSize(moves: readonly ChartMove[]): Size {
  return { width: rounded(lineWidth(moves.map(moveText)) + 4), height: moves.length * LINE_HEIGHT };
}

/** Of moves, whose letters are smaller than those of states. */
function lineWidth(lines: readonly string[]): number {
  return Math.max(0, ...lines.map(({ length }) => length)) * CHARACTER_WIDTH * 0.92;
}

export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
