import { shown } from "../../languages/shown.ts";
import type { Simulator } from "../../simulator/types.ts";

/** Options of `followClock`. */
export interface FollowClockOptions {
  /** Virtual seconds in a real one. Default 1. */
  readonly factor?: number;
}

/** How often the clock is looked at when nobody asks: deadlines fire at most this much late, in real time. */
const TICK_MS = 50;

/** What is moved, and what stops it. */
export interface Followers {
  readonly simulator: () => Simulator;
  /** What timers decide now could not be written: the clock waits, and is late. */
  readonly isHeld: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** Moves a simulator's clock as the real one moves. */
export class FollowingClock {
  readonly #followers: Followers;
  readonly #factor: number;
  readonly #timer: NodeJS.Timeout;
  #lastMs = performance.now();
  /** Less than a virtual millisecond that is left over. */
  #rest = 0;

  constructor(followers: Followers, { factor = 1 }: FollowClockOptions) {
    if (typeof factor !== "number" || !(factor > 0) || factor > MOST) {
      throw new TypeError(`followClock: factor is ${shown(factor)}: it is above 0, and at most ${MOST}`);
    }
    this.#followers = followers;
    this.#factor = factor;
    this.#timer = setInterval(() => this.catchUp(), TICK_MS).unref();
  }

  /** Moves the clock to where it is by now; whoever is answered next sees that instant. */
  catchUp(): void {
    const { simulator, isHeld, onError } = this.#followers;
    if (isHeld()) return;
    const nowMs = performance.now();
    const passed = (nowMs - this.#lastMs) * this.#factor + this.#rest;
    const whole = Math.floor(passed);
    this.#lastMs = nowMs;
    this.#rest = passed - whole;
    if (whole === 0) return;
    try {
      simulator().clock.advance(whole);
    } catch (error) {
      // Too many deadlines in one step, or the end of time: it would fail again and again.
      this.stop();
      onError(error);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** A year in a second, nearly. */
const MOST = 31_536_000;
