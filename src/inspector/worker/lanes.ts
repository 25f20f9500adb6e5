import type { Simulator } from "../../index.ts";
import { type PlaceStatus, placesOf } from "../../scenario/places.ts";
import type { Lane, Span } from "../protocol.ts";

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
  for (let low = from; low < to; low += stride) changesBetween(look, low, Math.min(to, low + stride), positions);
  const lanes = new Map<string, Lane & { readonly spans: Span[] }>();
  for (const position of positions) {
    for (const { kind, name, role, also, state } of look(position)) {
      const lane = lanes.get(`${kind} ${name}`) ?? { kind, name, spans: [] };
      lanes.set(`${kind} ${name}`, lane);
      const span = {
        from: position,
        role: also === undefined ? role : `${role}, ${also}`,
        state,
        isUp: !/^(stopped|sealed|no leader)/.test(state),
      };
      const last = lane.spans.at(-1);
      if (last?.role !== span.role || last.state !== span.state) lane.spans.push(span);
    }
  }
  return [...lanes.values()];
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

function textOf(places: readonly PlaceStatus[]): string {
  return JSON.stringify(places.map(({ kind, name, role, also, state }) => [kind, name, role, also, state]));
}
