import { describe, expect, it } from "vitest";
import { epochMs } from "../../src/kernel/brand.ts";
import { LAST_INSTANT_MS } from "../../src/kernel/calendar.ts";
import type { Fired } from "../../src/kernel/clock.ts";
import { afterStart, type KitchenDecider, openKitchen, START_MS } from "../support/kitchen.ts";

const shown = (fired: readonly Fired[]): string[] =>
  fired.map(
    ({ dueAtMs, command, owner, position }) => `${position}@+${dueAtMs - START_MS} ${command} of ${owner["stove"]}`,
  );

/** Each ring notes the instant at which it was decided. */
const noteInstant: KitchenDecider = (decision, input) => {
  const { dish } = input as { readonly dish: string };
  decision.record({ type: "NoteWritten", data: { text: `${dish} at +${decision.nowMs - START_MS}` } });
};

/** Each ring puts the same dish on again. */
const ringEvery =
  (ms: number): KitchenDecider =>
  (decision, input) => {
    const { stove, dish } = input as { readonly stove: "gas"; readonly dish: string };
    decision.record({ type: "DishStarted", data: { stove, dish, doneAtMs: epochMs(decision.nowMs + ms), label: "" } });
  };

describe("advancing", () => {
  it("sets now to each deadline as it fires, and to the end of the step at last", () => {
    const kitchen = openKitchen({ deciders: { "timer.dishDone": noteInstant } });
    kitchen.ask("cook", { stove: "gas", dish: "rice", ms: 300 });
    kitchen.ask("cook", { stove: "oven", dish: "bread", ms: 200 });

    const fired = kitchen.clock.advanceTo(afterStart(1_000));

    expect(kitchen.timeline.state.notes).toEqual(["bread at +200", "rice at +300"]);
    expect(kitchen.timeline.nowMs).toBe(afterStart(1_000));
    expect(shown(fired)).toEqual(["3@+200 timer.dishDone of oven", "4@+300 timer.dishDone of gas"]);
  });

  it("fires a deadline that is due at the very end of the step, and none after it", () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", { stove: "gas", dish: "rice", ms: 300 });
    kitchen.ask("cook", { stove: "gas", dish: "soup", ms: 301 });
    expect(shown(kitchen.clock.advanceTo(afterStart(300)))).toEqual(["3@+300 timer.dishDone of gas"]);
    expect(kitchen.clock.pending()).toHaveLength(1);
  });

  it("fires ties in the order in which they were armed, across calendars", () => {
    const kitchen = openKitchen({ deciders: { "timer.dishDone": noteInstant } });
    const dishes = ["a", "b", "c", "d", "e"].map((dish, index) => ({
      stove: index % 2 === 0 ? "oven" : "gas",
      dish,
      ms: 500,
    }));
    for (const dish of dishes) kitchen.ask("cook", dish);
    kitchen.clock.advanceTo(afterStart(500));
    expect(kitchen.timeline.state.notes).toEqual(["a", "b", "c", "d", "e"].map((dish) => `${dish} at +500`));
  });

  it("gives a deadline that was moved the turn of its last arming", () => {
    const kitchen = openKitchen({ deciders: { "timer.dishDone": noteInstant } });
    kitchen.ask("cook", { stove: "gas", dish: "first", ms: 500 });
    kitchen.ask("cook", { stove: "gas", dish: "second", ms: 500 });
    kitchen.ask("stir", { stove: "gas", dish: "first", ms: 500 });
    kitchen.clock.advanceTo(afterStart(500));
    expect(kitchen.timeline.state.notes).toEqual(["second at +500", "first at +500"]);
  });

  it("fires within the step what was armed on the way, when it falls within", () => {
    const kitchen = openKitchen({ deciders: { "timer.dishDone": ringEvery(100) } });
    kitchen.ask("cook", { stove: "gas", dish: "rice", ms: 100 });
    const fired = kitchen.clock.advanceTo(afterStart(350));
    expect(fired.map(({ dueAtMs }) => dueAtMs - START_MS)).toEqual([100, 200, 300]);
    expect(kitchen.clock.pending().map(({ dueAtMs }) => dueAtMs - START_MS)).toEqual([400]);
  });

  it("fires at the same instant what was armed on the way for now or earlier, after what was armed before it", () => {
    const kitchen = openKitchen({
      deciders: {
        "timer.dishDone": (decision, input) => {
          const { dish } = input as { readonly dish: string };
          decision.record({ type: "NoteWritten", data: { text: dish } });
          if (dish !== "first") return;
          decision.record({
            type: "DishStarted",
            data: { stove: "oven", dish: "child", doneAtMs: decision.nowMs, label: "" },
          });
        },
      },
    });
    kitchen.ask("cook", { stove: "gas", dish: "first", ms: 100 });
    kitchen.ask("cook", { stove: "gas", dish: "second", ms: 100 });
    kitchen.clock.advanceTo(afterStart(100));
    expect(kitchen.timeline.state.notes).toEqual(["first", "second", "child"]);
  });

  it("does not fire what an earlier ring of the same instant has disarmed", () => {
    const kitchen = openKitchen({
      deciders: {
        "timer.dishDone": (decision) => {
          decision.record({ type: "DishThrownAway", data: { stove: "gas", dish: "second" } });
        },
      },
    });
    kitchen.ask("cook", { stove: "gas", dish: "first", ms: 100 });
    kitchen.ask("cook", { stove: "gas", dish: "second", ms: 100 });
    expect(kitchen.clock.advanceTo(afterStart(100))).toHaveLength(1);
  });

  it("lets calendars sleep that are not awake, and fires what is overdue at once when they wake, at the present", () => {
    const kitchen = openKitchen({ deciders: { "timer.dishDone": noteInstant } });
    kitchen.ask("cook", { stove: "gas", dish: "rice", ms: 100 });
    kitchen.ask("switchStove", { stove: "gas", on: false });
    expect(kitchen.clock.advanceTo(afterStart(500))).toEqual([]);
    expect(kitchen.clock.pending()).toEqual([]);

    kitchen.ask("switchStove", { stove: "gas", on: true });
    const fired = kitchen.clock.fireDue();

    expect(shown(fired)).toEqual(["4@+100 timer.dishDone of gas"]);
    expect(kitchen.timeline.state.notes).toEqual(["rice at +500"]);
  });

  it("to now fires what is due, and moves nothing", () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", { stove: "gas", dish: "rice", ms: 0 });
    expect(kitchen.clock.advanceTo(START_MS)).toHaveLength(1);
    expect(kitchen.timeline.nowMs).toBe(START_MS);
  });

  it("never goes backward", () => {
    const kitchen = openKitchen();
    kitchen.clock.advanceTo(afterStart(10));
    expect(() => kitchen.clock.advanceTo(afterStart(9))).toThrow(RangeError);
    expect(kitchen.timeline.nowMs).toBe(afterStart(10));
  });

  it("in two steps leaves the log that one step leaves", () => {
    const [one, two] = [100, 100].map((ms) => {
      const kitchen = openKitchen({ deciders: { "timer.dishDone": ringEvery(ms) } });
      kitchen.ask("cook", { stove: "gas", dish: "rice", ms: 70 });
      kitchen.ask("cook", { stove: "oven", dish: "bread", ms: 270 });
      return kitchen;
    }) as [ReturnType<typeof openKitchen>, ReturnType<typeof openKitchen>];
    one.clock.advanceTo(afterStart(1_000));
    two.clock.advanceTo(afterStart(270));
    two.clock.advanceTo(afterStart(1_000));
    expect(two.log()).toEqual(one.log());
    expect(two.timeline.nowMs).toBe(one.timeline.nowMs);
  });
});

