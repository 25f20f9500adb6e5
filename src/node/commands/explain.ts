import { format } from "../../simulator/format.ts";
import { defineCommand, LOG_OPTIONS } from "../command.ts";
import { EXIT, usageError } from "../exit.ts";
import { viewAt } from "../logs/place.ts";
import { logOptions, openLog } from "../logs/read-log.ts";
import { harmless } from "../terminal/columns.ts";

/** How a commit came about: route, caller, moves of charts, facts, what changed, the answer. */
export const explain = defineCommand({
  name: "explain",
  about: "Tells how a commit came about: who asked, what charts said, which facts it left, what they changed.",
  args: {
    ...LOG_OPTIONS,
    position: {
      type: "positional",
      description: "a position of the log, or an instant or a mark for the last commit before it",
      required: true,
    },
  },
  run: async (args, { print, printJson }) => {
    const log = await openLog(args.log, logOptions(args));
    const { position } = viewAt(log, args.position);
    if (position === 0) {
      throw usageError("at position 0 nothing has been done yet", `a position: 1 to ${log.sim.position}`);
    }
    const explanation = log.sim.explain(position);
    if (args.json) printJson(explanation);
    else print(format(explanation).split("\n").map(harmless));
    return EXIT.held;
  },
});
