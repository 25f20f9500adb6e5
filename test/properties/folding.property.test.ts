import fc from "fast-check";
import { describe, expect } from "vitest";
import { foldCommit } from "../../src/kernel/fold.ts";
import { worldModel } from "../../src/simulator/services.ts";
import { property } from "../support/checked.ts";
import { runs } from "../support/runs.ts";
import { lived, newLendingWorld, perform, stories } from "../support/world-actions.ts";
import { folded, hashOfState, rebuilt, thawedPlaces } from "../support/world-checks.ts";

describe("the state is the fold of the facts:", () => {
  property([stories(), fc.nat()], runs(40))(
    "folding a prefix of the log and then the rest comes to what folding the whole does",
    (story, cut) => {
      const sim = lived(story);
      const commits = sim.log.commits();
      const at = cut % (commits.length + 1);
      const initial = sim.at(0).state;
      const whole = folded(initial, commits);
      const inTwo = folded(folded(initial, commits.slice(0, at)), commits.slice(at));
      expect(hashOfState(whole)).toBe(sim.stateHash());
      expect(hashOfState(inTwo)).toBe(sim.stateHash());
      expect(JSON.stringify(inTwo)).toBe(JSON.stringify(sim.state));
    },
  );

  property([stories()], runs(40))("a log that went through its text folds to the same", (story) => {
    const sim = lived(story);
    const read = JSON.parse(JSON.stringify(sim.log.commits())) as ReturnType<typeof sim.log.commits>;
    expect(hashOfState(folded(sim.at(0).state, read))).toBe(sim.stateHash());
  });

  property([stories(30), fc.constantFrom(1, 2, 5, 32, 1_000)], runs(30))(
    "a look at any position shows the fold of the commits up to it, however far apart checkpoints are",
    (story, checkpointEvery) => {
      const sim = lived(story, { history: { checkpointEvery } });
      let state = sim.at(0).state;
      const wrong: number[] = [];
      for (const commit of sim.log.commits()) {
        state = foldCommit(worldModel, state, commit);
        const view = sim.at(commit.position);
        if (view.stateHash() !== hashOfState(state) || view.clock.now() !== commit.atMs) wrong.push(commit.position);
      }
      expect(wrong).toEqual([]);
      expect(sim.at(sim.position).state).toBe(sim.state);
    },
  );

  property([stories(30), fc.nat()], runs(40))("a look at an instant shows all commits up to it", (story, choice) => {
    const sim = lived(story);
    const commits = sim.log.commits();
    const { atMs } = commits[choice % commits.length] as (typeof commits)[number];
    const last = commits.findLast((commit) => commit.atMs <= atMs);
    const view = sim.at(new Date(atMs));
    expect(view.position).toBe(last?.position);
    expect(view.stateHash()).toBe(sim.at(view.position).stateHash());
  });
});

describe("evolvers", () => {
  property([stories()], runs(40))("never change the state that they are given", (story) => {
    const sim = lived(story);
    let state = sim.at(0).state;
    for (const commit of sim.log.commits()) {
      const before = JSON.stringify(state);
      const after = foldCommit(worldModel, state, commit);
      if (JSON.stringify(state) !== before)
        expect.fail(`folding commit ${commit.position} changed the state before it`);
      state = after;
    }
    expect(hashOfState(state)).toBe(sim.stateHash());
  });

  property([stories(), fc.infiniteStream(fc.boolean())], runs(40))(
    "accept every fact, also about things that are not there: commits may be missing",
    (story, kept) => {
      const sim = lived(story);
      const some = sim.log.commits().filter(() => kept.next().value);
      expect(() => folded(sim.at(0).state, some)).not.toThrow();
    },
  );

  property([stories(), fc.nat()], runs(40))("accept facts in another order", (story, turn) => {
    const sim = lived(story);
    const commits = sim.log.commits();
    const at = turn % commits.length;
    expect(() => folded(sim.at(0).state, [...commits.slice(at), ...commits.slice(0, at)])).not.toThrow();
  });
});

describe("every state", () => {
  property([stories()], runs(40))("is frozen all the way down, what its tables hold included", (story) => {
    const sim = newLendingWorld();
    const known = new WeakSet<object>();
    for (const action of story) {
      perform(sim, action);
      const thawed = thawedPlaces(sim.state, known);
      if (thawed.length > 0) expect.fail(`after ${JSON.stringify(action)} not frozen: ${thawed.join(", ")}`);
    }
    const views = Array.from({ length: sim.position + 1 }, (_, position) => sim.at(position).state);
    expect(views.flatMap((state) => thawedPlaces(state, known))).toEqual([]);
  });

  property([stories()], runs(40))("has the hash of what it says, however it came about", (story) => {
    const sim = lived(story);
    expect(hashOfState(rebuilt(sim.state) as object)).toBe(sim.stateHash());
  });

  property([stories(25)], runs(30))("has another hash when it says something else", (story) => {
    const sim = lived(story);
    const byText = new Map<string, string>();
    for (let position = 0; position <= sim.position; position++) {
      const view = sim.at(position);
      byText.set(JSON.stringify(view.state), view.stateHash());
    }
    expect(new Set(byText.values()).size).toBe(byText.size);
  });
});

describe("every commit", () => {
  property([stories()], runs(30))("has its position, and an instant that is not before the last", (story) => {
    const sim = lived(story);
    const commits = sim.log.commits();
    expect(commits.map(({ position }) => position)).toEqual(commits.map((_, index) => index + 1));
    expect(commits.map(({ atMs }) => atMs)).toEqual(
      commits.map(({ atMs }) => atMs).sort((left, right) => left - right),
    );
    expect(sim.position).toBe(commits.length);
  });

  property([stories()], runs(30))("records a fact, unless a deadline fired", (story) => {
    const empty = lived(story)
      .log.commits()
      .filter(({ events, command }) => events.length === 0 && command.via !== "timer");
    expect(empty).toEqual([]);
  });

  property([stories()], runs(30))("holds facts that nobody can change", (story) => {
    const commits = lived(story).log.commits();
    const known = new WeakSet<object>();
    expect(commits.flatMap(({ events }) => thawedPlaces(events, known, "events"))).toEqual([]);
  });

  property([stories()], runs(60))("holds a command that nobody can change", (story) => {
    const commits = lived(story).log.commits();
    const known = new WeakSet<object>();
    expect(commits.flatMap(({ command }) => thawedPlaces(command, known, command.name))).toEqual([]);
  });
});
