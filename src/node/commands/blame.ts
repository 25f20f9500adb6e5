import { shownValue } from "../../kernel/difference-text.ts";
import { valueAt } from "../../kernel/state-path.ts";
import { format } from "../../simulator/format.ts";
import { defineCommand, LOG_OPTIONS } from "../command.ts";
import { EXIT } from "../exit.ts";
import { nothingAt, pathIn } from "../logs/path.ts";
import { viewAt } from "../logs/place.ts";
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
    at: { type: "string", description: "a position, an instant or a mark; by default the end", valueHint: "place" },
  },
  run: async (args, { print, printJson }) => {
    const log = await openLog(args.log, logOptions(args));
    const sim = args.at === undefined ? log.sim : log.sim.fork(viewAt(log, args.at).position);
    const names = pathIn(args.path);
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
