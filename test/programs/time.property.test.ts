import { createClock } from "@sinonjs/fake-timers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { runs } from "../support/runs.ts";

const LENGTH_MS = 1_000;

/** One timer of a random program: what it asks when it fires, and what it arms then. */
interface Step {
  readonly delayMs: number;
  readonly repeats: boolean;
  readonly does: "write" | "token" | "read" | "nothing";
  readonly next: readonly Step[];
}

const step: fc.Memo<Step> = fc.memo((depth) =>
  fc.record({
    delayMs: fc.integer({ min: 1, max: 300 }),
    repeats: fc.boolean(),
    does: fc.constantFrom("write", "token", "read", "nothing"),
    next: depth > 1 ? fc.array(step(depth - 1), { maxLength: 2 }) : fc.constant([]),
  }),
);

type Timers = Pick<Simulator["timers"], "setTimeout" | "setInterval" | "clearInterval">;

/** Starts the program, and gives what it does to whoever looks later. */
function started(steps: readonly Step[], sim: Simulator, timers: Timers): readonly string[] {
  const main = sim.secrets.cluster("main");
  const owner = main.as(main.rootToken);
  const told: string[] = [];
  const arm = ({ delayMs, repeats, does, next }: Step, name: string): void => {
    let left = 3;
    const fire = (): void => {
      told.push(`${name} at ${sim.clock.now()}`);
      if (does === "write") owner.kv.write({ path: name, at: sim.clock.now() });
      // It ends at an instant that is a timer's as often as not.
      if (does === "token") main.createToken({ policies: ["default"], ttl: "100ms" });
      if (does === "read") void sim.fetch(`${main.url}/v1/sys/health`);
      if (repeats && --left === 0) timers.clearInterval(interval);
      next.forEach((inner, index) => {
        arm(inner, `${name}.${index}`);
      });
    };
    const interval = repeats ? timers.setInterval(fire, delayMs) : timers.setTimeout(fire, delayMs);
  };
  steps.forEach((first, index) => {
    arm(first, `${index}`);
  });
  return told;
}

/** Everything that can be seen of a story: what the program did, the log, the journal without the moves of the clock, which differ. */
function seen(sim: Simulator, told: readonly string[]): object {
  return { told, log: sim.log.toNdjson(), journal: sim.journal.filter(({ kind }) => kind !== "clock") };
}

test("advance in one step, in many, run, and following a fake clock are one story", async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(fc.array(step(3), { minLength: 1, maxLength: 4 }), lengths, async (steps, pieces) => {
      const whole = createSimulator();
      const told = started(steps, whole, whole.timers);
      whole.clock.advance(LENGTH_MS);
      const expected = seen(whole, told);

      const inPieces = createSimulator();
      const toldInPieces = started(steps, inPieces, inPieces.timers);
      for (const piece of pieces) inPieces.clock.advance(Math.min(piece, leftOf(inPieces)));
      inPieces.clock.advance(leftOf(inPieces));
      expect(seen(inPieces, toldInPieces)).toEqual(expected);

      const running = createSimulator();
      const toldRunning = started(steps, running, running.timers);
      await running.clock.run(LENGTH_MS);
      expect(seen(running, toldRunning)).toEqual(expected);

      const following = createSimulator();
      const clock = createClock(0);
      const toldFollowing = started(steps, following, likeNode(clock));
      const stop = following.clock.follow(clock);
      clock.tick(LENGTH_MS);
      stop();
      expect(seen(following, toldFollowing)).toEqual(expected);
    }),
    runs(100),
  );
});

/** A fake clock arms an interval before its call; Node, and we, after it, which shows where something is due at the same instant. */
function likeNode(clock: ReturnType<typeof createClock>): Timers {
  const intervals = new Map<object, () => void>();
  const setInterval = (callback: () => void, ms: number): object => {
    const interval = {};
    const arm = (): void => {
      const timer = clock.setTimeout(() => {
        callback();
        if (intervals.has(interval)) arm();
      }, ms);
      intervals.set(interval, () => clock.clearTimeout(timer));
    };
    arm();
    return interval;
  };
  const clearInterval = (interval: object): void => {
    intervals.get(interval)?.();
    intervals.delete(interval);
  };
  return { setTimeout: clock.setTimeout, setInterval, clearInterval } as unknown as Timers;
}

function leftOf(sim: Simulator): number {
  return Date.UTC(2026, 0) + LENGTH_MS - sim.clock.now();
}
