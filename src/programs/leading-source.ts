import { type EpochMs, epochMs } from "../kernel/brand.ts";
import { LAST_INSTANT_MS } from "../kernel/calendar.ts";
import type { Leader } from "../kernel/host.ts";
import { shown } from "../languages/shown.ts";

/** Somebody else's time: `globalThis` under fake timers or not, a clock of `@sinonjs/fake-timers`, or what is made of these functions. */
export interface ClockSource {
  /** Where it stands, in milliseconds since whenever; without it `Date.now` says so. */
  readonly now?: (() => number) | number;
  readonly Date?: { now(): number };
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(timer: never): void;
}

/** Options of `follow`. */
export interface FollowOptions {
  /** Virtual milliseconds in one of the source. Default 1. */
  readonly factor?: number;
}

/** What is led. */
export interface Led {
  readonly nowMs: () => EpochMs;
  readonly advanceTo: (instantMs: EpochMs) => void;
  /** When the next deadline or timer is due, or the next reader's time up. */
  readonly nextMs: () => EpochMs | undefined;
  /** Whether anybody is to be woken then. What nobody waits for fires with the next request. */
  readonly isWaitedFor: () => boolean;
  /** Whether time has to wait; it is late then. */
  readonly isHeld?: () => boolean;
  /** Gets what goes wrong on the way, after which nobody leads any more; by default whoever moved time gets it. */
  readonly onError?: (error: unknown) => void;
}

/** The longest delay of a platform's timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** How often it is tried again whether time may go on. */
const HELD_MS = 50;

/** A year in a second, nearly. */
const MOST = 31_536_000;

/** A source that leads a simulator's time: what has passed there since it began to, passes here. */
export class LeadingSource implements Leader {
  readonly name: string | undefined;
  readonly #led: Led;
  readonly #source: ClockSource;
  readonly #sourceMs: () => number;
  readonly #factor: number;
  #lastMs: number;
  /** Less than a virtual millisecond that is left over. */
  #rest = 0;
  #isMoving = false;
  #hasStopped = false;
  #wake: { readonly timer: unknown; readonly forMs: EpochMs } | undefined;

  /**
   * @param name for messages, where nobody else may move the clock
   * @throws TypeError for what is no source
   */
  constructor(led: Led, source: ClockSource, factor: number, name?: string) {
    this.#led = led;
    this.#source = source;
    this.#sourceMs = nowOf(source);
    this.#factor = factor;
    this.#lastMs = this.#sourceMs();
    this.name = name;
  }

  catchUp(): void {
    if (this.#isMoving || this.#hasStopped || this.#led.isHeld?.() === true) return;
    const sourceMs = this.#sourceMs();
    // A source that is set back has not moved: time never goes backward.
    const passed = Math.max(sourceMs - this.#lastMs, 0) * this.#factor + this.#rest;
    const whole = Math.floor(passed);
    this.#lastMs = sourceMs;
    this.#rest = passed - whole;
    if (whole === 0) return;
    this.#isMoving = true;
    try {
      this.#led.advanceTo(epochMs(this.#led.nowMs() + whole));
    } catch (error) {
      if (this.#led.onError === undefined) throw error;
      // Too many deadlines in one step, or the end of time: it would fail again and again.
      this.stop();
      this.#led.onError(error);
    } finally {
      this.#isMoving = false;
    }
    this.rearm();
  }

  rearm(): void {
    // Who moves time arms when it has come to rest.
    if (this.#isMoving || this.#hasStopped) return;
    const nextMs = this.#led.isWaitedFor() ? this.#led.nextMs() : undefined;
    if (this.#wake?.forMs === nextMs) return;
    this.#disarm();
    if (nextMs === undefined || nextMs > LAST_INSTANT_MS) return;
    const missing = (nextMs - this.#led.nowMs() - this.#rest) / this.#factor;
    const delay = this.#led.isHeld?.() === true ? HELD_MS : this.#lastMs + missing - this.#sourceMs();
    const timer = this.#source.setTimeout(
      () => {
        this.#wake = undefined;
        try {
          this.catchUp();
        } finally {
          this.rearm();
        }
      },
      Math.min(Math.max(Math.ceil(delay), 0), LONGEST_MS),
    );
    this.#wake = { timer, forMs: nextMs };
  }

  stop(): void {
    this.#hasStopped = true;
    this.#disarm();
  }

  #disarm(): void {
    if (this.#wake !== undefined) this.#source.clearTimeout(this.#wake.timer as never);
    this.#wake = undefined;
  }
}

/** @throws TypeError for a factor that is none */
export function readFactor(call: string, factor: unknown = 1): number {
  if (typeof factor === "number" && factor > 0 && factor <= MOST) return factor;
  throw new TypeError(`${call}: factor is ${shown(factor)}: it is above 0, and at most ${MOST}`);
}

/** As the source is now: fake timers that are put in its place later are another source. */
function nowOf(source: ClockSource): () => number {
  const { now, Date: dates, setTimeout, clearTimeout } = Object(source) as Partial<ClockSource>;
  if (typeof setTimeout === "function" && typeof clearTimeout === "function") {
    if (typeof now === "function") return () => now.call(source);
    if (typeof dates?.now === "function") return () => dates.now();
  }
  throw new TypeError(
    `follow: ${shown(source)} is no source of time: it is { Date or now, setTimeout, clearTimeout }, such as globalThis`,
  );
}
