import type { EpochMs, LogPosition } from "../kernel/brand.ts";
import type { Caller } from "../kernel/commit.ts";

/** What stands behind a response, for whoever wants it explained. */
export interface Served {
  /** The line of time that answered. */
  readonly origin: object;
  readonly position: LogPosition;
  readonly atMs: EpochMs;
  /** Whether the request made the commit at this position. */
  readonly committed: boolean;
  /** The operation that answered; absent when no route fitted. */
  readonly operation: string | undefined;
  readonly caller: Caller;
  readonly answer: unknown;
  /** The code of the refusal, when it was one. */
  readonly rejection?: string | undefined;
}

/** Behind the responses that were given out. */
const served = new WeakMap<Response, Served>();

export function noteServed(response: Response, what: Served): void {
  served.set(response, what);
}

/** What stands behind a response; undefined for one that no simulator gave. */
export function servedBehind(response: Response): Served | undefined {
  return served.get(response);
}
