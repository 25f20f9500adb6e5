import * as v from "valibot";

// What the control calls of this service take (control-surface.md, "Values").

/** A text that is not empty. */
export function textOf(what: string) {
  return v.pipe(v.string(`${what} is a text`), v.nonEmpty(`${what} is not empty`));
}

/** An id that a test gives: a path that holds it leads to it. */
export function idOf(what: string) {
  return v.pipe(
    textOf(what),
    v.check((id) => id !== "." && id !== "..", `${what} is neither . nor .., which no path can hold`),
  );
}

export function flagOf(what: string) {
  return v.boolean(`${what} is true or false`);
}
