import * as v from "valibot";

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
  throw new TypeError(`${call}: ${where === "" ? "the argument" : where} ${faultOf(issue.message, issue.input)}`);
}

function faultOf(message: string, input: unknown): string {
  const shown = typeof input === "string" ? JSON.stringify(input) : String(input);
  return `is ${shown.length > 80 ? `${shown.slice(0, 80)}...` : shown}: ${message}`;
}
