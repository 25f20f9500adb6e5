import { rfc3339 } from "../languages/instant.ts";

/** Virtual time as a story shows it: `2026-01-01 01:00:00`, with milliseconds where it has some. */
export function clockFace(ms: number): string {
  const milliseconds = ms % 1_000 === 0 ? "" : `.${String(ms % 1_000).padStart(3, "0")}`;
  return rfc3339(ms).slice(0, 19).replace("T", " ") + milliseconds;
}

/** The instant that a text shows, as RFC 3339 has it; any other text as it is. */
export function instantShown(text: string): string {
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d+)?$/.test(text) ? `${text.replace(" ", "T")}Z` : text;
}

/** Only the time of the day: `01:00:00`. */
export function timeOfDay(ms: number): string {
  return clockFace(ms).slice(11);
}
