import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { clockFace } from "../../scenario/clock-face.ts";
import type { NodeShown, Topology, TopologyLine } from "../protocol.ts";
import type { Store } from "./store.ts";

const NODE_WIDTH = 132;
const NODE_HEIGHT = 58;
const GAP = 30;
/** Between rows, where lines are written on. */
const ROW_GAP = 78;

const SPEEDS = [1, 10, 60, 600, 3_600, 86_400];
const SPEED_NAMES = ["as it is", "10 times", "1 min in 1 s", "10 min in 1 s", "1 h in 1 s", "1 day in 1 s"];

/** Clusters, regions, programs and lines as they stand at the cursor. */
export function TopologyView({ store }: { readonly store: Store }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      width.value = entry?.contentRect.width ?? 0;
    });
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, [width]);
  const moment = store.moment.value;
  const topology = moment?.topology;
  const isPlaying = store.playedMs.value !== undefined;
  const nowMs = store.playedMs.value ?? moment?.atMs ?? 0;
  return (
    <section class="topology" aria-label="Topology" data-position={moment?.position}>
      <h2>Topology</h2>
      <div class="steps">
        <button type="button" aria-pressed={isPlaying} onClick={() => store.playOrPause()}>
          {isPlaying ? "❚❚ pause" : "▶ play"}
        </button>
        <label>
          Speed{" "}
          <select
            value={store.speed.value}
            onChange={({ currentTarget }) => (store.speed.value = Number(currentTarget.value))}
          >
            {SPEEDS.map((speed, index) => (
              <option key={speed} value={speed}>
                {SPEED_NAMES[index]}
              </option>
            ))}
          </select>
        </label>
        <span class="time">{clockFace(Math.floor(nowMs))}</span>
      </div>
      <div ref={box} class="map" tabIndex={0} role="group" aria-label="Who stands where">
        {topology !== undefined && width.value > 0 && <Drawing topology={topology} width={width.value} nowMs={nowMs} />}
        <ul class="lines">
          {topology?.lines.map(({ from, to, text, isUp }, index) => (
            <li key={index} class={isUp ? "" : "down"}>
              {isUp ? "→" : "✂"} {nameOf(from)} {isUp ? "to" : "and"} {nameOf(to)}: {text}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

interface DrawingProps {
  readonly topology: Topology;
  readonly width: number;
  readonly nowMs: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function Drawing({ topology: { nodes, lines }, width, nowMs }: DrawingProps): JSX.Element {
  const { places, height } = laidOut(nodes, width);
  return (
    <svg width={width} height={height} role="img" aria-label={`${nodes.length} places; their lines are told below`}>
      {lines.map((line, index) => {
        const from = places.get(line.from);
        const to = places.get(line.to);
        if (from === undefined || to === undefined) return null;
        return <Line key={index} line={line} curve={curveOf(from, to, line.kind)} nowMs={nowMs} />;
      })}
      {nodes.map((node) => {
        const { x, y } = places.get(node.id) ?? { x: 0, y: 0 };
        return <Node key={node.id} node={node} x={x - NODE_WIDTH / 2} y={y - NODE_HEIGHT / 2} />;
      })}
    </svg>
  );
}

/** Programs above, then clusters, regions, and the run service, each as many in a row as have room. */
function laidOut(nodes: readonly NodeShown[], width: number): { places: ReadonlyMap<string, Point>; height: number } {
  const places = new Map<string, Point>();
  const room = Math.max(1, Math.floor((width - GAP) / (NODE_WIDTH + GAP)));
  let y = 10 + NODE_HEIGHT / 2;
  for (const kind of ["program", "cluster", "region", "runs"]) {
    const own = nodes.filter(({ id }) => id.split(" ")[0] === kind);
    for (let first = 0; first < own.length; first += room) {
      const row = own.slice(first, first + room);
      for (const [index, { id }] of row.entries()) places.set(id, { x: (width * (index + 0.5)) / row.length, y });
      y += NODE_HEIGHT + ROW_GAP;
    }
  }
  return { places, height: Math.max(20, y - NODE_HEIGHT / 2 - ROW_GAP / 2) };
}

/** A bow, so that lines of the same two places do not lie on each other. */
type Curve = readonly [from: Point, middle: Point, to: Point];

function curveOf(from: Point, to: Point, kind: TopologyLine["kind"]): Curve {
  const isBeside = Math.abs(from.y - to.y) < 1;
  const bow = kind === "shipping" ? 110 : kind === "cut" ? 40 : 0;
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  return [from, isBeside ? { x: middle.x, y: middle.y + bow } : { x: middle.x + bow, y: middle.y }, to];
}

function along([from, middle, to]: Curve, share: number): Point {
  const mix = (a: number, b: number, c: number): number =>
    (1 - share) ** 2 * a + 2 * share * (1 - share) * b + share ** 2 * c;
  return { x: mix(from.x, middle.x, to.x), y: mix(from.y, middle.y, to.y) };
}

interface LineProps {
  readonly line: TopologyLine;
  readonly curve: Curve;
  readonly nowMs: number;
}

function Line({ line: { kind, isUp, flights }, curve, nowMs }: LineProps): JSX.Element {
  const [from, middle, to] = curve;
  const centre = along(curve, 0.5);
  return (
    <g class={`line ${kind} ${isUp ? "up" : "down"}`}>
      <path d={`M${from.x} ${from.y}Q${middle.x} ${middle.y} ${to.x} ${to.y}`} />
      <text x={centre.x} y={centre.y + 4} text-anchor="middle">
        {isUp ? (Math.abs(from.y - to.y) < 1 ? (from.x < to.x ? "▶" : "◀") : from.y < to.y ? "▼" : "▲") : "✂"}
      </text>
      {flights.map(({ sentAtMs, arrivesAtMs }, index) => {
        const share = arrivesAtMs <= sentAtMs ? 1 : (nowMs - sentAtMs) / (arrivesAtMs - sentAtMs);
        const { x, y } = along(curve, Math.max(0.2, Math.min(0.8, 0.2 + share * 0.6)));
        return <circle key={index} class="flight" data-share={share.toFixed(3)} cx={x} cy={y} r={5} />;
      })}
    </g>
  );
}

function Node({ node: { id, role, state, isUp }, x, y }: { node: NodeShown; x: number; y: number }): JSX.Element {
  const kind = id.split(" ")[0];
  const told = [nameOf(id), role || kind, state].filter((text) => text !== "");
  return (
    <g class={`node ${kind} ${isUp ? "up" : "down"}`} data-node={id} transform={`translate(${x} ${y})`}>
      <rect width={NODE_WIDTH} height={NODE_HEIGHT} rx={kind === "program" ? 20 : 5}>
        <title>{told.join(": ")}</title>
      </rect>
      {told.map((text, index) => (
        <text key={index} x={NODE_WIDTH / 2} y={index * 16 + (told.length === 2 ? 26 : 18)} text-anchor="middle">
          {index === 2 && !isUp && "✕ "}
          {text && text.length > 21 ? `${text.slice(0, 20)}…` : text}
        </text>
      ))}
    </g>
  );
}

function nameOf(id: string): string {
  return id.slice(id.indexOf(" ") + 1);
}
