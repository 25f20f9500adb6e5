import * as v from "valibot";
import { shown } from "../languages/shown.ts";

// What the typed calls and control calls of several services read alike.

/** @throws TypeError for anything but an object with named members */
export function objectAt(call: string, where: string, given: unknown): { readonly [name: string]: unknown } {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new TypeError(`${call}: ${where} is ${shown(given)}, and has to be an object`);
  }
  return given as { readonly [name: string]: unknown };
}

/** @throws TypeError for a member that a call does not know */
export function refuseOthers(call: string, given: object, known: readonly string[]): void {
  const other = Object.keys(given).find((member) => !known.includes(member));
  if (other === undefined) return;
  throw new TypeError(
    `${call}: ${other} is unknown here: there is ${known.length === 0 ? "nothing" : known.join(", ")}`,
  );
}

const FAILING_STATUS = "status is that of an error, from 400 to 599";

/** How many of the next requests fail, and with what status: of `sim.faults.failNextRequests`. */
export const failingRequests = {
  count: v.pipe(v.number("count is a number"), v.integer("count is whole"), v.minValue(1, "count is 1 or more")),
  status: v.optional(
    v.pipe(
      v.number("status is a number"),
      v.integer("status is whole"),
      v.minValue(400, FAILING_STATUS),
      v.maxValue(599, FAILING_STATUS),
    ),
    500,
  ),
};
