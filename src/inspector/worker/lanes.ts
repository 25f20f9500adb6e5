import type { Simulator } from "../../index.ts";
import { parsePath, valueAt } from "../../kernel/state-path.ts";
import { type PlaceStatus, placesOf } from "../../scenario/places.ts";
import type { WorldTimeline } from "../../simulator/world.ts";
import type { Lane, Span } from "../protocol.ts";
import { textShown } from "./shown-values.ts";
import { isUp } from "./topology.ts";
import { valuesOf } from "./writers.ts";

/** So many places of a stretch are looked at; between two that differ, each change is sought. What changes and changes back between is missed. */
const LOOKS = 400;

/** What clusters and regions were from one position to another. */
export function lanesOf(sim: Simulator, from: number, to: number): Lane[] {
  const seen = new Map<number, readonly PlaceStatus[]>();
  const look = (position: number): readonly PlaceStatus[] => {
    const known = seen.get(position) ?? placesOf(sim.at(position));
    seen.set(position, known);
    return known;
  };
  const stride = Math.max(1, Math.ceil((to - from) / LOOKS));
  const positions: number[] = [from];
  for (let low = from; low < to; low += stride) {
    const high = Math.min(to, low + stride);
    changesBetween(look, low, high, positions);
    // Lags and indexes change with each write: they are not sought.
    if (positions.at(-1) !== high && lagsOf(look(low)) !== lagsOf(look(high))) positions.push(high);
  }
  const lanes = new Map<string, Lane & { readonly spans: Span[] }>();
  for (const position of positions) {
    for (const { kind, name, role, also, state, lag = "none", lastWal } of look(position)) {
      const lane = lanes.get(`${kind} ${name}`) ?? { kind, name, spans: [] };
      lanes.set(`${kind} ${name}`, lane);
      const span = {
        from: position,
        role: also === undefined ? role : `${role}, ${also}`,
        state: lag === "none" ? state : `${state}, lag ${lag}`,
        index: lastWal,
        isUp: isUp(state),
      };
      const last = lane.spans.at(-1);
      if (last?.role !== span.role || last.state !== span.state) lane.spans.push(span);
    }
  }
  return [...lanes.values()];
}

/** What stood at a path from one position to another; where it changed too often, what it was at so many places. @throws TypeError for a path that is none */
export function laneOfPath(history: WorldTimeline["history"], path: string, from: number, to: number): Lane {
  const names = parsePath(path);
  const spans: Span[] = [];
  const add = (position: number, value: unknown): void => {
    const state = value === undefined ? "nothing" : textShown(JSON.stringify(value));
    if (spans.at(-1)?.state !== state) spans.push({ from: position, role: "", state, isUp: value !== undefined });
  };
  const look = (position: number): void => add(position, valueAt(history.stateAt(position), names).value);
  const changes: { readonly position: number; readonly value: unknown }[] = [];
  for (const change of valuesOf(history, path, from, to)) if (changes.push(change) > LOOKS) break;
  look(from);
  if (changes.length > LOOKS) {
    for (let place = 1; place <= LOOKS; place++) look(from + Math.floor(((to - from) * place) / LOOKS));
  } else {
    for (const { position, value } of changes.reverse()) add(position, value);
  }
  return { kind: "path", name: path, spans };
}

/** The positions after one, up to another, at which the places became other ones. */
function changesBetween(
  look: (position: number) => readonly PlaceStatus[],
  low: number,
  high: number,
  found: number[],
): void {
  if (textOf(look(low)) === textOf(look(high))) return;
  if (high - low === 1) {
    found.push(high);
    return;
  }
  const middle = Math.floor((low + high) / 2);
  changesBetween(look, low, middle, found);
  changesBetween(look, middle, high, found);
}

function lagsOf(places: readonly PlaceStatus[]): string {
  return JSON.stringify(places.map(({ lag }) => lag));
}

function textOf(places: readonly PlaceStatus[]): string {
  return JSON.stringify(places.map(({ kind, name, role, also, state }) => [kind, name, role, also, state]));
}
