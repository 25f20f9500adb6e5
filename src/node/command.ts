import { parseArgs } from "node:util";
import { nearestNames } from "../languages/nearest.ts";
import { type ExitCode, usageError } from "./exit.ts";
import { wrapped } from "./terminal/columns.ts";
import type { Output } from "./terminal/output.ts";

/** What a command takes: a word at its place, or an option with or without a value. */
interface ArgDef {
  readonly type: "positional" | "string" | "boolean";
  readonly description: string;
  /** What stands for the value where it is explained; by default the name of the option. */
  readonly valueHint?: string;
  /** Of a word at its place: whether there has to be one. */
  readonly required?: boolean;
}

type ArgsDef = { readonly [name: string]: ArgDef };

/** What the words of a command line say. */
type ParsedArgs<A extends ArgsDef> = {
  readonly [N in keyof A as A[N] extends Needed ? N : never]: string;
} & {
  readonly [N in keyof A as A[N] extends Needed ? never : N]?: A[N]["type"] extends "boolean" ? boolean : string;
};

type Needed = { readonly type: "positional"; readonly required: true };

/** A command of the command line. */
export interface Command {
  /** What it does, in a line. */
  readonly about: string;
  readonly args: ArgsDef;
  readonly run: (words: readonly string[], output: Output) => Promise<ExitCode>;
}

/** Options that every command has. */
export const JSON_OPTION = {
  json: { type: "boolean", description: "print one JSON document instead of text for people" },
} as const satisfies ArgsDef;

/** Options of commands that read a log. */
export const LOG_OPTIONS = {
  log: { type: "positional", description: "the file of a log", required: true },
  "accept-prefix": {
    type: "boolean",
    description: "of a torn or damaged log, take the commits before the fault",
  },
  ...JSON_OPTION,
} as const satisfies ArgsDef;

/** Defines a command: its words are checked before it runs, and their types are known in it. */
export function defineCommand<const A extends ArgsDef>(command: {
  readonly name: string;
  readonly about: string;
  readonly args: A;
  readonly run: (args: ParsedArgs<A>, output: Output) => Promise<ExitCode>;
}): Command {
  const { name, about, args, run } = command;
  return {
    about,
    args,
    run: (words, output) => run(parsed(name, words, args) as ParsedArgs<A>, output),
  };
}

/** Values by the names of what a command takes. What the parser would take or leave without a word is refused. */
function parsed(command: string, words: readonly string[], args: ArgsDef): object {
  const help = `hindcast ${command} --help   tells what it takes`;
  const options = Object.entries(args).filter(([, { type }]) => type !== "positional");
  const types = new Map(options.map(([name, { type }]) => [name, type]));
  const { tokens, positionals, values } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      options.map(([name, { type }]) => [name, { type: type === "boolean" ? type : ("string" as const) }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    const type = types.get(name);
    if (type === undefined) {
      const near = nearestNames(name, types.keys()).map((other) => `--${other}`);
      const meant = near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
      throw usageError(`${command} has no option ${rawName}${meant}`, help);
    }
    if (type === "boolean" && value !== undefined) throw usageError(`${rawName} takes no value`, help);
    if (type !== "boolean" && (value === undefined || value === "")) throw usageError(`${rawName} needs a value`, help);
  }
  const places = Object.entries(args).filter(([, { type }]) => type === "positional");
  const missing = places.find(([, arg], index) => arg.required === true && (positionals[index] ?? "") === "");
  if (missing !== undefined) throw usageError(`${command} needs ${missing[1].description}: <${missing[0]}>`, help);
  const surplus = positionals[places.length];
  if (surplus !== undefined) throw usageError(`${command} does not know what to do with ${surplus}`, help);
  const named = places.flatMap(([place], index) =>
    positionals[index] === undefined ? [] : [[place, positionals[index]]],
  );
  return { ...values, ...(Object.fromEntries(named) as object) };
}

/** What a command takes, in lines of so many columns. */
export function usageOf(name: string, { about, args }: Pick<Command, "about" | "args">, columns: number): string[] {
  const entries = Object.entries(args);
  const places = entries.filter(([, { type }]) => type === "positional");
  const options = entries.filter(([, { type }]) => type !== "positional");
  const words = places.map(([place, { required }]) => (required === true ? `<${place}>` : `[${place}]`));
  return [
    ...wrapped(about, "", columns),
    "",
    ...wrapped([name, ...words, "[options]"].join(" "), "usage: hindcast ", columns),
    "",
    ...table(
      [
        ...places.map(([place, { description }]) => [`<${place}>`, description] as const),
        ...options.map(([option, arg]) => [optionText(option, arg), arg.description] as const),
      ],
      columns,
    ),
  ];
}

function optionText(name: string, { type, valueHint }: ArgsDef[string]): string {
  return type === "boolean" ? `--${name}` : `--${name} <${valueHint ?? name}>`;
}

/** Words and what they mean, beside each other. */
export function table(rows: readonly (readonly [head: string, text: string])[], columns: number): string[] {
  const width = Math.max(...rows.map(([head]) => head.length)) + 4;
  return rows.flatMap(([head, text]) => wrapped(text, `  ${head}`.padEnd(width), columns));
}

/** Digits are a number, as in the options of a simulator; all else is a text. */
export function seedIn(word: string | undefined): number | string | undefined {
  if (word === undefined) return undefined;
  const number = Number(word);
  return Number.isSafeInteger(number) && `${number}` === word ? number : word;
}
