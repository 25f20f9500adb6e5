import { LAST_INSTANT_MS } from "../kernel/calendar.ts";
import { placed } from "../kernel/placed-error.ts";
import { shown } from "../languages/shown.ts";
import type { Pending } from "./clock.ts";
import type { DeadlineCheck, DeadlineOffset, Simulator } from "./types.ts";

/** A moment around what is due: `isBefore` where what services have due at that instant has not fired. */
interface Visit {
  readonly offsetMs: DeadlineOffset;
  readonly isBefore?: true;
}

const AROUND: readonly Visit[] = [{ offsetMs: -1 }, { offsetMs: 0 }, { offsetMs: 1 }];

/** A timer that is due together with a deadline may come before it, or after it. */
const AROUND_TIE: readonly Visit[] = [
  { offsetMs: -1 },
  { offsetMs: 0, isBefore: true },
  { offsetMs: 0 },
  { offsetMs: 1 },
];

/**
 * Runs a check around every deadline that is pending now, one after another, and tells how often it ran.
 *
 * Our choice: a deadline that another one took away before it came is visited all the same. That nothing happens at its instant is
 * what somebody may want to see.
 *
 * @param forkBeforeDue makes a fork at an instant at which what is due then has not fired
 */
export async function checkEachDeadline(
  sim: Simulator,
  check: DeadlineCheck,
  forkBeforeDue: (world: Simulator, instantMs: number) => Simulator,
): Promise<number> {
  if (typeof check !== "function") {
    throw new TypeError(`forEachDeadline: the check is ${shown(check)}, and has to be a function`);
  }
  const walk = new Walk(sim, forkBeforeDue);
  const pending = sim.clock.pending();
  const deadlinesAtMs = new Set(pending.filter(({ timer }) => timer === undefined).map(({ dueAtMs }) => dueAtMs));
  let checks = 0;
  for (const due of pending) {
    const isTie = due.timer !== undefined && deadlinesAtMs.has(due.dueAtMs);
    for (const visit of isTie ? AROUND_TIE : AROUND) {
      const fork = walk.forkAround(due, visit);
      if (fork === undefined) continue;
      checks += 1;
      try {
        await check(due, fork, visit.offsetMs);
      } catch (error) {
        throw placed(error, placeText(due, visit, isTie));
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

  readonly #forkBeforeDue: (world: Simulator, instantMs: number) => Simulator;

  constructor(sim: Simulator, forkBeforeDue: (world: Simulator, instantMs: number) => Simulator) {
    this.#forkBeforeDue = forkBeforeDue;
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
  forkAround({ dueAtMs }: Pending, { offsetMs, isBefore }: Visit): Simulator | undefined {
    const instantMs = Math.max(dueAtMs, this.#startMs) + offsetMs;
    if (instantMs > LAST_INSTANT_MS) return undefined;
    if (isBefore) {
      const world = instantMs <= this.#startMs ? this.#start : this.#worldAt(instantMs - 1);
      return this.#forkBeforeDue(world, instantMs);
    }
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

function placeText(due: Pending, { offsetMs, isBefore }: Visit, isTie: boolean): string {
  const at = `due ${new Date(due.dueAtMs).toISOString()}`;
  if (due.timer !== undefined) {
    const order = isTie && offsetMs === 0 ? `, ${isBefore ? "before" : "after"} the deadline of that instant` : "";
    return `${WHERE[offsetMs]} ${due.timer} of ${due.program}, ${at}${order}`;
  }
  const whose = Object.entries(due.owner).map(([kind, name]) => ` of ${kind} ${name}`);
  return `${WHERE[offsetMs]} ${due.command}${whose.join("")}, ${at}`;
}
