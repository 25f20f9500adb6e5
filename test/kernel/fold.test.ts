import { describe, expect, it } from "vitest";
import { logPosition } from "../../src/kernel/brand.ts";
import type { Commit } from "../../src/kernel/commit.ts";
import { FoldPass, foldCommit, foldEvents } from "../../src/kernel/fold.ts";
import { hashOf, hexOf } from "../../src/kernel/hash.ts";
import {
  afterStart,
  commitsOf,
  type Kitchen,
  type KitchenDecision,
  kitchenModel,
  newKitchen,
  openKitchen,
  START_MS,
} from "../support/kitchen.ts";

const soup = { stove: "gas", dish: "soup", ms: 500 };

const hash = (kitchen: Kitchen): string => hexOf(hashOf(kitchen));

const fold = (commits: readonly Commit[]): Kitchen =>
  commits.reduce((state, commit) => foldCommit(kitchenModel(), state, commit), newKitchen());

describe("folding the log", () => {
  it("comes to the state that deciding came to", () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", soup);
    kitchen.ask("cook", { ...soup, dish: "stew", ms: 300 });
    kitchen.ask("stir", { ...soup, ms: 700 });
    kitchen.clock.advanceTo(afterStart(600));
    kitchen.ask("throwAway", { stove: "gas", dish: "stew" });
    const folded = fold(commitsOf(kitchen.timeline));
    expect(hash(folded)).toBe(hash(kitchen.timeline.state));
    expect([...folded.stoves.gas.calendar.keys()]).toEqual([...kitchen.timeline.state.stoves.gas.calendar.keys()]);
  });

  it("needs nothing of a command but its caller: neither its name nor its input counts", () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", soup);
    kitchen.clock.advanceTo(afterStart(500));
    const forgetful = commitsOf(kitchen.timeline).map((commit) => ({
      ...commit,
      command: { ...commit.command, name: "forgotten", input: null },
    }));
    expect(hash(fold(forgetful))).toBe(hash(kitchen.timeline.state));
  });

  it("of no fact is the state as it was", () => {
    const state = newKitchen();
    const pass = new FoldPass(logPosition(1), START_MS);
    expect(foldEvents(kitchenModel(), state, [], null, pass)).toBe(state);
  });

  it("shares with the state before whatever did not change", () => {
    const kitchen = openKitchen();
    const before = kitchen.timeline.state;
    kitchen.ask("cook", soup);
    const after = kitchen.timeline.state;
    expect(after.stoves.gas).not.toBe(before.stoves.gas);
    expect(after.stoves.oven).toBe(before.stoves.oven);
    expect(after.notes).toBe(before.notes);
  });

  it("leaves the state before as it was", () => {
    const kitchen = openKitchen();
    const before = kitchen.timeline.state;
    const text = JSON.stringify(before);
    kitchen.ask("cook", soup);
    kitchen.ask("note", { text: "cooked" });
    expect(JSON.stringify(before)).toBe(text);
  });

  it("makes states that are frozen, what their tables hold included", () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", soup);
    kitchen.ask("note", { text: "cooked" });
    const { stoves, notes, tickets } = kitchen.timeline.state;
    for (const part of [kitchen.timeline.state, stoves, stoves.gas, stoves.gas.dishes.get("soup"), notes, tickets]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it("tells of a fact that nobody folds", () => {
    const commit = {
      position: logPosition(1),
      atMs: START_MS,
      command: { name: "dream", input: null, caller: null, via: "call" },
      events: [{ type: "DreamDreamt", v: 1, data: {} }],
    } as const;
    expect(() => foldCommit(kitchenModel(), newKitchen(), commit)).toThrow(
      new TypeError("no evolver folds DreamDreamt"),
    );
  });

  it.each(["constructor", "toString", "__proto__"])(
    "tells of a fact %s, too, a name that every object knows",
    (type) => {
      const commit = {
        position: logPosition(1),
        atMs: START_MS,
        command: { name: "dream", input: null, caller: null, via: "call" },
        events: [{ type, v: 1, data: {} }],
      } as const;
      expect(() => foldCommit(kitchenModel(), newKitchen(), commit)).toThrow(`no evolver folds ${type}`);
    },
  );
});

