import { setImmediate as immediateOf, setInterval as intervalOf, setTimeout as sleepFor } from "node:timers/promises";
import { promisify } from "node:util";
import { createClock } from "@sinonjs/fake-timers";
import { describe, expect, test, vi } from "vitest";
import { createSimulator, type ProgramTimers } from "../../src/index.ts";

const START_MS = Date.UTC(2026, 0);

type Timers = Pick<
  ProgramTimers,
  "setTimeout" | "clearTimeout" | "setInterval" | "clearInterval" | "setImmediate" | "clearImmediate" | "Date"
>;

/** What a behaviour is asked of: ours, and the library that users know. */
interface Subject {
  readonly timers: Timers;
  readonly advance: (ms: number) => void;
}

function ours(): Subject {
  const sim = createSimulator();
  return { timers: sim.timers, advance: (ms) => void sim.clock.advance(ms) };
}

function theirs(): Subject {
  const clock = createClock(START_MS);
  return { timers: clock as unknown as Timers, advance: (ms) => void clock.tick(ms) };
}

describe.each([
  { name: "a program's timers", make: ours },
  { name: "@sinonjs/fake-timers", make: theirs },
])("$name", ({ make }) => {
  function told(): Subject & { readonly told: string[]; readonly tell: (what: string) => () => void } {
    const subject = make();
    const lines: string[] = [];
    const tell = (what: string) => () => void lines.push(`${what}@${subject.timers.Date.now() - START_MS}`);
    return { ...subject, told: lines, tell };
  }

  test("fire in the order of their instants, equals in the order of their arming", () => {
    const { timers, advance, told: lines, tell } = told();
    timers.setTimeout(tell("late"), 20);
    timers.setTimeout(tell("first"), 10);
    timers.setTimeout(tell("second"), 10);
    advance(30);
    expect(lines).toEqual(["first@10", "second@10", "late@20"]);
  });

  test("do nothing before their instant, and fire once", () => {
    const { timers, advance, told: lines, tell } = told();
    timers.setTimeout(tell("a"), 10);
    advance(9);
    expect(lines).toEqual([]);
    advance(1);
    advance(100);
    expect(lines).toEqual(["a@10"]);
  });

  test("that are armed in a callback fire in the same step, when they fall into it", () => {
    const { timers, advance, told: lines, tell } = told();
    timers.setTimeout(() => {
      tell("outer")();
      timers.setTimeout(tell("inner"), 5);
      timers.setTimeout(tell("beyond"), 50);
    }, 10);
    advance(30);
    expect(lines).toEqual(["outer@10", "inner@15"]);
  });

  test("get their arguments", () => {
    const { timers, advance } = make();
    const called = vi.fn();
    timers.setTimeout(called, 1, "a", 2);
    timers.setImmediate(called, "now");
    advance(1);
    expect(called.mock.calls).toEqual([["now"], ["a", 2]]);
  });

  test("repeat until they are cleared, also from inside", () => {
    const { timers, advance, told: lines, tell } = told();
    let count = 0;
    const interval = timers.setInterval(() => {
      tell("tick")();
      if (++count === 3) timers.clearInterval(interval);
    }, 10);
    advance(100);
    expect(lines).toEqual(["tick@10", "tick@20", "tick@30"]);
  });

  test("are cleared by another timer of the same instant", () => {
    const { timers, advance, told: lines, tell } = told();
    timers.setTimeout(() => timers.clearTimeout(victim), 10);
    const victim = timers.setTimeout(tell("never"), 10);
    timers.setTimeout(tell("after"), 10);
    advance(10);
    expect(lines).toEqual(["after@10"]);
  });

  test("are cleared by either function, twice, or by what is none", () => {
    const { timers, advance, told: lines, tell } = told();
    const timeout = timers.setTimeout(tell("a"), 1);
    const interval = timers.setInterval(tell("b"), 1);
    timers.clearInterval(timeout as never);
    timers.clearTimeout(interval as never);
    timers.clearTimeout(timeout);
    timers.clearTimeout(undefined);
    timers.clearTimeout(null as never);
    advance(10);
    expect(lines).toEqual([]);
  });

  test("refresh to their whole delay from now", () => {
    const { timers, advance, told: lines, tell } = told();
    const timeout = timers.setTimeout(tell("a"), 10);
    timers.setTimeout(() => timeout.refresh(), 6);
    advance(30);
    expect(lines).toEqual(["a@16"]);
  });

  test("know whether they are referenced, and are a number where one is asked for", () => {
    const { timers, advance, told: lines, tell } = told();
    const timeout = timers.setTimeout(tell("a"), 10);
    expect(timeout.hasRef()).toBe(true);
    expect(timeout.unref().hasRef()).toBe(false);
    expect(timeout.ref().hasRef()).toBe(true);
    timers.clearTimeout(Number(timeout));
    advance(10);
    expect(lines).toEqual([]);
  });

  test("of immediates fire at once, before time goes on, unless they are cleared", () => {
    const { timers, advance, told: lines, tell } = told();
    timers.setTimeout(tell("later"), 1);
    timers.setImmediate(tell("now"));
    const cleared = timers.setImmediate(tell("never"));
    timers.clearImmediate(cleared);
    advance(0);
    expect(lines).toEqual(["now@0"]);
    advance(1);
    expect(lines).toEqual(["now@0", "later@1"]);
  });

  test.each(["12", 12, "12.9", 12.9])("take %s for 12 milliseconds", (delay) => {
    const { timers, advance, told: lines, tell } = told();
    timers.setTimeout(tell("a"), delay as number);
    advance(11);
    expect(lines).toEqual([]);
    advance(1);
    expect(lines).toEqual(["a@12"]);
  });

  test("refuse what cannot be called", () => {
    const { timers } = make();
    expect(() => timers.setTimeout("alert()" as never, 1)).toThrow(TypeError);
  });

  test("read the same instant as Date, with and without new", () => {
    const { timers, advance } = make();
    advance(1_500);
    const { Date: Now } = timers;
    expect(Now.now()).toBe(START_MS + 1_500);
    expect(new Now().getTime()).toBe(START_MS + 1_500);
    expect(Now()).toBe(new Date(START_MS + 1_500).toString());
    expect(new Now(0).toISOString()).toBe("1970-01-01T00:00:00.000Z");
    expect(new Now(2020, 1).getTime()).toBe(new Date(2020, 1).getTime());
    expect(Now.UTC(2020, 0)).toBe(Date.UTC(2020, 0));
    expect(Now.parse("2020-01-01")).toBe(Date.parse("2020-01-01"));
    expect(new Now()).toBeInstanceOf(Now);
    expect(new Now()).toBeInstanceOf(Date);
    expect(new Date()).toBeInstanceOf(Now);
  });
});

