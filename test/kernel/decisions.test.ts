import { describe, expect, it } from "vitest";
import type { Commit, RecordedEvent } from "../../src/kernel/commit.ts";
import { hashOf, hexOf } from "../../src/kernel/hash.ts";
import {
  afterStart,
  callOf,
  commitsOf,
  failKeepingFacts,
  type KitchenDecision,
  openKitchen,
  refuse,
  START_MS,
} from "../support/kitchen.ts";

const note = (decision: KitchenDecision, text: string): void =>
  decision.record({ type: "NoteWritten", data: { text } });

const soup = { stove: "gas", dish: "soup", ms: 500 };

describe("an accepted command", () => {
  it("answers with its result and commits what it recorded", () => {
    const kitchen = openKitchen();

    const outcome = kitchen.ask("cook", soup);

    expect(outcome).toMatchObject({ kind: "accepted", result: expect.stringMatching(/^[0-9A-Za-z]{8}$/) });
    expect(outcome.commit).toEqual({
      position: 1,
      atMs: START_MS,
      command: { name: "cook", input: soup, caller: null, via: "call" },
      events: [
        {
          type: "DishStarted",
          v: 1,
          data: {
            stove: "gas",
            dish: "soup",
            doneAtMs: afterStart(500),
            label: (outcome as { result: string }).result,
          },
        },
      ],
    });
    expect(commitsOf(kitchen.timeline)).toEqual([outcome.commit]);
  });

  it("takes the next position", () => {
    const kitchen = openKitchen();
    kitchen.ask("note", { text: "one" });
    kitchen.ask("note", { text: "two" });
    expect(kitchen.log()).toEqual(["1@+0 note NoteWritten", "2@+0 note NoteWritten"]);
    expect(kitchen.timeline.position).toBe(2);
  });

  it("is stamped with the present instant", () => {
    const kitchen = openKitchen();
    kitchen.clock.advanceTo(afterStart(70));
    expect(kitchen.ask("note", { text: "late" }).commit?.atMs).toBe(afterStart(70));
  });

  it("commits nothing when it records no fact", () => {
    const kitchen = openKitchen();
    const { state } = kitchen.timeline;

    const outcome = kitchen.ask("throwAway", { stove: "gas", dish: "nobody's" });

    expect(outcome).toMatchObject({ kind: "accepted", result: undefined, commit: undefined });
    expect(kitchen.timeline.position).toBe(0);
    expect(kitchen.timeline.state).toBe(state);
  });

  it("keeps the version of each fact that the model names", () => {
    const kitchen = openKitchen({ model: { versions: { NoteWritten: 3 } } });
    expect(kitchen.ask("note", { text: "new shape" }).commit?.events).toEqual([
      { type: "NoteWritten", v: 3, data: { text: "new shape" } },
    ]);
  });

  it("leaves a commit that nobody can change", () => {
    const kitchen = openKitchen();
    const commit = kitchen.ask("cook", soup).commit as Commit;
    const [event] = commit.events as [RecordedEvent];
    for (const part of [commit, commit.command, commit.events, event, event.data]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it("leaves a command whose caller nobody can change", () => {
    const kitchen = openKitchen();
    const caller = { cook: "ann" };
    kitchen.ask("note", { text: "by ann" }, caller);
    expect(Object.isFrozen(commitsOf(kitchen.timeline)[0]?.command.caller)).toBe(true);
  });

  it("leaves a command whose input nobody can change, also where the door did not freeze it", () => {
    const kitchen = openKitchen();
    const command = { name: "note", input: { text: "by ann" }, caller: null, via: "call" } as const;
    kitchen.timeline.execute(command);
    expect(Object.isFrozen(commitsOf(kitchen.timeline)[0]?.command.input)).toBe(true);
  });
});

describe("a rejected command", () => {
  const refusing = {
    refuseAfterTwoNotes: (decision: KitchenDecision) => {
      note(decision, "one");
      expect(decision.state.notes).toEqual(["one"]);
      decision.draw.uint32();
      note(decision, "two");
      return refuse("dish_is_cooking", { dish: "soup" });
    },
  };

  it("says why", () => {
    const outcome = openKitchen({ deciders: refusing }).ask("refuseAfterTwoNotes");
    expect(outcome).toMatchObject({
      kind: "rejected",
      refusal: { code: "dish_is_cooking", data: { dish: "soup" } },
      commit: undefined,
    });
  });

  it("leaves state, log and clock as they were", () => {
    const kitchen = openKitchen({ deciders: refusing });
    kitchen.ask("cook", soup);
    const { state, nowMs } = kitchen.timeline;
    const log = kitchen.log();

    kitchen.ask("refuseAfterTwoNotes");

    expect(kitchen.timeline.state).toBe(state);
    expect(kitchen.timeline.nowMs).toBe(nowMs);
    expect(kitchen.log()).toEqual(log);
  });

  it("leaves what later commands draw as it was", () => {
    const refused = openKitchen({ deciders: refusing });
    const twin = openKitchen({ deciders: refusing });
    refused.ask("refuseAfterTwoNotes");
    for (const kitchen of [refused, twin]) kitchen.ask("cook", soup);
    expect(commitsOf(refused.timeline)).toEqual(commitsOf(twin.timeline));
  });

  it("is also one that fails keeping facts and has recorded none", () => {
    const kitchen = openKitchen({ deciders: { fail: () => failKeepingFacts("out_of_gas", {}) } });
    expect(kitchen.ask("fail")).toMatchObject({ kind: "rejected", refusal: { code: "out_of_gas" }, commit: undefined });
    expect(kitchen.timeline.position).toBe(0);
  });
});

describe("a failed command", () => {
  const failing = {
    fail: (decision: KitchenDecision) => {
      note(decision, "the gas went out");
      return failKeepingFacts("out_of_gas", {});
    },
  };

  it("answers with an error and commits the facts that happened all the same", () => {
    const kitchen = openKitchen({ deciders: failing });

    const outcome = kitchen.ask("fail");

    expect(outcome).toMatchObject({ kind: "failed", refusal: { code: "out_of_gas", data: {} } });
    expect(outcome.commit).toMatchObject({
      position: 1,
      events: [{ type: "NoteWritten", v: 1, data: { text: "the gas went out" } }],
      failed: "out_of_gas",
    });
    expect(kitchen.timeline.state.notes).toEqual(["the gas went out"]);
  });

  it("is told from an accepted one by the log alone", () => {
    const kitchen = openKitchen({ deciders: failing });
    kitchen.ask("note", { text: "fine" });
    kitchen.ask("fail");
    expect(commitsOf(kitchen.timeline).map((commit) => Object.hasOwn(commit, "failed"))).toEqual([false, true]);
  });
});

describe("a mistake in a decider", () => {
  const broken = {
    breakDown: (decision: KitchenDecision) => {
      note(decision, "almost");
      expect(decision.state.notes).toEqual(["almost"]);
      throw new RangeError("no such pot");
    },
  };

  it("reaches the caller as it is, and changes nothing", () => {
    const kitchen = openKitchen({ deciders: broken });
    kitchen.ask("cook", soup);
    const { state, position } = kitchen.timeline;

    expect(() => kitchen.ask("breakDown")).toThrow(new RangeError("no such pot"));

    expect(kitchen.timeline.state).toBe(state);
    expect(kitchen.timeline.position).toBe(position);
  });

  it("leaves what later commands draw as it was", () => {
    const shaken = openKitchen({ deciders: broken });
    const twin = openKitchen({ deciders: broken });
    expect(() => shaken.ask("breakDown")).toThrow(RangeError);
    for (const kitchen of [shaken, twin]) kitchen.ask("cook", soup);
    expect(commitsOf(shaken.timeline)).toEqual(commitsOf(twin.timeline));
  });

  it("is told for a command that nobody knows", () => {
    expect(() => openKitchen().ask("fly")).toThrow(new TypeError("fly is no command"));
  });

  it("is told for a fact that no evolver folds, before anything is committed", () => {
    const kitchen = openKitchen({
      deciders: { dream: (decision) => decision.record({ type: "DreamDreamt", data: {} } as never) },
    });
    expect(() => kitchen.ask("dream")).toThrow(new TypeError("no evolver folds DreamDreamt"));
    expect(kitchen.timeline.position).toBe(0);
    expect(kitchen.log()).toEqual([]);
  });
});

describe("the state that a decision offers", () => {
  it("has all facts recorded so far", () => {
    const seen: (readonly string[])[] = [];
    const kitchen = openKitchen({
      deciders: {
        look: (decision) => {
          seen.push(decision.state.notes);
          note(decision, "one");
          seen.push(decision.state.notes);
          note(decision, "two");
          note(decision, "three");
          seen.push(decision.state.notes);
        },
      },
    });
    kitchen.ask("look");
    expect(seen).toEqual([[], ["one"], ["one", "two", "three"]]);
    expect(kitchen.timeline.state.notes).toBe(seen[2]);
  });

  it("is the same value until something is recorded", () => {
    const kitchen = openKitchen({
      deciders: {
        look: (decision) => {
          const before = decision.state;
          expect(decision.state).toBe(before);
          note(decision, "one");
          const after = decision.state;
          expect(after).not.toBe(before);
          expect(decision.state).toBe(after);
        },
      },
    });
    kitchen.ask("look");
    expect.assertions(3);
  });

  it("does not depend on how often it was read: a replay folds all facts at once and comes to the same", () => {
    const cookAndLook = (looks: boolean) => (decision: KitchenDecision) => {
      for (const dish of ["soup", "stew", "rice"]) {
        decision.record({
          type: "DishStarted",
          data: { stove: "gas", dish, doneAtMs: afterStart(500), label: dish },
        });
        if (looks) expect(decision.state.stoves.gas.dishes.has(dish)).toBe(true);
      }
    };
    const looking = openKitchen({ deciders: { cookAll: cookAndLook(true) } });
    const blind = openKitchen({ deciders: { cookAll: cookAndLook(false) } });
    for (const kitchen of [looking, blind]) kitchen.ask("cookAll");
    expect(hexOf(hashOf(looking.timeline.state))).toBe(hexOf(hashOf(blind.timeline.state)));
    expect([...looking.timeline.state.stoves.gas.calendar.keys()]).toEqual([
      ...blind.timeline.state.stoves.gas.calendar.keys(),
    ]);
  });

  it("is frozen", () => {
    const kitchen = openKitchen({
      deciders: {
        scribble: (decision) => {
          (decision.state.notes as string[]).push("by hand");
        },
      },
    });
    expect(() => kitchen.ask("scribble")).toThrow(TypeError);
    expect(kitchen.timeline.state.notes).toEqual([]);
  });
});

describe("what a decision knows besides", () => {
  it("is the instant, the caller, and the position that its commit will have", () => {
    const kitchen = openKitchen({
      deciders: {
        look: ({ nowMs, caller, position }) => ({ nowMs, caller, position }),
      },
    });
    kitchen.ask("note", { text: "first" });
    kitchen.clock.advanceTo(afterStart(30));
    expect(kitchen.ask("look", {}, { cook: "ann" })).toMatchObject({
      result: { nowMs: afterStart(30), caller: { cook: "ann" }, position: 2 },
    });
  });

  it("tells afterwards which moves of which charts were asked for", () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", soup);
    expect(kitchen.ask("stir", soup).moves).toEqual([
      { machine: "dish", from: "cooking", to: "cooking", event: "stir" },
    ]);
  });

  it("freezes the data of a fact when it is recorded", () => {
    const data = { text: "one" };
    const kitchen = openKitchen({ deciders: { keep: (decision) => decision.record({ type: "NoteWritten", data }) } });
    kitchen.ask("keep");
    expect(Object.isFrozen(data)).toBe(true);
  });
});

describe("an attempt within a decision", () => {
  it("goes on with the result of what succeeded, and keeps its facts", () => {
    const kitchen = openKitchen({
      deciders: {
        tryTwice: (decision) =>
          decision.attempt(() => {
            note(decision, "tried");
            return "done";
          }),
      },
    });
    expect(kitchen.ask("tryTwice")).toMatchObject({ result: { ok: true, result: "done" } });
    expect(kitchen.timeline.state.notes).toEqual(["tried"]);
  });

  it("drops the facts of what was refused, and the decision goes on with the reason", () => {
    const kitchen = openKitchen({
      deciders: {
        tryOn: (decision) => {
          note(decision, "before");
          const attempt = decision.attempt(() => {
            note(decision, "dropped");
            return refuse("dish_is_cooking", { dish: "soup" });
          });
          note(decision, "after");
          return attempt;
        },
      },
    });
    expect(kitchen.ask("tryOn")).toMatchObject({
      kind: "accepted",
      result: { ok: false, refusal: { code: "dish_is_cooking", data: { dish: "soup" } } },
    });
    expect(kitchen.timeline.state.notes).toEqual(["before", "after"]);
  });

  it("keeps the facts of what failed keeping them", () => {
    const kitchen = openKitchen({
      deciders: {
        tryOn: (decision) => {
          const attempt = decision.attempt(() => {
            note(decision, "it happened");
            return failKeepingFacts("out_of_gas", {});
          });
          note(decision, "after");
          return attempt.ok;
        },
      },
    });
    expect(kitchen.ask("tryOn")).toMatchObject({ kind: "accepted", result: false });
    expect(kitchen.timeline.state.notes).toEqual(["it happened", "after"]);
  });

  it.each([
    ["nobody has looked at the state", false, false],
    ["the state was looked at before", true, false],
    ["the state was looked at within", false, true],
    ["the state was looked at before and within", true, true],
  ])("rolls the state back, whether or not %s", (_, looksBefore, looksWithin) => {
    const kitchen = openKitchen({
      deciders: {
        tryOn: (decision) => {
          note(decision, "before");
          if (looksBefore) expect(decision.state.notes).toEqual(["before"]);
          decision.attempt(() => {
            note(decision, "dropped");
            if (looksWithin) expect(decision.state.notes).toEqual(["before", "dropped"]);
            return refuse("out_of_gas", {});
          });
          expect(decision.state.notes).toEqual(["before"]);
        },
      },
    });
    kitchen.ask("tryOn");
    expect(kitchen.timeline.state.notes).toEqual(["before"]);
  });

  it("rolls back the numbers of the deadlines it armed, so that a replay arms the same", () => {
    const cook = (decision: KitchenDecision, dish: string): void =>
      decision.record({ type: "DishStarted", data: { stove: "gas", dish, doneAtMs: afterStart(500), label: "" } });
    const kitchen = openKitchen({
      deciders: {
        tryOn: (decision) => {
          cook(decision, "soup");
          decision.attempt(() => {
            cook(decision, "stew");
            expect(decision.state.stoves.gas.calendar.size).toBe(2);
            return refuse("out_of_gas", {});
          });
          cook(decision, "rice");
          expect(decision.state.stoves.gas.calendar.size).toBe(2);
        },
      },
      checkpointEvery: 1_000,
    });
    kitchen.ask("tryOn");
    kitchen.ask("note", { text: "so that position 1 lies in the past" });
    const decided = [...kitchen.timeline.state.stoves.gas.calendar.keys()];
    const replayed = [...kitchen.timeline.history.stateAt(1).stoves.gas.calendar.keys()];
    expect(decided).toEqual(replayed);
    expect(decided.map((key) => Number(key.split(".").at(-1)))).toEqual([0, 1]);
  });

  it("within an attempt rolls back only itself", () => {
    const kitchen = openKitchen({
      deciders: {
        nest: (decision) => {
          const outer = decision.attempt(() => {
            note(decision, "outer");
            const inner = decision.attempt(() => {
              note(decision, "inner");
              expect(decision.state.notes).toEqual(["outer", "inner"]);
              return refuse("out_of_gas", {});
            });
            note(decision, "outer again");
            return inner.ok;
          });
          expect(outer).toEqual({ ok: true, result: false });
        },
      },
    });
    kitchen.ask("nest");
    expect(kitchen.timeline.state.notes).toEqual(["outer", "outer again"]);
  });

  it("that is refused drops what an attempt within it has kept", () => {
    const kitchen = openKitchen({
      deciders: {
        nest: (decision) => {
          decision.attempt(() => {
            decision.attempt(() => {
              note(decision, "kept by the inner one");
              expect(decision.state.notes).toHaveLength(1);
              return failKeepingFacts("out_of_gas", {});
            });
            return refuse("out_of_gas", {});
          });
          expect(decision.state.notes).toEqual([]);
        },
      },
    });
    expect(kitchen.ask("nest").commit).toBeUndefined();
  });

  it("does not catch a mistake", () => {
    const kitchen = openKitchen({
      deciders: {
        stumble: (decision) =>
          decision.attempt(() => {
            throw new RangeError("no such pot");
          }),
      },
    });
    expect(() => kitchen.ask("stumble")).toThrow(RangeError);
  });

  it("leaves the command's stream where it was: what was drawn within is drawn", () => {
    const drawn = (refuses: boolean) => (decision: KitchenDecision) => {
      decision.attempt(() => {
        decision.draw.uint32();
        if (refuses) refuse("out_of_gas", {});
      });
      return decision.draw.uint32();
    };
    const kitchen = openKitchen({ deciders: { refused: drawn(true), done: drawn(false) } });
    expect(kitchen.ask("refused")).toMatchObject({ result: (kitchen.ask("done") as { result: number }).result });
  });
});

describe("what a command draws", () => {
  const drawing = { draw: (decision: KitchenDecision) => [decision.draw.uint32(), decision.draw.uint32()] };
  const drawnBy = (kitchen: ReturnType<typeof openKitchen>): unknown =>
    (kitchen.ask("draw") as { readonly result: unknown }).result;

  it("depends on the seed", () => {
    expect(drawnBy(openKitchen({ deciders: drawing, seed: 7 }))).toEqual(
      drawnBy(openKitchen({ deciders: drawing, seed: 7 })),
    );
    expect(drawnBy(openKitchen({ deciders: drawing, seed: 7 }))).not.toEqual(
      drawnBy(openKitchen({ deciders: drawing, seed: 8 })),
    );
  });

  it("differs for a number and a text of the same digits", () => {
    expect(drawnBy(openKitchen({ deciders: drawing, seed: 7 }))).not.toEqual(
      drawnBy(openKitchen({ deciders: drawing, seed: "7" })),
    );
  });

  it("depends on the position", () => {
    const kitchen = openKitchen({ deciders: drawing });
    const first = drawnBy(kitchen);
    kitchen.ask("note", { text: "one position on" });
    expect(drawnBy(kitchen)).not.toEqual(first);
  });

  it("does not depend on how many requests were served, or refused, or committed nothing before", () => {
    const busy = openKitchen({ deciders: drawing });
    busy.timeline.serve();
    busy.ask("stir", soup);
    busy.ask("throwAway", soup);
    expect(drawnBy(busy)).toEqual(drawnBy(openKitchen({ deciders: drawing })));
  });

  it("does not depend on what it is that was committed before, nor when", () => {
    const [one, other] = [openKitchen({ deciders: drawing }), openKitchen({ deciders: drawing })];
    one.ask("note", { text: "a note" });
    other.clock.advanceTo(afterStart(99));
    other.ask("cook", soup);
    expect(drawnBy(one)).toEqual(drawnBy(other));
  });

  it("is drawn on for the answer when it commits, after all else", () => {
    const kitchen = openKitchen({
      deciders: {
        ...drawing,
        commitDrawn: (decision) => {
          note(decision, "drawn");
          return decision.draw.uint32();
        },
      },
    });
    const [first, second] = drawnBy(kitchen) as [number, number];
    const outcome = kitchen.ask("commitDrawn");
    expect(outcome).toMatchObject({ result: first });
    expect(outcome.draw.uint32()).toBe(second);
  });
});

describe("what an answer that commits nothing draws", () => {
  const served = (kitchen: ReturnType<typeof openKitchen>): number => kitchen.timeline.serve().uint32();

  it("comes from the seed, the position, and how many were served since", () => {
    const [one, twin] = [openKitchen(), openKitchen()];
    const first = [served(one), served(one)];
    expect(first).toEqual([served(twin), served(twin)]);
    expect(first[0]).not.toBe(first[1]);
    one.ask("note", { text: "another position" });
    expect(first).not.toContain(served(one));
  });

  it("does not depend on how many were served before the last commit", () => {
    const [busy, idle] = [openKitchen(), openKitchen()];
    for (let request = 0; request < 3; request++) served(busy);
    for (const kitchen of [busy, idle]) kitchen.ask("note", { text: "the count begins anew" });
    expect([served(busy), served(busy)]).toEqual([served(idle), served(idle)]);
  });

  it("counts a rejected and an empty command as served", () => {
    const [one, twin] = [openKitchen(), openKitchen()];
    const refused = one.ask("stir", soup);
    const empty = one.ask("throwAway", soup);
    expect(refused.draw.uint32()).toBe(twin.timeline.serve().uint32());
    expect(empty.draw.uint32()).toBe(twin.timeline.serve().uint32());
  });

  it("is not what a command at that position draws", () => {
    const kitchen = openKitchen({ deciders: { draw: ({ draw }) => draw.uint32() } });
    const [served, drawn] = [kitchen.timeline.serve().uint32(), kitchen.ask("draw")];
    expect(drawn).not.toMatchObject({ result: served });
  });

  it("begins anew in a branch", () => {
    const kitchen = openKitchen();
    const first = kitchen.timeline.serve().uint32();
    kitchen.timeline.serve();
    const branch = kitchen.timeline.branch({ position: kitchen.timeline.position, atMs: START_MS });
    expect(branch.serve().uint32()).toBe(first);
  });
});

describe("a timer's command", () => {
  it("commits also when it records no fact, and its deadline is used up", () => {
    const kitchen = openKitchen({ deciders: { "timer.dishDone": () => undefined } });
    kitchen.ask("cook", soup);
    kitchen.clock.advanceTo(afterStart(500));
    expect(kitchen.log()).toEqual(["1@+0 cook DishStarted", "2@+500 timer.dishDone nothing"]);
    expect(kitchen.timeline.state.stoves.gas.calendar.size).toBe(0);
  });

  it("commits also when it refuses, without a fact and with its reason", () => {
    const kitchen = openKitchen({
      deciders: {
        "timer.dishDone": (decision) => {
          note(decision, "dropped");
          expect(decision.state.notes).toEqual(["dropped"]);
          return refuse("out_of_gas", {});
        },
      },
    });
    kitchen.ask("cook", soup);
    kitchen.clock.advanceTo(afterStart(500));
    expect(kitchen.log()).toEqual(["1@+0 cook DishStarted", "2@+500 timer.dishDone nothing failed out_of_gas"]);
    expect(kitchen.timeline.state.notes).toEqual([]);
    expect(kitchen.timeline.state.stoves.gas.calendar.size).toBe(0);
  });

  it("names its deadline as its caller", () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", soup);
    const [key] = [...kitchen.timeline.state.stoves.gas.calendar.keys()];
    kitchen.clock.advanceTo(afterStart(500));
    expect(commitsOf(kitchen.timeline)[1]?.command).toEqual({
      name: "timer.dishDone",
      input: { stove: "gas", dish: "soup" },
      caller: { stove: "gas", deadline: key },
      via: "timer",
    });
  });

  it("uses its deadline up also when an attempt that had seen it go was refused", () => {
    const kitchen = openKitchen({
      deciders: {
        "timer.dishDone": (decision) => {
          const attempt = decision.attempt(() => {
            note(decision, "dropped");
            expect(decision.state.stoves.gas.calendar.size).toBe(0);
            return refuse("out_of_gas", {});
          });
          expect(attempt.ok).toBe(false);
          expect(decision.state.stoves.gas.calendar.size).toBe(1);
        },
      },
    });
    kitchen.ask("cook", soup);
    kitchen.clock.advanceTo(afterStart(500));
    expect(kitchen.timeline.state.stoves.gas.calendar.size).toBe(0);
    expect(kitchen.log()).toEqual(["1@+0 cook DishStarted", "2@+500 timer.dishDone nothing"]);
  });

  it("that throws leaves its deadline where it was", () => {
    const kitchen = openKitchen({
      deciders: {
        "timer.dishDone": () => {
          throw new RangeError("no such pot");
        },
      },
    });
    kitchen.ask("cook", soup);
    expect(() => kitchen.clock.advanceTo(afterStart(500))).toThrow(RangeError);
    expect(kitchen.timeline.position).toBe(1);
    expect(kitchen.timeline.state.stoves.gas.calendar.size).toBe(1);
  });
});

describe("a command as the log keeps it", () => {
  it("is the one that was asked", () => {
    const kitchen = openKitchen();
    const command = callOf("note", { text: "as it came" }, { cook: "ann" });
    kitchen.timeline.execute(command);
    expect(commitsOf(kitchen.timeline)[0]?.command).toEqual({
      name: "note",
      input: { text: "as it came" },
      caller: { cook: "ann" },
      via: "call",
    });
  });
});
