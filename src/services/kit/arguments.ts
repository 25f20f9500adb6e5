import { shown } from "../../languages/shown.ts";

// What typed calls and control calls read alike, and how they say that something is wrong.

/** @throws TypeError for anything but an object with named members */
export function objectAt(call: string, where: string, given: unknown): { readonly [name: string]: unknown } {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new TypeError(`${call}: ${where} is ${shown(given)}, and has to be an object`);
  }
  return given as { readonly [name: string]: unknown };
}

/** @throws TypeError for anything but a text */
export function textAt(call: string, where: string, given: unknown): string {
  if (typeof given === "string") return given;
  throw new TypeError(`${call}: ${where} is ${shown(given)}, and has to be a string`);
}

/** @throws TypeError for anything but true and false */
export function flagAt(call: string, where: string, given: unknown): boolean {
  if (typeof given === "boolean") return given;
  throw new TypeError(`${call}: ${where} is ${shown(given)}, and has to be true or false`);
}

/** A capture: a text that is not empty. @throws TypeError for anything else */
export function captureAt(call: string, name: string, given: unknown): string {
  if (given !== "") return textAt(call, name, given);
  throw new TypeError(`${call}: ${name} is "", and has to be a string`);
}

/** @throws TypeError for a member that a call does not know */
export function refuseOthers(call: string, given: object, known: readonly string[]): void {
  const other = Object.keys(given).find((member) => !known.includes(member));
  if (other === undefined) return;
  throw new TypeError(
    `${call}: ${other} is unknown here: there is ${known.length === 0 ? "nothing" : known.join(", ")}`,
  );
}

/** The token of whoever asks through the typed door; undefined for nobody. @throws TypeError for what is none */
export function tokenAt(token: unknown): string | undefined {
  if (token === undefined || typeof token === "string") return token;
  throw new TypeError(`as: ${shown(token)} is no token`);
}
