import { shown } from "../../../languages/shown.ts";
import type { JsonSchema } from "../../../services/kit/openapi.ts";
import { type Place, placeInText } from "../../../simulator/place.ts";
import type { Simulator } from "../../../simulator/types.ts";
import type { AdminAnswer } from "../route.ts";

// What bodies, queries and answers of several routes have in common.

export const DURATION: JsonSchema = { type: ["string", "number"], description: "90s, 1h30m, or milliseconds" };
export const INSTANT: JsonSchema = {
  type: ["string", "integer"],
  description: "a date-time (RFC 3339), or milliseconds since 1970",
};
export const PLACE: JsonSchema = { type: ["string", "integer"], description: "a position, an instant or a mark" };
export const PLACE_TEXT = "a position, an instant or a mark";

export const json = (data: unknown): AdminAnswer => ({ json: data });

/** Where the clock of a simulator stands. */
export function nowOf(sim: Simulator): { readonly now: string; readonly nowMs: number } {
  const nowMs = sim.clock.now();
  return { now: new Date(nowMs).toISOString(), nowMs };
}

/** A place as a body has it: a number is a position, and so are digits. */
export function placeIn(value: unknown): Place {
  if (typeof value === "number") return value;
  if (typeof value !== "string") throw new TypeError(`${shown(value)} is no place: ${PLACE_TEXT}`);
  return placeInText(value);
}

export function wholeIn(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new TypeError(`${name} must be a whole number; got ${shown(text)}`);
  return Number(text);
}
