import { LAST_INSTANT_MS } from "../kernel/calendar.ts";
import type { PendingDeadline } from "../kernel/clock.ts";
import { shown } from "../languages/shown.ts";
import type { DeadlineCheck, DeadlineOffset, Simulator } from "./types.ts";

const OFFSETS: readonly DeadlineOffset[] = [-1, 0, 1];

/**
 * Runs a check around every deadline that is pending now, one after another, and tells how often it ran.
 *
 * Our choice: a deadline that another one took away before it came is visited all the same. That nothing happens at its instant is
 * what somebody may want to see.
 */
export async function checkEachDeadline(sim: Simulator, check: DeadlineCheck): Promise<number> {
  if (typeof check !== "function") {
    throw new TypeError(`forEachDeadline: the check is ${shown(check)}, and has to be a function`);
  }
  const walk = new Walk(sim);
  let checks = 0;
  for (const deadline of sim.clock.pending()) {
    for (const offsetMs of OFFSETS) {
      const fork = walk.forkAround(deadline, offsetMs);
      if (fork === undefined) continue;
      checks += 1;
      try {
        await check(deadline, fork, offsetMs);
      } catch (error) {
        throw placed(error, placeText(deadline, offsetMs));
      }
    }
  }
  return checks;
}

/** Walks a fork once from the first deadline to the last, however many there are, and leaves worlds behind to fork from. */
class Walk {
  readonly #start: Simulator;
  readonly #startMs: number;
  readonly #walker: Simulator;
  /** The worlds of the last instants, oldest first: deadlines that lie close together share them. */
  readonly #left = new Map<number, Simulator>();

  constructor(sim: Simulator) {
    this.#start = sim.fork();
    this.#startMs = sim.clock.now();
    this.#walker = sim.fork();
  }

  /**
   * A world of its own for a check; undefined after the end of time.
   *
   * Our choice: a deadline can be due already, in a fork from between two commits of one instant. The present, in which it has not
   * fired, is then what is before it.
   */
  forkAround({ dueAtMs }: PendingDeadline, offsetMs: DeadlineOffset): Simulator | undefined {
    const instantMs = Math.max(dueAtMs, this.#startMs) + offsetMs;
    if (instantMs > LAST_INSTANT_MS) return undefined;
    return instantMs < this.#startMs ? this.#start.fork() : this.#worldAt(instantMs).fork();
  }

  #worldAt(instantMs: number): Simulator {
    let world = this.#left.get(instantMs);
    if (world === undefined) {
      this.#walker.clock.advanceTo(instantMs);
      world = this.#walker.fork();
      this.#left.set(instantMs, world);
      for (const passedMs of this.#left.keys()) {
        // What comes is due at this instant's deadline or later, and looks back by one millisecond.
        if (passedMs >= instantMs - 2) break;
        this.#left.delete(passedMs);
      }
    }
    return world;
  }
}

const WHERE: { readonly [O in DeadlineOffset]: string } = { [-1]: "1 ms before", 0: "at", 1: "1 ms after" };

function placeText({ command, owner, dueAtMs }: PendingDeadline, offsetMs: DeadlineOffset): string {
  const whose = Object.entries(owner).map(([kind, name]) => ` of ${kind} ${name}`);
  return `${WHERE[offsetMs]} ${command}${whose.join("")}, due ${new Date(dueAtMs).toISOString()}`;
}

/** Says in an error's own message where it arose: its class, its code and what an assertion compares stay as they are. */
function placed(error: unknown, place: string): unknown {
  const { message, stack } = (error ?? {}) as { readonly message?: unknown; readonly stack?: unknown };
  if (typeof error !== "object" || error === null || typeof message !== "string") {
    return new Error(`${place}: ${String(error)}`, { cause: error });
  }
  const told = `${place}: ${message}`;
  if (!Reflect.set(error, "message", told)) return new Error(told, { cause: error });
  // The stack begins with the message as it was, and some reporters show nothing else.
  const retold = typeof stack === "string" && message !== "" ? stack.replace(message, () => told) : stack;
  Reflect.set(error, "stack", retold);
  return error;
}