describe("the bound on firings", () => {
  const endless = (ms: number, firingsPerStep = 50) => {
    const kitchen = openKitchen({ deciders: { "timer.dishDone": ringEvery(ms) }, firingsPerStep });
    kitchen.ask("cook", { stove: "gas", dish: "rice", ms: 10 });
    return kitchen;
  };

  it("ends a schedule that arms itself for ever at one instant, and names the timer", () => {
    expect(() => endless(0).clock.advanceTo(afterStart(10))).toThrow(
      "more than 50 deadlines fired in one step of the clock, the last of them timer.dishDone: " +
        "advance in smaller steps, or raise limits.firingsPerAdvance if so many are meant",
    );
  });

  it("ends a step that is larger than anybody meant", () => {
    expect(() => endless(1).clock.advanceTo(afterStart(1_000))).toThrow(RangeError);
  });

  it("lets as many fire as it says", () => {
    expect(endless(1).clock.advanceTo(afterStart(59))).toHaveLength(50);
    expect(() => endless(1).clock.advanceTo(afterStart(60))).toThrow(RangeError);
  });

  it("counts each step anew", () => {
    const { clock, timeline } = endless(1);
    for (let until = 50; until <= 500; until += 50) clock.advanceTo(afterStart(until));
    expect(timeline.position).toBe(1 + 491);
  });

  it("holds for what a commit has made due, and for a jump", () => {
    expect(() => endless(0).clock.next()).toThrow(RangeError);
    const kitchen = openKitchen({ deciders: { "timer.dishDone": ringEvery(0) }, firingsPerStep: 50 });
    kitchen.ask("cook", { stove: "gas", dish: "rice", ms: 0 });
    expect(() => kitchen.clock.fireDue()).toThrow(RangeError);
  });

  it("holds for a run at one instant", async () => {
    await expect(endless(0).clock.runTo(afterStart(10), async () => undefined)).rejects.toThrow(RangeError);
  });

  it("holds for a run as a whole, as for the step that does the same", async () => {
    await expect(endless(1).clock.runTo(afterStart(1_000), async () => undefined)).rejects.toThrow(RangeError);
  });
});

