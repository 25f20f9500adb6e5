import { watchPlatformTimers } from "./install.ts";
import { warn } from "./machine.ts";
import { placeOf } from "./where.ts";

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

/** Tells mistakes, each once for a simulator and its forks. */
export class Mistakes {
  readonly #told = new Set<Mistake>();

  tell(mistake: Mistake, message: () => string): void {
    if (this.#told.has(mistake)) return;
    this.#told.add(mistake);
    warn(mistake, message());
  }

  /** Tells of a timer of the platform that a program arms from now on, while a run does not move it; gives what ends it. */
  watchPlatformTimers(): () => void {
    return watchPlatformTimers((name, site) => {
      const place = placeOf(site);
      if (place === undefined) return;
      this.tell(
        "HINDCAST_REAL_TIMER",
        () =>
          `${name} at ${place.file}:${place.line}:${place.column} armed a timer that run does not move: ` +
          "give the program sim.timers, or put them in its place with sim.timers.install()",
      );
    });
  }
}