describe("where fake-timers differs, Node's rules hold", () => {
  test.each([0, -5, Number.NaN, undefined, null, "soon", {}, 0.5])("a delay of %s is 1", (delay) => {
    const { timers, advance } = ours();
    const called = vi.fn();
    timers.setTimeout(called, delay as number);
    advance(0);
    expect(called).not.toHaveBeenCalled();
    advance(1);
    expect(called).toHaveBeenCalledOnce();
  });

  test("a delay that is too long is 1, and warns", () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const { timers, advance } = ours();
    const called = vi.fn();
    timers.setTimeout(called, 2 ** 31);
    advance(1);
    expect(called).toHaveBeenCalledOnce();
    expect(warned.mock.calls[0]?.[0]).toContain("does not fit into a 32-bit signed integer");
  });

  test("an interval is armed again after its call: what the call arms for that instant comes first", () => {
    const { timers, advance } = ours();
    const lines: string[] = [];
    let armed = false;
    timers.setInterval(() => {
      lines.push("tick");
      if (!armed) timers.setTimeout(() => lines.push("inner"), 10);
      armed = true;
    }, 10);
    advance(20);
    expect(lines).toEqual(["tick", "inner", "tick"]);
  });

  test("an interval whose callback throws goes on", () => {
    const { timers, advance } = ours();
    const called = vi.fn(() => {
      throw new Error("no");
    });
    timers.setInterval(called, 10);
    expect(() => advance(10)).toThrow("no");
    expect(() => advance(10)).toThrow("no");
    expect(called).toHaveBeenCalledTimes(2);
  });

  test("a timer that has fired is armed again by refresh, a cleared one is not", () => {
    const { timers, advance } = ours();
    const called = vi.fn();
    const fired = timers.setTimeout(() => called(), 10);
    advance(10);
    fired.refresh();
    advance(10);
    expect(called).toHaveBeenCalledTimes(2);
    fired.refresh();
    timers.clearTimeout(fired);
    fired.refresh();
    advance(100);
    expect(called).toHaveBeenCalledTimes(2);
  });

  test("a callback that is none is refused in Node's words", () => {
    const { timers } = ours();
    expect(() => timers.setTimeout(undefined as never)).toThrow(
      expect.objectContaining({
        code: "ERR_INVALID_ARG_TYPE",
        message: 'The "callback" argument must be of type function. Received undefined',
      }),
    );
  });

  test("dates have the constructor that made them, also one that extends it", () => {
    const { Date: Now } = ours().timers;
    expect(new Now().constructor).toBe(Now);
    class Later extends Now {
      tomorrow(): number {
        return this.getTime() + 86_400_000;
      }
    }
    expect(new Later().tomorrow()).toBe(START_MS + 86_400_000);
    expect(new Later()).toBeInstanceOf(Later);
    expect(new Now()).not.toBeInstanceOf(Later);
  });

  test("callbacks have their timer as this", () => {
    const { timers, advance } = ours();
    let self: unknown;
    const timeout = timers.setTimeout(function (this: unknown) {
      self = this;
    }, 1);
    advance(1);
    expect(self).toBe(timeout);
  });
});

