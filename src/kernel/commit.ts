import type { EpochMs, LogPosition } from "./brand.ts";
import type { Plain } from "./plain.ts";

/** A fact as a decider records it. */
export type EventOf<M> = { [T in keyof M & string]: { readonly type: T; readonly data: M[T] } }[keyof M & string];

/** A fact as the log keeps it: `v` is the version of its data's shape. */
export interface RecordedEvent {
  readonly type: string;
  readonly v: number;
  readonly data: unknown;
}

/** Through which door a command came. */
export type Via = "http" | "call" | "control" | "timer" | "fault";

/**
 * What was asked for, by whom, and through which door: all that is needed to decide it again.
 *
 * The caller of a timer's command is its deadline.
 */
export interface Command {
  readonly name: string;
  readonly input: Plain;
  readonly caller: Caller;
  readonly via: Via;
  /** The random stream that it drew from, when that is not the one of its position: its history was rewritten. */
  readonly stream?: string;
}

/** Who asks: plain data whose shape belongs to the service that is asked. */
export type Caller = { readonly [key: string]: Plain | undefined } | null;

/** One line of the log: a command and the facts that it left. `failed` is the code of an answer that was an error. */
export interface Commit {
  readonly position: LogPosition;
  readonly atMs: EpochMs;
  readonly command: Command;
  readonly events: readonly RecordedEvent[];
  readonly failed?: string;
}

/** Who asks where no program does: the test author. */
export const AUTHOR = "author";

/** The program that asked for a command. */
export function programOf({ caller }: Command): string {
  const program = caller?.["program"];
  return typeof program === "string" ? program : AUTHOR;
}
