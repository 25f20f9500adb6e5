import { rfc3339 } from "../../languages/instant.ts";

/** Virtual time as a story shows it: `2026-01-01 01:00:00`. */
export function clockFace(ms: number): string {
  return rfc3339(ms).slice(0, 19).replace("T", " ");
}

/** Only the time of the day: `01:00:00`. */
export function timeOfDay(ms: number): string {
  return clockFace(ms).slice(11);
}