describe("jumping to the next deadline", () => {
  it("fires all that is due at that instant, and stays there", () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", { stove: "gas", dish: "rice", ms: 300 });
    kitchen.ask("cook", { stove: "oven", dish: "bread", ms: 300 });
    kitchen.ask("cook", { stove: "gas", dish: "soup", ms: 400 });
    expect(shown(kitchen.clock.next())).toEqual(["4@+300 timer.dishDone of gas", "5@+300 timer.dishDone of oven"]);
    expect(kitchen.timeline.nowMs).toBe(afterStart(300));
  });

  it("without any does nothing", () => {
    const kitchen = openKitchen();
    expect(kitchen.clock.next()).toEqual([]);
    expect(kitchen.timeline.nowMs).toBe(START_MS);
  });

  it("fires what is overdue without going back to it", () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", { stove: "gas", dish: "rice", ms: -500 });
    expect(kitchen.clock.next()).toHaveLength(1);
    expect(kitchen.timeline.nowMs).toBe(START_MS);
  });

  it("leaves alone what is never reached", () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", { stove: "gas", dish: "glacier", ms: LAST_INSTANT_MS });
    expect(kitchen.clock.pending()).toEqual([]);
    expect(kitchen.clock.next()).toEqual([]);
  });

  it("reaches the last instant", () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", { stove: "gas", dish: "glacier", ms: LAST_INSTANT_MS - START_MS });
    expect(kitchen.clock.next()).toHaveLength(1);
    expect(kitchen.timeline.nowMs).toBe(LAST_INSTANT_MS);
  });
});

describe("the pending deadlines", () => {
  it("are those of all awake calendars, in the order in which they will fire", () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", { stove: "oven", dish: "bread", ms: 300 });
    kitchen.ask("cook", { stove: "gas", dish: "rice", ms: 200 });
    kitchen.ask("cook", { stove: "gas", dish: "soup", ms: 300 });
    const pending = kitchen.clock.pending();
    expect(pending).toEqual([
      { dueAtMs: afterStart(200), command: "timer.dishDone", owner: { stove: "gas" } },
      { dueAtMs: afterStart(300), command: "timer.dishDone", owner: { stove: "oven" } },
      { dueAtMs: afterStart(300), command: "timer.dishDone", owner: { stove: "gas" } },
    ]);
    const fired = kitchen.clock.advanceTo(afterStart(300));
    expect(fired.map(({ position: _, ...deadline }) => deadline)).toEqual(pending);
  });

  it("name their owners rightly when a calendar before them sleeps", () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", { stove: "oven", dish: "bread", ms: 300 });
    kitchen.ask("switchStove", { stove: "gas", on: false });
    expect(kitchen.clock.pending().map(({ owner }) => owner)).toEqual([{ stove: "oven" }]);
    expect(shown(kitchen.clock.next())).toEqual(["3@+300 timer.dishDone of oven"]);
  });

  it("are none in an idle world", () => {
    expect(openKitchen().clock.pending()).toEqual([]);
  });
});

