/** What the exit code of a command says. */
export const EXIT = {
  /** It was done, and whatever was expected held. */
  held: 0,
  /** An expectation failed, or a scenario did not come to its end. */
  failed: 1,
  /** The command was not understood: its words, its options, a scenario or a place that is not there. */
  usage: 2,
  /** A log could not be read. */
  unreadable: 3,
  /** Interrupted by the person at the keyboard, as shells have it: 128 and the number of SIGINT. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command that ends without having done what it was asked for. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: ExitCode;
  /** What to do next. */
  readonly next: readonly string[];

  constructor(exitCode: ExitCode, message: string, next: readonly string[] = [], options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
    this.next = next;
  }
}

export function usageError(message: string, ...next: string[]): CommandError {
  return new CommandError(EXIT.usage, message, next);
}
