import { epochMs, logPosition } from "../kernel/brand.ts";
import { Rejection } from "../kernel/rejection.ts";
import type { Moment, Timeline } from "../kernel/timeline.ts";
import { type Instant, instantMs, isInstantText } from "../languages/instant.ts";
import { nearestNames } from "../languages/nearest.ts";
import { shown } from "../languages/shown.ts";

/** A place in history: a number is a position, a Date, an ISO text or `{ ms }` (epoch milliseconds) an instant, any other text a mark. */
export type Place = number | Date | string | { readonly ms: number };

/** A place as a header or a command line writes it: digits are a position. */
export function placeInText(text: string): Place {
  return /^\d+$/.test(text) ? Number(text) : text;
}

/**
 * Where a place lies. At a position the clock stands at its commit, at an instant it stands there, after all commits up
 * to it.
 *
 * @throws TypeError for what is no place; Rejection `unknown_place` for one that is unknown or lies ahead
 */
export function momentOf<S extends object, M extends object>(timeline: Timeline<S, M>, place: Place): Moment {
  if (typeof place === "number") return momentAtPosition(timeline, place);
  if (place instanceof Date || (typeof place === "string" && isInstantText(place))) {
    return momentAtInstant(timeline, place);
  }
  if (typeof place !== "string") return momentAtInstant(timeline, msOf(place));
  return (
    timeline.marks.get(place) ?? unknown(place, `no mark has the name ${shown(place)}${nearMarks(timeline, place)}`)
  );
}

function msOf(place: { readonly ms: number }): number {
  const ms: unknown = (place as { readonly ms: number } | null | undefined)?.ms;
  if (typeof ms !== "number") throw new TypeError(`${shown(place)} is no place in history`);
  return ms;
}

function nearMarks<S extends object, M extends object>({ marks }: Timeline<S, M>, place: string): string {
  const near = nearestNames(place, marks.keys());
  return near.length === 0 ? "" : `, did you mean ${near.map(shown).join(" or ")}?`;
}

function momentAtPosition<S extends object, M extends object>(timeline: Timeline<S, M>, position: number): Moment {
  if (!Number.isInteger(position) || position < 0) throw new TypeError(`${position} is no position: 0, 1, 2 ...`);
  if (position > timeline.position) return unknown(position, `the log ends at position ${timeline.position}`);
  const atMs = position === 0 ? timeline.startAtMs : timeline.history.commitAt(position).atMs;
  return { position: logPosition(position), atMs };
}

function momentAtInstant<S extends object, M extends object>(timeline: Timeline<S, M>, place: Instant): Moment {
  const atMs = epochMs(instantMs(place));
  if (atMs > timeline.nowMs) return unknown(place, `now is ${new Date(timeline.nowMs).toISOString()}`);
  if (atMs < timeline.startAtMs) return unknown(place, `time began at ${new Date(timeline.startAtMs).toISOString()}`);
  return { position: timeline.history.positionAt(atMs), atMs };
}

function unknown(place: Date | string | number, reason: string): never {
  const shown = place instanceof Date ? place.toISOString() : String(place);
  throw new Rejection({
    code: "unknown_place",
    status: 400,
    data: { place: shown },
    message: `${shown} is no place in this history: ${reason}`,
  });
}
