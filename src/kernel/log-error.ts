/** What is wrong with a log. */
export type LogFault =
  /** Its first line is no header of a log. */
  | "no_header"
  /** It was written in a format that this version does not know yet. */
  | "newer_format"
  /** A line is not what was written: its sum does not fit, or it is no JSON. */
  | "damaged"
  /** A commit is missing, comes twice, or stands in the wrong place. */
  | "out_of_order"
  /** Its simulator was made with an option that this version does not know. */
  | "unknown_option"
  /** A fact is of a type, or of a version, that nothing here can fold. */
  | "unknown_event"
  /** It ends before its last line. */
  | "torn"
  /** Something comes after its last line. */
  | "trailing";

/**
 * What reading a log throws when the log is not whole.
 *
 * @example
 * try { replay(text) } catch (error) { if (error instanceof LogError) console.log(error.line, error.fault); }
 */
export class LogError extends Error {
  override readonly name = "LogError";
  readonly fault: LogFault;
  /** The line, counted from 1. */
  readonly line: number;

  constructor(fault: LogFault, line: number, what: string, options?: ErrorOptions) {
    super(`log, line ${line}: ${what}`, options);
    this.fault = fault;
    this.line = line;
  }
}