describe("performance, signals and promises", () => {
  test("performance counts from where virtual time began", () => {
    const sim = createSimulator();
    sim.clock.advance(250);
    expect(sim.timers.performance.now()).toBe(250);
    expect(sim.timers.performance.timeOrigin).toBe(START_MS);
  });

  test("a signal times out in virtual time, in the platform's words", () => {
    const sim = createSimulator();
    const signal = sim.timers.AbortSignal.timeout(1_000);
    expect(signal).toBeInstanceOf(AbortSignal);
    sim.clock.advance(999);
    expect(signal.aborted).toBe(false);
    sim.clock.advance(1);
    expect(signal.reason).toMatchObject({ name: "TimeoutError", message: "The operation was aborted due to timeout" });
    expect(sim.timers.AbortSignal.abort("x").reason).toBe("x");
  });

  test("sleep takes a duration, and is given up by a signal", async () => {
    const sim = createSimulator();
    const { sleep } = sim.timers;
    const woken = sleep("60d").then(() => sim.clock.now() - START_MS);
    sim.clock.advance("61d");
    expect(await woken).toBe(61 * 86_400_000);
    const controller = new AbortController();
    const given = sleep("1h", { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(given).rejects.toThrow("enough");
    expect(sim.clock.pending()).toEqual([]);
    await expect(sleep("soon")).rejects.toThrow(TypeError);
  });

  test("util.promisify gives Node's promise", async () => {
    const { timers, advance } = ours();
    const woken = promisify(timers.setTimeout)(10, "value");
    advance(10);
    expect(await woken).toBe("value");
  });

  test("installed, they are where programs look: the global object, node:timers/promises, util.promisify", async () => {
    const sim = createSimulator();
    const before = { setTimeout, Date, performance, AbortSignal };
    const undo = sim.timers.install();
    const lines: string[] = [];
    setTimeout(() => lines.push(new Date().toISOString()), 1_000);
    void sleepFor(2_000, "slept").then((value) => lines.push(value));
    void promisify(setTimeout)(3_000).then(() => lines.push("promisified"));
    sim.clock.advance("1h");
    expect(performance.now()).toBe(3_600_000);
    undo();
    undo();
    await Promise.resolve();
    expect({ setTimeout, Date, performance, AbortSignal }).toEqual(before);
    expect(setTimeout).toBe(before.setTimeout);
    expect(lines).toEqual(["2026-01-01T00:00:01.000Z", "slept", "promisified"]);
    expect(Math.abs(Date.now() - before.Date.now())).toBeLessThan(86_400_000);
  });

  test("installed, node:timers/promises gives intervals and immediates, and takes signals", async () => {
    const sim = createSimulator();
    const undo = sim.timers.install();
    const lines: unknown[] = [];
    const giveUp = new AbortController();
    const ticking = (async () => {
      for await (const value of intervalOf(1_000, "tick", { signal: giveUp.signal }))
        lines.push([value, Date.now() - START_MS]);
    })().catch((error: unknown) => error);
    const sleeping = sleepFor(3_600_000, "never", { signal: giveUp.signal }).catch((error: unknown) => error);
    void immediateOf("at once").then((value) => lines.push([value, Date.now() - START_MS]));
    await sim.clock.run("3s");
    giveUp.abort();
    undo();
    const abort = { name: "AbortError", code: "ABORT_ERR" };
    expect([await ticking, await sleeping]).toMatchObject([abort, abort]);
    expect(lines).toEqual([["at once", 0], ...[1_000, 2_000, 3_000].map((at) => ["tick", at])]);
    expect(sim.clock.pending()).toEqual([]);
  });

  test("however a timer is armed, its origin is the line that armed it", () => {
    const sim = createSimulator();
    const undo = sim.timers.install();
    const ways = {
      timeout: () => void setTimeout(() => undefined, 1),
      interval: () => void setInterval(() => undefined, 1),
      sleep: () => void sim.timers.sleep(1),
      signal: () => void AbortSignal.timeout(1),
      promised: () => void promisify(setTimeout)(1),
      slept: () => void sleepFor(1),
    };
    for (const way of Object.values(ways)) way();
    undo();
    const origins = sim.clock.pending().map((due) => due.timer && due.where?.function);
    expect(origins).toEqual(Object.keys(ways).map((way) => expect.stringContaining(way)));
    sim.dispose();
  });
});
