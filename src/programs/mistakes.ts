import { warn } from "./machine.ts";

/** What may be wrong in how a program's time is used. */
export type Mistake =
  /** `advance` called back an asynchronous function. */
  | "HINDCAST_ASYNC_TIMER"
  /** `run` moved the clock, and nothing was due. */
  | "HINDCAST_NOTHING_DUE"
  /** A timer of the platform was armed during `run`, which does not move it. */
  | "HINDCAST_REAL_TIMER"
  /** `run` has waited for a second of real time. */
  | "HINDCAST_RUN_WAITS";

/** Tells mistakes, each once for a simulator. */
export class Mistakes {
  readonly #told = new Set<Mistake>();

  tell(mistake: Mistake, message: () => string): void {
    if (this.#told.has(mistake)) return;
    this.#told.add(mistake);
    warn(mistake, message());
  }
}
