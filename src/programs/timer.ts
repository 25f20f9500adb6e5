import { type EpochMs, epochMs } from "../kernel/brand.ts";
import type { SourcePlace } from "../kernel/journal.ts";
import type { Queued } from "./timer-queue.ts";
import { atPlace, type CallSite, placeOf } from "./where.ts";

export type TimerKind = "setTimeout" | "setInterval" | "setImmediate";

/** A timer of a program that waits. */
export interface PendingTimer {
  readonly dueAtMs: EpochMs;
  /** The function that armed it. */
  readonly timer: TimerKind;
  /** The name of its program. */
  readonly program: string;
  /** Who armed it. */
  readonly where?: SourcePlace;
}

/** Where the timers of a program are. */
export interface TimerHome {
  readonly program: string;
  arm(timer: Timer, delayMs: number): void;
  disarm(timer: Timer): void;
  idOf(timer: Timer): number;
}

/** What is called when a timer is due. */
export interface Call {
  readonly kind: TimerKind;
  readonly callback: (...args: readonly unknown[]) => unknown;
  readonly args: readonly unknown[];
  /** Who armed it. */
  readonly site: CallSite;
}

/** A timer of a program, armed or not. It follows the rules of Node's own. */
export class Timer implements Queued {
  dueAtMs = 0;
  order = 0;
  index = -1;
  readonly #time: TimerHome;
  readonly #call: Call;
  readonly #delayMs: number;
  #isCleared = false;
  #isReferenced = true;

  static {
    // What ends it at the end of a block, where the platform has that.
    const { dispose } = Symbol as { readonly dispose?: symbol };
    const value = function (this: Timer): void {
      Timer.clear(this);
    };
    if (dispose !== undefined) Object.defineProperty(Timer.prototype, dispose, { value });
  }

  constructor(time: TimerHome, call: Call, delayMs: number) {
    this.#time = time;
    this.#call = call;
    this.#delayMs = delayMs;
    this.arm();
  }

  /** Arms it, or anew: it is due when its delay is over. */
  protected arm(): void {
    if (!this.#isCleared) this.#time.arm(this, this.#delayMs);
  }

  /** Ends it. */
  static clear(timer: Timer): void {
    timer.#isCleared = true;
    timer.#time.disarm(timer);
  }

  /** Calls back. An interval is armed again after its call, whatever came of that (Node, lib/internal/timers.js). */
  static fire(timer: Timer): unknown {
    const { callback, args, kind } = timer.#call;
    try {
      return args.length === 0 ? callback.call(timer) : callback.apply(timer, args as unknown[]);
    } finally {
      if (kind === "setInterval" && timer.index < 0) timer.arm();
    }
  }

  static pending(timer: Timer): PendingTimer {
    const where = placeOf(timer.#call.site);
    const row = { dueAtMs: epochMs(timer.dueAtMs), timer: timer.#call.kind, program: timer.#time.program };
    return where === undefined ? row : { ...row, where };
  }

  /** What messages call it. */
  static named(timer: Timer): string {
    const { kind, site } = timer.#call;
    return `${kind} of ${timer.#time.program}, armed${atPlace(site)}`;
  }

  ref(): this {
    this.#isReferenced = true;
    return this;
  }

  /** It changes what `hasRef` says: no process waits for a timer of virtual time. */
  unref(): this {
    this.#isReferenced = false;
    return this;
  }

  hasRef(): boolean {
    return this.#isReferenced;
  }

  /** The number for which `clearTimeout` ends it, too. */
  [Symbol.toPrimitive](): number {
    return this.#time.idOf(this);
  }
}

/** What `setTimeout` and `setInterval` give in Node. */
export class Timeout extends Timer {
  refresh(): this {
    this.arm();
    return this;
  }

  close(): this {
    Timer.clear(this);
    return this;
  }
}

/** What `setImmediate` gives. */
export class Immediate extends Timer {}
