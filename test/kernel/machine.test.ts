import { describe, expect, it } from "vitest";
import { type AnyStateMachine, createMachine, setup } from "xstate";
import { step } from "../../src/kernel/machine.ts";

const door = setup({
  types: {
    context: {} as { readonly hasKey: boolean; readonly isStrong: boolean },
    events: {} as
      | { readonly type: "open" }
      | { readonly type: "knock" }
      | { readonly type: "lock" }
      | { readonly type: "force"; readonly times: number }
      | { readonly type: "paint" }
      | { readonly type: "tearOut" },
  },
  guards: {
    hasKey: ({ context }) => context.hasKey,
    isStrong: ({ context }) => context.isStrong,
    isForcedTwice: ({ event }) => event.type === "force" && event.times >= 2,
  },
  actions: { creak: () => undefined, ringBell: () => undefined },
}).createMachine({
  id: "door",
  context: { hasKey: false, isStrong: false },
  initial: "closed",
  states: {
    closed: {
      on: {
        open: { target: "open" },
        knock: { actions: "ringBell" },
        lock: { target: "locked", guard: "hasKey", actions: ["creak", "ringBell"] },
        paint: { target: "closed" },
      },
    },
    open: { on: { open: { target: "open" }, tearOut: { target: "gone" } } },
    locked: {
      on: {
        open: { target: "closed", guard: "hasKey" },
        force: [
          { target: "gone", guard: "isStrong" },
          { target: "open", guard: "isForcedTwice" },
          { target: "locked" },
        ],
      },
    },
    gone: { type: "final" },
  },
});

const nobody = { hasKey: false, isStrong: false };

describe("asking a chart", () => {
  it("tells where a legal move leads", () => {
    expect(step(door, "closed", nobody, { type: "open" })).toEqual({ value: "open", actions: [] });
  });

  it("refuses a move that the state does not have", () => {
    expect(step(door, "open", nobody, { type: "lock" })).toBeUndefined();
  });

  it("refuses every move of a final state", () => {
    for (const type of ["open", "knock", "lock", "paint", "tearOut"] as const) {
      expect(step(door, "gone", nobody, { type })).toBeUndefined();
    }
  });

  it("takes a move from a state to itself for legal", () => {
    expect(step(door, "open", nobody, { type: "open" })?.value).toBe("open");
    expect(step(door, "closed", nobody, { type: "paint" })?.value).toBe("closed");
  });

  it("takes a move without a target for legal, and stays", () => {
    expect(step(door, "closed", nobody, { type: "knock" })).toEqual({ value: "closed", actions: ["ringBell"] });
  });

  it("asks guards about the judgement that it is given, each time anew", () => {
    expect(step(door, "closed", nobody, { type: "lock" })).toBeUndefined();
    expect(step(door, "closed", { ...nobody, hasKey: true }, { type: "lock" })?.value).toBe("locked");
    expect(step(door, "closed", nobody, { type: "lock" })).toBeUndefined();
  });

  it("asks guards about the move, too", () => {
    expect(step(door, "locked", nobody, { type: "force", times: 1 })?.value).toBe("locked");
    expect(step(door, "locked", nobody, { type: "force", times: 2 })?.value).toBe("open");
  });

  it("takes of several guarded moves the first whose guard agrees", () => {
    expect(step(door, "locked", { ...nobody, isStrong: true }, { type: "force", times: 2 })?.value).toBe("gone");
  });

  it("names the actions that stand at the move, in their order, and runs none", () => {
    const actions = step(door, "closed", { ...nobody, hasKey: true }, { type: "lock" })?.actions;
    expect(actions).toEqual(["creak", "ringBell"]);
  });

  it("changes neither the chart nor the judgement", () => {
    const judgement = Object.freeze({ hasKey: true, isStrong: true });
    const before = door.resolveState({ value: "closed", context: nobody });
    step(door, "closed", judgement, { type: "lock" });
    expect(door.resolveState({ value: "closed", context: nobody })).toEqual(before);
    expect(judgement).toEqual({ hasKey: true, isStrong: true });
  });

  it("finds the moves that all states have in common", () => {
    const chart = createMachine({ initial: "a", on: { reset: ".a" }, states: { a: { on: { go: "b" } }, b: {} } });
    expect(step(chart, "b", {}, { type: "reset" })?.value).toBe("a");
  });

  it("keeps two charts with equal names apart", () => {
    const other = createMachine({
      id: "door",
      initial: "closed",
      states: { closed: { on: { open: "ajar" } }, ajar: {} },
    });
    expect(step(door, "closed", nobody, { type: "open" })?.value).toBe("open");
    expect(step(other, "closed", {}, { type: "open" })?.value).toBe("ajar");
  });

  it("says so when a state is none of the chart's", () => {
    expect(() => step(door, "ajar" as "open", nobody, { type: "open" })).toThrow(/ajar/);
  });
});

describe("a chart that is not flat, or moves by itself, is refused at its first use:", () => {
  const asked = (chart: AnyStateMachine) => () => step(chart, "a", {}, { type: "go" });

  it.each<[what: string, chart: AnyStateMachine]>([
    ["states inside a state", createMachine({ initial: "a", states: { a: { initial: "b", states: { b: {} } } } })],
    ["regions inside a state", createMachine({ initial: "a", states: { a: { type: "parallel", states: { b: {} } } } })],
    ["a transition without an event", createMachine({ initial: "a", states: { a: { always: "b" }, b: {} } })],
    ["a delay", createMachine({ initial: "a", states: { a: { after: { 1000: "b" } }, b: {} } })],
    ["invoked work", createMachine({ initial: "a", states: { a: { invoke: { src: "work" } } } })],
    ["an entry action", createMachine({ initial: "a", states: { a: { entry: "ring" } } })],
    ["an exit action", createMachine({ initial: "a", states: { a: { exit: "ring" } } })],
    ["a history", createMachine({ initial: "a", states: { a: {}, b: { type: "history" } } })],
    [
      "any of these in a state that is not asked about",
      createMachine({ initial: "a", states: { a: {}, b: { exit: "x" } } }),
    ],
  ])("%s", (_, chart) => {
    expect(asked(chart)).toThrow(TypeError);
  });

  it.each<[what: string, chart: AnyStateMachine]>([
    ["regions side by side", createMachine({ type: "parallel", states: { a: { on: { go: {} } }, b: {} } })],
    ["a delay of the whole", createMachine({ initial: "a", after: { 1000: ".b" }, states: { a: {}, b: {} } })],
    ["invoked work of the whole", createMachine({ initial: "a", invoke: { src: "work" }, states: { a: {} } })],
    [
      "a transition of the whole without an event",
      createMachine({ initial: "a", always: ".b", states: { a: {}, b: {} } }),
    ],
  ])("%s", (_, chart) => {
    expect(asked(chart)).toThrow(TypeError);
  });

  it("each time, not only the first", () => {
    const chart = createMachine({ initial: "a", states: { a: { always: "b" }, b: {} } });
    expect(asked(chart)).toThrow(TypeError);
    expect(asked(chart)).toThrow(TypeError);
  });
});
