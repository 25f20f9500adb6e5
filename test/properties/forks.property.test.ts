import fc from "fast-check";
import { describe, expect } from "vitest";
import type { Simulator } from "../../src/index.ts";
import { property, watched } from "../support/checked.ts";
import { runs } from "../support/runs.ts";
import { type Action, lived, perform, stories } from "../support/world-actions.ts";
import { folded, hashOfState, logText } from "../support/world-checks.ts";

/** Two lives side by side, in turns. */
function liveSideBySide(lives: readonly (readonly [Simulator, readonly Action[]])[]): void {
  const rounds = Math.max(...lives.map(([, story]) => story.length));
  for (let round = 0; round < rounds; round++) {
    for (const [sim, story] of lives) {
      const action = story[round];
      if (action !== undefined) perform(sim, action);
    }
  }
}

const shown = (sim: Simulator) => ({ log: logText(sim), hash: sim.stateHash(), nowMs: sim.clock.now() });

describe("a fork", () => {
  property([stories(25), stories(25), stories(25)], runs(50))(
    "of the present lives as if all of its past had been its own, and so does its parent",
    (past, ofFork, ofParent) => {
      const parent = lived(past);
      const fork = watched(parent.fork());
      liveSideBySide([
        [fork, ofFork],
        [parent, ofParent],
      ]);
      expect(shown(parent)).toEqual(shown(lived([...past, ...ofParent])));
      expect(shown(fork)).toEqual(shown(lived([...past, ...ofFork])));
    },
  );

  property([stories(25), fc.nat(), stories(20), stories(20)], runs(50))(
    "of any position has the past up to it, and neither changes what the other sees",
    (past, choice, ofFork, ofParent) => {
      const parent = lived(past);
      const at = choice % (parent.position + 1);
      const before = logText(parent);
      const fork = watched(parent.fork(at));
      expect(logText(fork)).toBe(before.split("\n").slice(0, at).join("\n"));
      expect(fork.stateHash()).toBe(parent.at(at).stateHash());
      liveSideBySide([
        [fork, ofFork],
        [parent, ofParent],
      ]);
      expect(shown(parent)).toEqual(shown(lived([...past, ...ofParent])));
      expect(logText(fork).split("\n").slice(0, at)).toEqual(before.split("\n").slice(0, at));
      expect(hashOfState(folded(parent.at(0).state, fork.log.commits()))).toBe(fork.stateHash());
      expect(hashOfState(folded(parent.at(0).state, parent.log.commits()))).toBe(parent.stateHash());
    },
  );

  property([stories(15), fc.array(fc.tuple(fc.nat(), stories(8)), { maxLength: 6 })], runs(40))(
    "of a fork of a fork is right at every position",
    (past, forks) => {
      let sim = lived(past, { history: { checkpointEvery: 7 } });
      const initial = sim.at(0).state;
      for (const [choice, story] of forks) {
        sim = watched(sim.fork(choice % (sim.position + 1)));
        for (const action of story) perform(sim, action);
      }
      const commits = sim.log.commits();
      for (let position = 0; position <= sim.position; position += 3) {
        expect(sim.at(position).stateHash()).toBe(hashOfState(folded(initial, commits.slice(0, position))));
      }
      expect(commits.map(({ position }) => position)).toEqual(commits.map((_, index) => index + 1));
    },
  );

  property([stories(25), stories(15)], runs(40))("draws what its parent would have drawn", (past, story) => {
    const parent = lived(past);
    const fork = watched(parent.fork());
    for (const action of story) expect(perform(fork, action)).toEqual(perform(parent, action));
    expect(shown(fork)).toEqual(shown(parent));
  });

  property([stories(25), stories(15)], runs(30))("outlives its parent", (past, story) => {
    const parent = lived(past);
    const fork = watched(parent.fork());
    parent.dispose();
    for (const action of story) perform(fork, action);
    expect(shown(fork)).toEqual(shown(lived([...past, ...story])));
  });
});

describe("a look at the past", () => {
  property([stories(25), fc.nat(), stories(15)], runs(40))("stays as it was, whatever comes", (past, choice, story) => {
    const sim = lived(past);
    const view = sim.at(choice % (sim.position + 1));
    const [hash, text, nowMs] = [view.stateHash(), JSON.stringify(view.state), view.clock.now()];
    for (const action of story) perform(sim, action);
    expect([view.stateHash(), JSON.stringify(view.state), view.clock.now()]).toEqual([hash, text, nowMs]);
  });
});
