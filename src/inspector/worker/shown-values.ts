/** A value can be a whole subtree: longer texts are cut. */
const LONGEST_JSON = 20_000;
const LONGEST_TEXT = 200;

/** A value as JSON in lines. */
export function jsonShown(value: unknown): string {
  return cut(JSON.stringify(value, undefined, 2) ?? "nothing", LONGEST_JSON);
}

/** A text on one line. */
export function textShown(text: string): string {
  return cut(text, LONGEST_TEXT);
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}...`;
}
