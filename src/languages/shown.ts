const LONGEST_TEXT = 60;

/**
 * How a message shows a value that somebody gave: quoted where it is text, cut where it is long, by its kind where it
 * has no short spelling.
 *
 * @example
 * shown("90") // '"90"'
 * shown(Number.NaN) // "NaN"
 * shown([1, 2]) // "an array"
 */
export function shown(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  return value instanceof Date ? shownDate(value) : "an object";
}

function quoted(text: string): string {
  return text.length <= LONGEST_TEXT ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, LONGEST_TEXT))}...`;
}

function shownDate(date: Date): string {
  return Number.isNaN(date.getTime()) ? "an invalid Date" : date.toISOString();
}
