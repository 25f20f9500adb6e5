import { describe, expect, it } from "vitest";
import { logPosition } from "../../src/kernel/brand.ts";
import { foldCommit } from "../../src/kernel/fold.ts";
import { hashOf, hexOf } from "../../src/kernel/hash.ts";
import {
  afterStart,
  commitsOf,
  type Kitchen,
  type KitchenTimeline,
  kitchenModel,
  newKitchen,
  type OpenKitchen,
  opened,
  openKitchen,
  START_MS,
} from "../support/kitchen.ts";

const hash = (state: Kitchen): string => hexOf(hashOf(state));

/** Cooks, waits and writes, about `commits` times, differently for each name. */
function liveOn(kitchen: OpenKitchen, name: string, commits: number): OpenKitchen {
  const { timeline, clock } = kitchen;
  const end = timeline.position + commits;
  for (let round = 0; timeline.position < end; round++) {
    if (round % 3 === 0) kitchen.ask("cook", { stove: "gas", dish: `${name}-${round}`, ms: 200 });
    else if (round % 3 === 1) clock.advanceTo(afterStart(timeline.nowMs - START_MS + 90));
    else kitchen.ask("note", { text: `${name}-${round}` });
  }
  return kitchen;
}

const lived = (commits: number, checkpointEvery = 4): OpenKitchen =>
  liveOn(openKitchen({ checkpointEvery }), "first", commits);

const branchAt = (kitchen: OpenKitchen, position: number): OpenKitchen =>
  opened(kitchen.timeline.branch({ position: logPosition(position), atMs: instantOf(kitchen.timeline, position) }));

function instantOf(timeline: KitchenTimeline, position: number): number & KitchenTimeline["nowMs"] {
  return position === 0 ? timeline.startAtMs : timeline.history.commitAt(position).atMs;
}

/** What the log says of a position, told without history: all commits up to it, folded from the beginning. */
function foldedTo(timeline: KitchenTimeline, position: number): Kitchen {
  return commitsOf(timeline)
    .slice(0, position)
    .reduce((state, commit) => foldCommit(kitchenModel(), state, commit), newKitchen());
}

function expectEverySeekToFold(timeline: KitchenTimeline): void {
  const sought = Array.from({ length: timeline.position + 1 }, (_, at) => hash(timeline.history.stateAt(at)));
  const folded = Array.from({ length: timeline.position + 1 }, (_, at) => hash(foldedTo(timeline, at)));
  expect(sought).toEqual(folded);
}

