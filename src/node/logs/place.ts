import { Rejection } from "../../kernel/rejection.ts";
import { rfc3339 } from "../../languages/instant.ts";
import { nearestNames } from "../../languages/nearest.ts";
import { instantShown } from "../../scenario/clock-face.ts";
import { type Place, placeInText } from "../../simulator/place.ts";
import type { View } from "../../simulator/types.ts";
import { usageError } from "../exit.ts";
import type { OpenLog } from "./read-log.ts";

/** A place as somebody types it, or takes it from what was shown: `2026-01-01 01:00:00` is an instant, too. */
export function placeTyped(text: string): Place {
  return placeInText(instantShown(text));
}

/**
 * A look at a place of a log: a position, an instant or a mark.
 *
 * @throws CommandError that tells which places there are
 */
export function viewAt(log: OpenLog, place: string): View {
  try {
    return log.sim.at(placeTyped(place));
  } catch (error) {
    if (!(error instanceof Rejection || error instanceof TypeError)) throw error;
    throw usageError(error.message, ...placesIn(log, place));
  }
}

/** So many marks are told where none was meant that is near. */
const MARKS_TOLD = 8;

function placesIn({ sim, startAtMs, marks }: OpenLog, wanted: string): string[] {
  const names = [...marks.keys()];
  const near = nearestNames(wanted, names);
  const told = (near.length > 0 ? near : names.slice(0, MARKS_TOLD)).map((name) => JSON.stringify(name));
  const more = names.length > told.length ? ` and ${names.length - told.length} more` : "";
  return [
    `a position: 0 to ${sim.position}`,
    `an instant: ${rfc3339(startAtMs)} to ${rfc3339(sim.clock.now())}`,
    told.length === 0 ? "a mark: this log has none" : `a mark: ${told.join(", ")}${more}`,
  ];
}
