import { stat, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { messageOf } from "../../scenario/message.ts";
import { defineCommand, LOG_OPTIONS } from "../command.ts";
import { EXIT, usageError } from "../exit.ts";
import { logOptions, openLog } from "../logs/read-log.ts";
import { harmless } from "../terminal/columns.ts";

/** A page of a log. */
export const inspect = defineCommand({
  name: "inspect",
  about:
    "Makes a page of a log, in one file that needs no network: open it in a browser, and go back and forth in time.",
  args: {
    ...LOG_OPTIONS,
    against: {
      type: "string",
      description: "the log of another run: the page shows where they part",
      valueHint: "log",
    },
    out: { type: "string", description: "the file of the page; by default beside the log", valueHint: "file" },
  },
  run: async (args, { print, printJson }) => {
    const { sim } = await openLog(args.log, logOptions(args));
    const against = args.against === undefined ? undefined : (await openLog(args.against, logOptions(args))).sim;
    const page = args.out ?? `${args.log.replace(/\.ndjson$/, "")}.html`;
    const { traceHtml } = await import("../../inspector/index.ts");
    const html = await traceHtml(sim, { title: basename(args.log), ...(against === undefined ? {} : { against }) });
    try {
      await writeFile(page, html);
    } catch (error) {
      throw usageError(`the page cannot be written to ${page}: ${messageOf(error)}`);
    }
    if (args.json) printJson({ page, bytes: (await stat(page)).size, commits: sim.position });
    else print([harmless(page)]);
    return EXIT.held;
  },
});