describe("the commits of a history", () => {
  it("stand at positions from 1 on", () => {
    const { timeline } = lived(10);
    expect(commitsOf(timeline).map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(timeline.history.commitAt(7)).toBe(commitsOf(timeline)[6]);
    expect(timeline.history.head).toBe(10);
  });

  it("are given in part", () => {
    const { history } = lived(10).timeline;
    expect([...history.commits(3, 5)].map(({ position }) => position)).toEqual([3, 4, 5]);
    expect([...history.commits(9)].map(({ position }) => position)).toEqual([9, 10]);
    expect([...history.commits(6, 5)]).toEqual([]);
  });

  it.each([0, 11, -1])("are none at %i, of 10", (position) => {
    expect(() => lived(10).timeline.history.commitAt(position)).toThrow(
      new RangeError(`no commit has position ${position}: the log ends at 10`),
    );
  });

  it("are found by instant: the last one at or before it", () => {
    const kitchen = openKitchen();
    kitchen.ask("note", { text: "at +0" });
    kitchen.ask("note", { text: "at +0, too" });
    kitchen.clock.advanceTo(afterStart(100));
    kitchen.ask("note", { text: "at +100" });
    const { history } = kitchen.timeline;
    const found = [-1, 0, 99, 100, 101].map((ms) => history.positionAt(afterStart(ms)));
    expect(found).toEqual([0, 2, 2, 3, 3]);
  });
});

describe("a seek", () => {
  it.each([1, 2, 3, 7, 32, 1_000])(
    "comes at every position to the fold of the commits up to it, with a checkpoint every %i",
    (checkpointEvery) => expectEverySeekToFold(lived(70, checkpointEvery).timeline),
  );

  it("to the head is the present state", () => {
    const { timeline } = lived(30);
    expect(hash(timeline.history.stateAt(30))).toBe(hash(timeline.state));
  });

  it("to 0 is the initial state itself", () => {
    const initial = newKitchen();
    const { timeline } = openKitchen();
    expect(hash(timeline.history.stateAt(0))).toBe(hash(initial));
    expect(timeline.history.stateAt(0)).toBe(timeline.state);
  });

  it("folds at most one interval between checkpoints", () => {
    let folds = 0;
    const counting = openKitchen({
      checkpointEvery: 8,
      model: {
        settle: (_, after) => {
          folds += 1;
          return after;
        },
      },
    });
    liveOn(counting, "first", 50);
    const longest = Math.max(
      ...Array.from({ length: 51 }, (_, at) => {
        folds = 0;
        counting.timeline.history.stateAt(at);
        return folds;
      }),
    );
    expect(longest).toBe(7);
  });

  it("changes neither the log nor the present", () => {
    const { timeline } = lived(30);
    const [log, present] = [JSON.stringify(commitsOf(timeline)), timeline.state];
    for (let at = 30; at >= 0; at--) timeline.history.stateAt(at);
    expect(JSON.stringify(commitsOf(timeline))).toBe(log);
    expect(timeline.state).toBe(present);
  });
});

describe("a branch", () => {
  it("has the past of the line that it left, up to where it left it", () => {
    const kitchen = lived(20);
    const branch = branchAt(kitchen, 13);
    expect(branch.timeline.position).toBe(13);
    expect(branch.timeline.nowMs).toBe(kitchen.timeline.history.commitAt(13).atMs);
    expect(commitsOf(branch.timeline)).toEqual(commitsOf(kitchen.timeline).slice(0, 13));
    expect(hash(branch.timeline.state)).toBe(hash(foldedTo(kitchen.timeline, 13)));
    expectEverySeekToFold(branch.timeline);
  });

  it("at the present shares the very state", () => {
    const kitchen = lived(10);
    expect(branchAt(kitchen, 10).timeline.state).toBe(kitchen.timeline.state);
  });

  it("goes its own way, and neither changes what the other sees", () => {
    const kitchen = lived(20);
    const branch = branchAt(kitchen, 10);
    const [before, shared] = [kitchen.log(), branch.log()];

    liveOn(branch, "branch", 15);
    expect(kitchen.log()).toEqual(before);
    liveOn(kitchen, "parent", 15);

    expect(branch.log().slice(0, 10)).toEqual(shared);
    expect(kitchen.log().slice(0, 20)).toEqual(before);
    expect(branch.timeline.position).toBe(25);
    expect(kitchen.timeline.position).toBe(35);
    expectEverySeekToFold(branch.timeline);
    expectEverySeekToFold(kitchen.timeline);
  });

  it("does as its parent when it is asked the same", () => {
    const kitchen = lived(9);
    const branch = branchAt(kitchen, 9);
    branch.clock.advanceTo(kitchen.timeline.nowMs);
    for (const line of [kitchen, branch]) liveOn(line, "same", 20);
    expect(commitsOf(branch.timeline)).toEqual(commitsOf(kitchen.timeline));
    expect(hash(branch.timeline.state)).toBe(hash(kitchen.timeline.state));
  });

  it("does not see what its parent commits later, even though their positions are the same", () => {
    const kitchen = lived(10);
    const branch = branchAt(kitchen, 10);
    liveOn(kitchen, "parent", 10);
    expect(() => branch.timeline.history.commitAt(11)).toThrow("the log ends at 10");
    expect(branch.timeline.history.head).toBe(10);
    expect(hash(branch.timeline.history.stateAt(10))).toBe(hash(foldedTo(branch.timeline, 10)));
  });

  it("can be branched again, before, at and after the position at which it left", () => {
    const kitchen = lived(20);
    const branch = liveOn(branchAt(kitchen, 10), "branch", 10);
    const [early, middle, late] = [5, 10, 15].map((at) => liveOn(branchAt(branch, at), `twig ${at}`, 7)) as [
      OpenKitchen,
      OpenKitchen,
      OpenKitchen,
    ];
    liveOn(branch, "branch goes on", 5);
    expect(early.log().slice(0, 5)).toEqual(kitchen.log().slice(0, 5));
    expect(middle.log().slice(0, 10)).toEqual(kitchen.log().slice(0, 10));
    expect(late.log().slice(0, 15)).toEqual(branch.log().slice(0, 15));
    for (const line of [kitchen, branch, early, middle, late]) expectEverySeekToFold(line.timeline);
  });

  it("at 0 begins anew", () => {
    const branch = branchAt(lived(20), 0);
    expect(branch.timeline.position).toBe(0);
    expect(branch.timeline.nowMs).toBe(START_MS);
    expect(hash(branch.timeline.state)).toBe(hash(newKitchen()));
    expect(liveOn(branch, "first", 20).log()).toEqual(lived(20).log());
  });

  it("of a branch that never went on is one of the line below it", () => {
    let line = lived(10);
    for (let fork = 0; fork < 10_000; fork++) line = branchAt(line, 10);
    expect(liveOn(line, "last", 5).timeline.position).toBe(15);
    expectEverySeekToFold(line.timeline);
  });

  it("stays right at the end of a long chain of branches with a commit each", () => {
    let line = openKitchen({ checkpointEvery: 8 });
    for (let fork = 0; fork < 200; fork++) {
      line = branchAt(line, line.timeline.position);
      line.ask("note", { text: `${fork}` });
    }
    expect(line.timeline.state.notes).toHaveLength(200);
    expectEverySeekToFold(line.timeline);
    const early = branchAt(line, 3);
    expect(early.timeline.state.notes).toEqual(["0", "1", "2"]);
  });

  it("may be at the end of a chain of any length, and be branched from its beginning", () => {
    let line = openKitchen();
    for (let fork = 0; fork < 30_000; fork++) {
      line = branchAt(line, line.timeline.position);
      line.ask("switchStove", { stove: "gas", on: fork % 2 === 0 });
    }
    expect(branchAt(line, 0).timeline.state.stoves.gas.on).toBe(true);
  });
});

describe("marks", () => {
  it("keep a position and an instant", () => {
    const kitchen = lived(3);
    kitchen.clock.advanceTo(afterStart(777));
    const { position } = kitchen.timeline;
    kitchen.timeline.mark("here");
    liveOn(kitchen, "on", 5);
    expect(kitchen.timeline.marks.get("here")).toEqual({ position, atMs: afterStart(777) });
  });

  it("go with a branch when they lie in its past", () => {
    const kitchen = openKitchen();
    kitchen.timeline.mark("start");
    kitchen.ask("note", { text: "one" });
    kitchen.timeline.mark("after one");
    kitchen.clock.advanceTo(afterStart(50));
    kitchen.timeline.mark("later, at the same position");
    const branch = kitchen.timeline.branch({ position: logPosition(1), atMs: START_MS });
    expect([...branch.marks.keys()]).toEqual(["start", "after one"]);
  });

  it("of a branch are its own", () => {
    const kitchen = openKitchen();
    const branch = kitchen.timeline.branch({ position: logPosition(0), atMs: START_MS });
    branch.mark("in the branch");
    kitchen.timeline.mark("in the parent");
    expect([...branch.marks.keys()]).toEqual(["in the branch"]);
    expect([...kitchen.timeline.marks.keys()]).toEqual(["in the parent"]);
  });
});
