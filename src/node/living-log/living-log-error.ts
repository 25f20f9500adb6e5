/** Why a living log cannot be kept. */
export type LivingLogFault =
  /** Another process writes to it. */
  | "held"
  /** The file holds something, and nobody asked to load it. */
  | "not_empty"
  /** It is a log that has ended: it cannot go on in its own file. */
  | "ended"
  /** There is no such file, or it may not be read. */
  | "not_readable"
  /** The file cannot be opened, or is no file. */
  | "not_writable"
  /** What was decided could not be written. */
  | "write_failed"
  /** It was closed. */
  | "closed";

/**
 * What a living log throws.
 *
 * @example
 * try { await keepLog(sim, file) } catch (error) { if (error instanceof LivingLogError) console.log(error.fault, error.file); }
 */
export class LivingLogError extends Error {
  override readonly name = "LivingLogError";
  readonly fault: LivingLogFault;
  readonly file: string;

  constructor(fault: LivingLogFault, file: string, what: string, options?: ErrorOptions) {
    super(`${file}: ${what}`, options);
    this.fault = fault;
    this.file = file;
  }
}

/** What went wrong with a file, in words. */
export function fileTrouble(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code === undefined ? undefined : TROUBLES[code]) ?? message;
}

const TROUBLES: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full (ENOSPC)",
  EDQUOT: "the quota of disk space is used up (EDQUOT)",
  EFBIG: "the file may not grow any further (EFBIG)",
  EACCES: "it may not be written (EACCES)",
  EPERM: "it may not be written (EPERM)",
  EROFS: "it lies on a file system that is read-only (EROFS)",
  EISDIR: "it is a folder (EISDIR)",
  ENOENT: "there is no such file or folder (ENOENT)",
  EIO: "the disk reports an error (EIO)",
};
