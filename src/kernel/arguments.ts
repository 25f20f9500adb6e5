import * as v from "valibot";
import { shown } from "../languages/shown.ts";
import { setOwn } from "./plain.ts";

/** An object of options. Who gives one that is unknown, or no object at all, is told which there are. */
export function optionsSchema<const E extends v.ObjectEntries>(entries: E) {
  const names = Object.keys(entries).join(", ");
  return v.strictObject(entries, ({ expected }) =>
    expected === "never" ? `no such option, there is ${names}` : `the options are an object, and there is ${names}`,
  );
}

/** An object of texts, by way of a map, because texts may be named like members that every object has. */
export const textsByName = v.pipe(
  v.custom<Readonly<Record<string, string>>>(
    (given) => typeof given === "object" && given !== null && !Array.isArray(given),
    "it is an object of texts",
  ),
  v.transform((given) => new Map(Object.entries(given))),
  v.map(v.string(), v.string("it holds texts")),
  v.transform((texts) => {
    const members: Record<string, string> = {};
    for (const [name, text] of texts) setOwn(members, name, text);
    return members;
  }),
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

/** The items of a short list, for whoever looks for the one that is wrong. */
function shownList(items: readonly unknown[]): string {
  return items.length > 8 ? shown(items) : `[${items.map(shown).join(", ")}]`;
}
