import { styleText } from "node:util";
import { nearestNames } from "../languages/nearest.ts";
import { messageOf } from "../scenario/message.ts";
import { VERSION } from "../simulator/version.ts";
import { type Command, table, usageOf } from "./command.ts";
import { CommandError, EXIT, type ExitCode, usageError } from "./exit.ts";
import { harmless, wrapped } from "./terminal/columns.ts";
import { type Output, standardOutput } from "./terminal/output.ts";

/** What the command line can do. The code of a command is loaded when it is asked for. */
const COMMANDS: Readonly<Record<string, { readonly about: string; readonly load: () => Promise<Command> }>> = {
  list: {
    about: "the scenarios, your own and those that come with hindcast",
    load: async () => (await import("./commands/list.ts")).list,
  },
  run: {
    about: "tells a scenario as it unfolds; with --step you go back and forth in it, and fork",
    load: async () => (await import("./commands/run.ts")).run,
  },
  replay: {
    about: "rebuilds the world of a log, and shows it at a place",
    load: async () => (await import("./commands/replay.ts")).replayCommand,
  },
  diff: {
    about: "where two places of a log differ",
    load: async () => (await import("./commands/diff.ts")).diff,
  },
  blame: {
    about: "the commit that last wrote what stands at a path",
    load: async () => (await import("./commands/blame.ts")).blame,
  },
  history: {
    about: "every write of what stands at a path",
    load: async () => (await import("./commands/history.ts")).history,
  },
  log: {
    about: "what was asked and what was committed, one a line",
    load: async () => (await import("./commands/log.ts")).log,
  },
  explain: {
    about: "how a commit or a request came about",
    load: async () => (await import("./commands/explain.ts")).explain,
  },
  loss: {
    about: "what one cluster acknowledged and another one does not hold",
    load: async () => (await import("./commands/loss.ts")).loss,
  },
  timeline: {
    about: "what happened when, as a picture, and the deadlines ahead",
    load: async () => (await import("./commands/timeline.ts")).timeline,
  },
  sequence: {
    about: "who asked whom, what was shipped and what broke, as lines of life; with --svg as a picture",
    load: async () => (await import("./commands/sequence.ts")).sequence,
  },
  inspect: {
    about: "makes a page of a log, in one file, to be opened in a browser",
    load: async () => (await import("./commands/inspect.ts")).inspect,
  },
  gallery: {
    about: "plays every scenario, and makes a page of each",
    load: async () => (await import("./commands/gallery.ts")).gallery,
  },
  explore: {
    about: "plays schedules of faults against programs, and looks for one that breaks something",
    load: async () => (await import("./commands/explore.ts")).explore,
  },
  "explore-worker": {
    about: "plays what an exploration has put into a queue",
    load: async () => (await import("./commands/explore-worker.ts")).exploreWorker,
  },
  serve: {
    about: "answers requests on real sockets, with a log that survives being killed",
    load: async () => (await import("./commands/serve.ts")).serveCommand,
  },
  machines: {
    about: "the state charts, as Mermaid text or as pictures",
    load: async () => (await import("./commands/machines.ts")).machines,
  },
};

/** Does what the words on the command line ask for. @returns the exit code */
export async function main(words: readonly string[]): Promise<ExitCode> {
  const output = standardOutput();
  try {
    return await dispatch(words, output);
  } catch (error) {
    return reported(error, words);
  }
}

async function dispatch(words: readonly string[], output: Output): Promise<ExitCode> {
  const index = words.findIndex((word) => !word.startsWith("-"));
  const options = index < 0 ? words : words.slice(0, index);
  const isAskedFor = (...names: string[]): boolean => names.some((name) => options.includes(name));
  if (isAskedFor("--version", "-v")) return said(output, [VERSION]);
  const name = words[index];
  if (name === undefined || name === "help") {
    if (name === "help" || isAskedFor("--help", "-h")) return said(output, usage(output.columns));
    throw new CommandError(EXIT.usage, "which command?", usage(columnsOfErrors()));
  }
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry === undefined) {
    const near = nearestNames(name, Object.keys(COMMANDS)).map((other) => `hindcast ${other}`);
    throw usageError(`there is no command ${name}`, ...near, "hindcast --help   shows them all");
  }
  const command = await entry.load();
  const rest = [...options, ...words.slice(index + 1)];
  if (beforeDashes(rest).some((word) => word === "--help" || word === "-h")) {
    return said(output, usageOf(name, command, output.columns));
  }
  return command.run(rest, output);
}

/** Behind `--` there are no options. */
function beforeDashes(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return end < 0 ? words : words.slice(0, end);
}

function said(output: Output, lines: readonly string[]): ExitCode {
  output.print(lines);
  return EXIT.held;
}

function usage(columns: number): string[] {
  return [
    "usage: hindcast <command> [options]",
    "",
    ...table(
      Object.entries(COMMANDS).map(([name, { about }]) => [name, about]),
      columns,
    ),
    "",
    ...wrapped("Every command has --json and --help.", "", columns),
    ...wrapped(
      "Exit codes: 0 it held or was done, 1 an expectation failed, 2 the command was not understood, 3 a log could not be read.",
      "",
      columns,
    ),
  ];
}

// --- errors -----------------------------------------------------------------------------------------------------------

/** Tells an error on the error stream, and what can be done next. */
function reported(error: unknown, words: readonly string[]): ExitCode {
  const { exitCode, message, next } =
    error instanceof CommandError ? error : { exitCode: EXIT.failed, message: unexpected(error), next: [] };
  const { stderr } = process;
  if (beforeDashes(words).includes("--json")) {
    stderr.write(`${JSON.stringify({ error: { message, next, exitCode } }, null, 2)}\n`);
    return exitCode;
  }
  const isMarked = stderr.isTTY && (process.env["NO_COLOR"] ?? "") === "" && stderr.hasColors();
  // What is to be copied stands on a line of its own, and is never cut or wrapped.
  const lines = [
    ...message.split("\n").map(harmless),
    ...next.map((line) => (line === "" ? "" : `  ${harmless(line)}`)),
  ];
  const [first = "", ...rest] = lines;
  stderr.write([`${isMarked ? styleText("red", "hindcast:") : "hindcast:"} ${first}`, ...rest, ""].join("\n"));
  return exitCode;
}

/** A mistake of ours, or of a scenario that was loaded: whoever reads it needs the place in the code. */
function unexpected(error: unknown): string {
  return error instanceof Error ? (error.stack ?? messageOf(error)) : messageOf(error);
}

function columnsOfErrors(): number {
  return Math.max(30, Math.min(80, process.stderr.columns || 80)) - 2;
}
