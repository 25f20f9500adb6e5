import { shownValue } from "../../kernel/difference-text.ts";
import { valueAt } from "../../kernel/state-path.ts";
import { defineCommand, LOG_OPTIONS } from "../command.ts";
import { EXIT } from "../exit.ts";
import { nothingAt, pathIn } from "../logs/path.ts";
import { logOptions, openLog } from "../logs/read-log.ts";
import { writesOf } from "../logs/writes.ts";
import { harmless } from "../terminal/columns.ts";

/** All that was ever written at a path of the state. */
export const history = defineCommand({
  name: "history",
  about: "Lists each commit that wrote what stands at a path of the state, the first one first, and what it wrote.",
  args: {
    ...LOG_OPTIONS,
    path: {
      type: "positional",
      description: `a path, such as 'secrets.main.replicated.mounts["kv/"].entries["app/db"]'`,
      required: true,
    },
  },
  run: async (args, { print, printJson }) => {
    const { sim } = await openLog(args.log, logOptions(args));
    const names = pathIn(args.path);
    const writes = writesOf(sim, args.path);
    const born = valueAt(sim.at(0).state, names).value;
    if (writes.length === 0 && born === undefined) throw nothingAt(sim.state, args.path, names);
    if (args.json) {
      printJson({ path: args.path, born: born ?? null, writes });
      return EXIT.held;
    }
    const lines = writes.map(({ position, at, command, value }) => `#${position} ${at} ${command}: ${textOf(value)}`);
    print([...(born === undefined ? [] : [`the world began with ${shownValue(born)}`]), ...lines].map(harmless));
    return EXIT.held;
  },
});

function textOf(value: unknown): string {
  return value === null ? "removed" : shownValue(value);
}