describe("what a commit has made due", () => {
  it("fires without any time passing", () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", { stove: "gas", dish: "rice", ms: 0 });
    expect(shown(kitchen.clock.fireDue())).toEqual(["2@+0 timer.dishDone of gas"]);
    expect(kitchen.timeline.nowMs).toBe(START_MS);
  });

  it("is nothing that is due later", () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", { stove: "gas", dish: "rice", ms: 1 });
    expect(kitchen.clock.fireDue()).toEqual([]);
  });
});

describe("running", () => {
  it("lets waiting code run before the first deadline, after each instant, and at the end", async () => {
    const kitchen = openKitchen();
    for (const [dish, ms] of [
      ["rice", 100],
      ["peas", 100],
      ["soup", 300],
    ] as const) {
      kitchen.ask("cook", { stove: "gas", dish, ms });
    }
    const breaths: string[] = [];
    const fired = await kitchen.clock.runTo(afterStart(500), async () => {
      const served = [...kitchen.timeline.state.stoves.gas.dishes.values()].filter(({ status }) => status === "served");
      breaths.push(`+${kitchen.timeline.nowMs - START_MS}: ${served.length} served`);
    });
    expect(breaths).toEqual(["+0: 0 served", "+100: 2 served", "+300: 3 served", "+500: 3 served"]);
    expect(fired).toHaveLength(3);
  });

  it("fires what waiting code has armed, at its instant", async () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", { stove: "gas", dish: "rice", ms: 100 });
    let armed = false;
    const fired = await kitchen.clock.runTo(afterStart(500), async () => {
      if (kitchen.timeline.nowMs !== afterStart(100) || armed) return;
      armed = true;
      kitchen.ask("cook", { stove: "gas", dish: "dessert", ms: 50 });
    });
    expect(fired.map(({ dueAtMs }) => dueAtMs - START_MS)).toEqual([100, 150]);
  });

  it("tells what fired while it ran, also when waiting code moved the clock", async () => {
    const kitchen = openKitchen();
    for (const [dish, ms] of [
      ["rice", 100],
      ["peas", 200],
      ["soup", 300],
    ] as const) {
      kitchen.ask("cook", { stove: "gas", dish, ms });
    }
    let moved: Fired[] = [];
    const fired = await kitchen.clock.runTo(afterStart(500), async () => {
      if (kitchen.timeline.nowMs === afterStart(100)) moved = kitchen.clock.advanceTo(afterStart(250));
    });
    expect(moved.map(({ dueAtMs }) => dueAtMs - START_MS)).toEqual([200]);
    expect(fired.map(({ dueAtMs }) => dueAtMs - START_MS)).toEqual([100, 200, 300]);
  });

  it("goes on from wherever waiting code has moved the clock to", async () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", { stove: "gas", dish: "rice", ms: 100 });
    kitchen.ask("cook", { stove: "gas", dish: "soup", ms: 200 });
    let moved = false;
    await kitchen.clock.runTo(afterStart(500), async () => {
      if (moved || kitchen.timeline.nowMs < afterStart(100)) return;
      moved = true;
      kitchen.clock.advanceTo(afterStart(900));
    });
    expect(kitchen.timeline.nowMs).toBe(afterStart(900));
    expect(kitchen.clock.pending()).toEqual([]);
  });

  it("leaves the log that advancing leaves", async () => {
    const [run, advanced] = [openKitchen(), openKitchen()];
    for (const kitchen of [run, advanced]) {
      kitchen.ask("cook", { stove: "gas", dish: "rice", ms: 100 });
      kitchen.ask("cook", { stove: "oven", dish: "bread", ms: 100 });
      kitchen.ask("cook", { stove: "gas", dish: "soup", ms: 300 });
    }
    await run.clock.runTo(afterStart(500), async () => undefined);
    advanced.clock.advanceTo(afterStart(500));
    expect(run.log()).toEqual(advanced.log());
  });
});
