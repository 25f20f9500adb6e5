import * as v from "valibot";
import { durationMs } from "../../languages/duration.ts";
import { instantMs } from "../../languages/instant.ts";
import { LanguageError } from "../../languages/language-error.ts";

// What the control calls of this service take (control-surface.md, "Values").

/** A text that is not empty. */
export function textOf(what: string) {
  return v.pipe(v.string(`${what} is a text`), v.nonEmpty(`${what} is not empty`));
}

export function flagOf(what: string) {
  return v.boolean(`${what} is true or false`);
}

/** An object whatever its members are called: texts as keys may be named like members that every object has. */
export function objectOf(what: string) {
  return v.custom<Readonly<Record<string, unknown>>>(
    (given) => typeof given === "object" && given !== null && !Array.isArray(given),
    `${what} is an object`,
  );
}

/** A value that one of our small languages reads, with what it says of one that it cannot read. */
function readBy<I, O>(accepts: (given: unknown) => boolean, read: (given: I) => O, expected: string) {
  return v.pipe(
    v.custom<I>(accepts, expected),
    v.rawTransform<I, O>(({ dataset, addIssue, NEVER }) => {
      try {
        return read(dataset.value);
      } catch (error) {
        if (!(error instanceof TypeError || error instanceof LanguageError)) throw error;
        addIssue({ message: error.message });
        return NEVER;
      }
    }),
  );
}

/** A duration in milliseconds: a text with units, or a number of milliseconds. */
export const duration = readBy<string | number, number>(
  (given) => typeof given === "string" || typeof given === "number",
  durationMs,
  "a duration is a text with units or a number of milliseconds",
);

/** An instant in epoch milliseconds, from them or from its text: a `Date` is written as one before it goes into a command. */
export const instant = readBy<string | number, number>(
  (given) => typeof given === "string" || typeof given === "number",
  instantMs,
  "an instant is a Date, an ISO text or epoch milliseconds",
);
