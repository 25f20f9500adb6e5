import * as v from "valibot";
import { durationMs } from "../languages/duration.ts";
import { instantMs } from "../languages/instant.ts";
import { LanguageError } from "../languages/language-error.ts";
import { isObject, setOwn } from "../languages/objects.ts";
import { shown } from "../languages/shown.ts";

/** An object of options. Who gives one that is unknown, or no object at all, is told which there are. */
export function optionsSchema<const E extends v.ObjectEntries>(entries: E) {
  const names = Object.keys(entries).join(", ");
  const noObject = `the options are an object, and there is ${names}`;
  const members = v.strictObject(entries, ({ expected }) =>
    expected === "never" ? `no such option, there is ${names}` : noObject,
  );
  // An array passes for an object whose members may all be left out.
  return v.pipe(
    v.custom<v.InferInput<typeof members>>((given) => !Array.isArray(given), noObject),
    members,
  );
}

/** An object whatever its members are called. */
export const objectOf = (expected: string) => v.custom<Readonly<Record<string, unknown>>>(isObject, expected);

/**
 * The options of a call that has other arguments: a member of an argument's name must not take its place.
 *
 * @throws TypeError for what is no object, and for an option that the call does not have
 */
export function optionsAt<O extends object>(call: string, options: O, known: readonly (keyof O & string)[]): O {
  if (!isObject(options)) {
    throw new TypeError(`${call}: the options are ${shown(options)}, and have to be an object`);
  }
  const other = Object.keys(options).find((name) => !(known as readonly string[]).includes(name));
  if (other !== undefined) throw new TypeError(`${call}: ${other} is no option: there is ${known.join(", ")}`);
  return options;
}

/** An object of texts, by way of a map, because texts may be named like members that every object has. */
export const textsOf = (expected: string, name: v.GenericSchema<string>, text: v.GenericSchema<string>) =>
  v.pipe(
    objectOf(expected),
    v.transform((given) => new Map(Object.entries(given))),
    v.map(name, text),
    v.transform((texts) => {
      const members: Record<string, string> = {};
      for (const [name, text] of texts) setOwn(members, name, text);
      return members;
    }),
  );

export const textsByName = textsOf("it is an object of texts", v.string(), v.string("it holds texts"));

/** A value that one of our small languages reads, with what it says of one that it cannot read. */
export function readBy<I, O>(accepts: (given: unknown) => boolean, read: (given: I) => O, expected: string) {
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

const isTextOrNumber = (given: unknown): boolean => typeof given === "string" || typeof given === "number";

/** A duration in milliseconds. */
export const duration = readBy<string | number, number>(
  isTextOrNumber,
  durationMs,
  "a duration is a text with units or milliseconds",
);

/** An instant in epoch milliseconds, from them or from its text: a `Date` is written as one before it goes into a command. */
export const instant = readBy<string | number, number>(
  isTextOrNumber,
  instantMs,
  "an instant is a Date, an ISO text or epoch milliseconds",
);

/**
 * Reads the argument of a control call.
 *
 * @throws TypeError naming the value that is wrong, and what was expected
 */
export function readArgument<S extends v.GenericSchema>(schema: S, call: string, given: unknown): v.InferOutput<S> {
  const read = v.safeParse(schema, given);
  if (read.success) return read.output;
  const issue = read.issues[0];
  const where = issue.path?.map(({ key }) => String(key)).join(".") ?? "";
  // Of a member that nobody knows its name is wrong, whatever its value is.
  if (issue.type === "strict_object" && issue.expected === "never") {
    throw new TypeError(`${call}: ${where}: ${issue.message}`);
  }
  // What its schema says of itself is about members that nobody knows, not about one that is not there.
  if (issue.type === "strict_object" && issue.expected === `"${issue.path?.at(-1)?.key}"`) {
    throw new TypeError(`${call}: ${where} is missing`);
  }
  throw new TypeError(`${call}: ${where === "" ? "the argument" : where} ${faultOf(issue.message, issue.input)}`);
}

function faultOf(message: string, input: unknown): string {
  return `is ${Array.isArray(input) ? shownList(input) : shown(input)}: ${message}`;
}

/** The items of a short list, so that a message shows which of them is wrong. */
function shownList(items: readonly unknown[]): string {
  return items.length > 8 ? shown(items) : `[${items.map(shown).join(", ")}]`;
}
