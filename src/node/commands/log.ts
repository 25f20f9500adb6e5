import { lineOf, rowsOf } from "../../scenario/log-rows.ts";
import { defineCommand, LOG_OPTIONS } from "../command.ts";
import { EXIT } from "../exit.ts";
import { logOptions, openLog } from "../logs/read-log.ts";
import { harmless } from "../terminal/columns.ts";

/** All commits of a log, and all that its journal holds. */
export const log = defineCommand({
  name: "log",
  about: "Lists what was committed, and, of a log that carries a journal, what was asked, noted and done, one a line.",
  args: {
    ...LOG_OPTIONS,
    filter: { type: "string", description: "only lines in which all of these words occur", valueHint: "words" },
  },
  run: async (args, { print, printJson }) => {
    const { sim } = await openLog(args.log, logOptions(args));
    const words = (args.filter ?? "").toLowerCase().split(/\s+/);
    const rows = rowsOf(sim)
      .map((row) => ({ row: row.row, text: lineOf(row) }))
      .filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
    if (args.json) printJson(rows.map(({ row }) => row));
    else print(rows.map(({ text }) => harmless(text)));
    return EXIT.held;
  },
});
