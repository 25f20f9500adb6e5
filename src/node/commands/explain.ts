import type { RequestEntry } from "../../kernel/journal.ts";
import { requestLine } from "../../programs/request-line.ts";
import { format } from "../../simulator/format.ts";
import type { Simulator } from "../../simulator/types.ts";
import { defineCommand, LOG_OPTIONS } from "../command.ts";
import { EXIT, usageError } from "../exit.ts";
import { viewAt } from "../logs/place.ts";
import { logOptions, openLog } from "../logs/read-log.ts";
import { harmless } from "../terminal/columns.ts";

/** How a commit, or an answer of the journal, came about: route, caller, moves of charts, facts, what changed, the answer. */
export const explain = defineCommand({
  name: "explain",
  about:
    "Tells how a commit or a request came about: who asked, what charts said, which facts it left, what they changed.",
  args: {
    ...LOG_OPTIONS,
    position: {
      type: "positional",
      description:
        "a position of the log, an instant or a mark for the last commit before it, or r7 for request 7 of its journal",
      required: true,
    },
  },
  run: async (args, { print, printJson }) => {
    const log = await openLog(args.log, logOptions(args));
    const n = /^r(\d+)$/.exec(args.position)?.[1];
    if (n !== undefined && !log.marks.has(args.position)) {
      const entry = requestIn(log.sim, Number(n));
      if (args.json) printJson(entry);
      else print([requestLine(entry), ...JSON.stringify(entry, null, 2).split("\n")].map(harmless));
      return EXIT.held;
    }
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

function requestIn({ journal }: Simulator, n: number): RequestEntry {
  const requests = journal.filter((entry) => entry.kind === "request");
  const found = requests.find((entry) => entry.n === n);
  if (found !== undefined) return found;
  const [first, last] = [requests[0], requests.at(-1)];
  throw usageError(
    `the journal of the log has no request r${n}`,
    first === undefined || last === undefined
      ? "sim.log.toNdjson({ journal: true })   writes a log with its journal"
      : `a request: r${first.n} to r${last.n}`,
  );
}