describe("the deadline that fired", () => {
  const ringOnce = (decide: (decision: KitchenDecision) => void) => {
    const kitchen = openKitchen({ deciders: { "timer.dishDone": decide } });
    kitchen.ask("cook", soup);
    kitchen.clock.advanceTo(afterStart(500));
    return kitchen;
  };

  it("is gone after its commit, in deciding and in replay, also when no fact took it away", () => {
    const kitchen = ringOnce(() => undefined);
    expect(kitchen.timeline.state.stoves.gas.calendar.size).toBe(0);
    expect(fold(commitsOf(kitchen.timeline)).stoves.gas.calendar.size).toBe(0);
  });

  it("is there until the first fact of its commit, so that a decider that only looks sees the state before", () => {
    const sizes: number[] = [];
    ringOnce((decision) => {
      sizes.push(decision.state.stoves.gas.calendar.size);
      decision.record({ type: "NoteWritten", data: { text: "rang" } });
      sizes.push(decision.state.stoves.gas.calendar.size);
    });
    expect(sizes).toEqual([1, 0]);
  });

  it("goes once: what the commit arms at the same instant stays", () => {
    const kitchen = ringOnce((decision) => {
      decision.record({
        type: "DishStarted",
        data: { stove: "gas", dish: "again", doneAtMs: afterStart(900), label: "" },
      });
      expect(decision.state.stoves.gas.calendar.size).toBe(1);
      decision.record({ type: "NoteWritten", data: { text: "armed" } });
      expect(decision.state.stoves.gas.calendar.size).toBe(1);
    });
    expect(kitchen.clock.pending()).toEqual([
      { dueAtMs: afterStart(900), command: "timer.dishDone", owner: { stove: "gas" } },
    ]);
    expect([...fold(commitsOf(kitchen.timeline)).stoves.gas.calendar.keys()]).toEqual([
      ...kitchen.timeline.state.stoves.gas.calendar.keys(),
    ]);
  });

  it("needs no calendar any more", () => {
    const state = newKitchen();
    const commit = {
      position: logPosition(1),
      atMs: START_MS,
      command: { name: "timer.dishDone", input: null, caller: { stove: "sold", deadline: "0.0.0" }, via: "timer" },
      events: [],
    } as const;
    expect(hash(foldCommit(kitchenModel(), state, commit))).toBe(hash(state));
  });
});

describe("settling", () => {
  it("adds what follows from a commit by itself", () => {
    const kitchen = openKitchen();
    kitchen.ask("note", { text: "no dish, no ticket" });
    kitchen.ask("cook", soup);
    kitchen.clock.advanceTo(afterStart(500));
    expect(kitchen.timeline.state.tickets).toEqual([2, 3]);
  });

  it("runs in a replay alike", () => {
    const kitchen = openKitchen();
    kitchen.ask("note", { text: "no dish, no ticket" });
    kitchen.ask("cook", soup);
    kitchen.clock.advanceTo(afterStart(500));
    expect(fold(commitsOf(kitchen.timeline)).tickets).toEqual([2, 3]);
  });

  it("runs once for a commit, however many facts it has and however often its decider looked", () => {
    const kitchen = openKitchen({
      deciders: {
        cookAll: (decision) => {
          for (const dish of ["soup", "stew"]) {
            decision.record({
              type: "DishStarted",
              data: { stove: "gas", dish, doneAtMs: afterStart(500), label: "" },
            });
            expect(decision.state.tickets).toEqual([]);
          }
        },
      },
    });
    kitchen.ask("cookAll");
    expect(kitchen.timeline.state.tickets).toEqual([1]);
  });

  it("sees the state before the commit and the one after all its facts", () => {
    const seen: [number, number][] = [];
    const kitchen = openKitchen({
      model: {
        settle: (before, after) => {
          seen.push([before.notes.length, after.notes.length]);
          return after;
        },
      },
      deciders: {
        two: (decision) => {
          decision.record({ type: "NoteWritten", data: { text: "one" } });
          expect(decision.state.notes).toContain("one");
          decision.record({ type: "NoteWritten", data: { text: "two" } });
        },
      },
    });
    kitchen.ask("two");
    kitchen.ask("two");
    expect(seen).toEqual([
      [0, 2],
      [2, 4],
    ]);
  });

  it("has nothing to do after a command that recorded nothing, was rejected, or went wrong", () => {
    let settlings = 0;
    const kitchen = openKitchen({
      model: {
        settle: (_, after) => {
          settlings += 1;
          return after;
        },
      },
      deciders: {
        breakDown: (decision) => {
          decision.record({ type: "NoteWritten", data: { text: "lost" } });
          throw new RangeError("no such pot");
        },
      },
    });
    kitchen.ask("throwAway", soup);
    kitchen.ask("stir", soup);
    expect(() => kitchen.ask("breakDown")).toThrow(RangeError);
    expect(settlings).toBe(0);
  });

  it("arms deadlines with the numbers that follow those of the facts", () => {
    const ordinals: number[] = [];
    const kitchen = openKitchen({
      model: {
        settle: (_, after, meta) => {
          ordinals.push(meta.nextOrdinal());
          return after;
        },
      },
    });
    kitchen.ask("cook", soup);
    kitchen.ask("note", { text: "arms nothing" });
    expect(ordinals).toEqual([1, 0]);
  });
});

describe("a fold pass", () => {
  it("numbers the deadlines of its commit from 0", () => {
    const pass = new FoldPass(logPosition(4), START_MS);
    expect([pass.nextOrdinal(), pass.nextOrdinal(), pass.nextOrdinal()]).toEqual([0, 1, 2]);
    expect(pass).toMatchObject({ position: 4, atMs: START_MS });
  });
});
