import { type EpochMs, epochMs } from "../kernel/brand.ts";
import type { Companion } from "../kernel/clock.ts";
import { placed } from "../kernel/placed-error.ts";
import type { Mistakes } from "./mistakes.ts";
import { type PendingTimer, Timer, type TimerHome } from "./timer.ts";
import { TimerQueue } from "./timer-queue.ts";

/** What the timers of programs need of a simulator. */
export interface TimeSource {
  /** Now. @throws TypeError when the simulator was disposed of */
  readonly nowMs: () => EpochMs;
  readonly startAtMs: EpochMs;
  readonly mistakes: () => Mistakes;
  /** Whether whoever moves the clock lets promises settle. */
  readonly letsPromisesSettle: () => boolean;
  /** Is told of each timer that is armed. */
  readonly onArmed: () => void;
}

/** The first number that stands for a timer: no platform counts so far. */
const FIRST_ID = 1_000_000_000_000;

/** The timers of all programs of a simulator, in one order. */
export class ProgramsTime implements Companion {
  readonly source: TimeSource;
  /** The undos of what was installed. */
  readonly installed = new Set<() => void>();
  readonly queue = new TimerQueue<Timer>();
  readonly #byId = new Map<number, Timer>();
  readonly #ids = new WeakMap<Timer, number>();
  #nextId = FIRST_ID;
  #last: Timer | undefined;

  constructor(source: TimeSource) {
    this.source = source;
  }

  /** When the next is due. */
  nextMs(): EpochMs | undefined {
    return this.queue.firstMs;
  }

  takeTurn(nowMs: EpochMs): boolean {
    const timer = this.queue.takeDue(nowMs);
    if (timer === undefined) return false;
    this.#last = timer;
    let result: unknown;
    try {
      result = Timer.fire(timer);
    } catch (error) {
      throw placed(error, `${Timer.named(timer)}, due ${new Date(timer.dueAtMs).toISOString()}`);
    }
    if (isPromise(result) && !this.source.letsPromisesSettle()) {
      this.source
        .mistakes()
        .tell(
          "HINDCAST_ASYNC_TIMER",
          () =>
            `${Timer.named(timer)}: its callback is asynchronous, and advance waits for nothing: what it does later ` +
            "comes after the clock has moved on; use await sim.clock.run(...)",
        );
    }
    return true;
  }

  get lastTurn(): string {
    return this.#last === undefined ? "" : Timer.named(this.#last);
  }

  /** Drops what waits and takes back what was installed: nothing comes any more. */
  end(): void {
    this.queue.clear();
    for (const undo of this.installed) undo();
  }

  /** What waits, in the order in which it will fire. */
  pending(): PendingTimer[] {
    return this.queue.inOrder().map(Timer.pending);
  }

  /** The rows of what waits now, for when somebody asks. */
  pendingLater(): () => readonly PendingTimer[] {
    const timers = this.queue.inOrder().map((timer) => [timer, timer.dueAtMs] as const);
    return () => timers.map(([timer, dueAtMs]) => ({ ...Timer.pending(timer), dueAtMs: epochMs(dueAtMs) }));
  }

  idOf(timer: Timer): number {
    let id = this.#ids.get(timer);
    if (id === undefined) {
      id = this.#nextId++;
      this.#ids.set(timer, id);
    }
    this.#byId.set(id, timer);
    return id;
  }

  forget(timer: Timer): void {
    const id = this.#ids.get(timer);
    if (id !== undefined) this.#byId.delete(id);
  }

  timerOf(id: number): Timer | undefined {
    return this.#byId.get(id);
  }
}

/** The part of a program in it. */
export class ProgramTime implements TimerHome {
  readonly program: string;
  readonly #time: ProgramsTime;

  constructor(program: string, time: ProgramsTime) {
    this.program = program;
    this.#time = time;
  }

  get all(): ProgramsTime {
    return this.#time;
  }

  nowMs(): EpochMs {
    return this.#time.source.nowMs();
  }

  arm(timer: Timer, delayMs: number): void {
    this.#time.queue.arm(timer, epochMs(this.nowMs() + delayMs));
    this.#time.source.onArmed();
  }

  disarm(timer: Timer): void {
    this.#time.queue.disarm(timer);
    this.#time.forget(timer);
  }

  idOf(timer: Timer): number {
    return this.#time.idOf(timer);
  }
}

function isPromise(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && typeof (value as { readonly then?: unknown }).then === "function"
  );
}
