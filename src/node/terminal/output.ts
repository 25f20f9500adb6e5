import { type Style, styleFor } from "./style.ts";

/** Where a command tells what it has to tell. */
export interface Output {
  /** Columns that a line may have. */
  readonly columns: number;
  /** Columns that there are, for what gains by more. */
  readonly allColumns: number;
  readonly style: Style;
  /** A person sits at both ends: keys can be waited for, and questions asked. */
  readonly isInteractive: boolean;
  readonly print: (lines: readonly string[]) => void;
  /** Prints a value as JSON, on lines of its own. */
  readonly printJson: (value: unknown) => void;
  /** Text as it stands. */
  readonly write: (text: string) => void;
}

/** A story is made for so many columns: on a wider terminal it is no wider, and a pipe has no width at all. */
const MOST_COLUMNS = 80;
/** Our choice: below this nothing can be read in columns any more, and the terminal wraps lines itself. */
const FEWEST_COLUMNS = 30;

/** The standard output. */
export function standardOutput(): Output {
  const { stdout, stdin } = process;
  let isGone = false;
  // Whoever read has read enough. The command goes on to its end, so that its log and its exit code are what they would be.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    isGone = true;
  });
  const write = (text: string): void => {
    if (!isGone) stdout.write(text);
  };
  return {
    columns: Math.min(MOST_COLUMNS, columnsOf(stdout)),
    allColumns: columnsOf(stdout),
    style: styleFor(stdout),
    isInteractive: stdin.isTTY && stdout.isTTY,
    write,
    print: (lines) => write(lines.map((line) => `${line}\n`).join("")),
    printJson: (value) => write(`${JSON.stringify(value, null, 2)}\n`),
  };
}

function columnsOf({ isTTY, columns }: NodeJS.WriteStream): number {
  // A terminal that does not know its width says 0.
  if (!isTTY || !columns) return MOST_COLUMNS;
  return Math.max(FEWEST_COLUMNS, columns);
}
