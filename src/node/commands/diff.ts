import { differences } from "../../kernel/diff.ts";
import { format } from "../../simulator/format.ts";
import { defineCommand, LOG_OPTIONS } from "../command.ts";
import { EXIT } from "../exit.ts";
import { viewAt } from "../logs/place.ts";
import { logOptions, openLog } from "../logs/read-log.ts";
import { harmless } from "../terminal/columns.ts";

/** Where two places of a log differ. */
export const diff = defineCommand({
  name: "diff",
  about: "Tells where the states at two places of a log differ.",
  args: {
    ...LOG_OPTIONS,
    from: {
      type: "string",
      description: "a position, an instant or a mark; by default the beginning",
      valueHint: "place",
    },
    to: { type: "string", description: "a position, an instant or a mark; by default the end", valueHint: "place" },
  },
  run: async (args, { print, printJson }) => {
    const log = await openLog(args.log, logOptions(args));
    const [from, to] = [viewAt(log, args.from ?? "0"), viewAt(log, args.to ?? `${log.sim.position}`)];
    const found = differences(from.state, to.state);
    if (args.json) printJson({ from: from.position, to: to.position, differences: found });
    else print(format(found).split("\n").map(harmless));
    return EXIT.held;
  },
});
