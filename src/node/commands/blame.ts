import { shownValue } from "../../kernel/difference-text.ts";
import { parsePath, pathText, valueAt } from "../../kernel/state-path.ts";
import { Table } from "../../kernel/table.ts";
import { nearestNames } from "../../languages/nearest.ts";
import { format } from "../../simulator/format.ts";
import { defineCommand, LOG_OPTIONS } from "../command.ts";
import { type CommandError, EXIT, usageError } from "../exit.ts";
import { logOptions, openLog } from "../logs/read-log.ts";
import { harmless } from "../terminal/columns.ts";

/** The commit that last wrote what stands at a path of the state. */
export const blame = defineCommand({
  name: "blame",
  about: "Names the commit that last wrote what stands at a path of the state, and how it came about.",
  args: {
    ...LOG_OPTIONS,
    path: {
      type: "positional",
      description: `a path, such as 'secrets.main.local.leases["..."].expiresAtMs'`,
      required: true,
    },
  },
  run: async (args, { print, printJson }) => {
    const { sim } = await openLog(args.log, logOptions(args));
    const names = pathOf(args.path);
    const { value } = valueAt(sim.state, names);
    const commit = sim.blame(args.path);
    if (commit === undefined && value === undefined) throw nothingAt(sim.state, args.path, names);
    const explanation = commit === undefined ? undefined : { ...sim.explain(commit.position), changes: [] };
    if (args.json) {
      printJson({ path: args.path, value: value ?? null, commit: commit ?? null });
      return EXIT.held;
    }
    const story = explanation === undefined ? "no commit wrote it: the world began with it" : format(explanation);
    print([`${args.path} = ${shownValue(value)}`, ...story.split("\n")].map(harmless));
    return EXIT.held;
  },
});

function pathOf(text: string): readonly string[] {
  try {
    return parsePath(text);
  } catch (error) {
    if (error instanceof TypeError) throw usageError(error.message);
    throw error;
  }
}

/** So many names are told of an object that has many. */
const NAMES_TOLD = 12;

/** How far the path leads, and what there is from there on. */
function nothingAt(state: unknown, path: string, names: readonly string[]): CommandError {
  let depth = 0;
  while (depth < names.length && valueAt(state, names.slice(0, depth + 1)).value !== undefined) depth += 1;
  const known = names.slice(0, depth);
  const { value } = valueAt(state, known);
  const children = childrenOf(value);
  const near = nearestNames(names[depth] ?? "", children);
  const told = near.length > 0 ? near : children.slice(0, NAMES_TOLD);
  const more = children.length > told.length ? ["..."] : [];
  const where = depth === 0 ? "at the top" : `at ${pathText(known.map(stepOf))}`;
  const next = told.length === 0 ? [`${where} the path ends`] : [`${where} there is ${[...told, ...more].join(", ")}`];
  return usageError(`nothing stands at ${path}, and nothing ever did`, ...next);
}

function stepOf(name: string): { readonly kind: "member"; readonly name: string } {
  return { kind: "member", name };
}

function childrenOf(value: unknown): string[] {
  if (value instanceof Table) return [...value.keys()];
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}
