import type { Program, Simulator } from "hindcast";
import { untilQuiet } from "../../src/programs/quiet.ts";

/** What a program takes from the place that it runs in. */
export interface Place {
  readonly fetch: Program["fetch"];
  readonly setTimeout: (callback: () => unknown, ms: number) => unknown;
  readonly clearTimeout: (timer: never) => void;
  readonly now: () => number;
}

/** One way to test a program. */
export interface Mode {
  readonly name: string;
  /** Where the program runs, what moves its time, and what takes all back. */
  readonly open: (sim: Simulator) => {
    readonly place: Place;
    readonly drive: (hours: number) => Promise<void>;
    readonly close: () => void;
  };
}

/** In the modes that follow, clocks are moved by so much at once, and answers come between: programs wait for multiples of it. */
const STEP_MS = 10_000;
const HOUR_MS = 3_600_000;

/** What a program finds when it names no place: the global object, as it is at each call. */
function globals(program: Program): Place {
  return {
    fetch: program.fetch,
    setTimeout: (callback, ms) => setTimeout(callback, ms),
    clearTimeout: (timer) => clearTimeout(timer),
    now: () => Date.now(),
  };
}

/** A fake clock leads. */
export function following(
  name: string,
  fake: { begin: (nowMs: number) => void; tick: (ms: number) => void; end: () => void },
): Mode {
  return {
    name,
    open: (sim) => {
      fake.begin(sim.clock.now());
      const stop = sim.clock.follow(globalThis);
      return {
        place: globals(sim.program("shop")),
        drive: async (hours) => {
          for (let passed = 0; passed < hours * HOUR_MS; passed += STEP_MS) {
            await quiet();
            fake.tick(STEP_MS);
          }
          await quiet();
        },
        close: () => {
          stop();
          fake.end();
        },
      };
    },
  };
}

/** Fake clocks wait for nobody: whoever moves them does. */
async function quiet(): Promise<void> {
  const patience = { quietTurns: 2, limitMs: 10_000, onLong: () => undefined };
  await untilQuiet({ asked: () => 0, held: () => [] }, patience);
}

/** What a program finds that is given everything. */
export function placeOf({ fetch, timers }: Program): Place {
  return {
    fetch,
    setTimeout: (callback, ms) => timers.setTimeout(callback, ms),
    clearTimeout: (timer) => timers.clearTimeout(timer),
    now: () => timers.Date.now(),
  };
}

export const injected: Mode = {
  name: "injected",
  open: (sim) => {
    return {
      place: placeOf(sim.program("shop")),
      drive: async (hours) => void (await sim.clock.run(hours * HOUR_MS)),
      close: () => undefined,
    };
  },
};

export const installed: Mode = {
  name: "installed",
  open: (sim) => ({
    place: globals(sim.program("shop")),
    drive: async (hours) => void (await sim.clock.run(hours * HOUR_MS)),
    close: sim.program("shop").timers.install(),
  }),
};
