import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Difference, diff, rehearse, replay, type Simulator } from "../../src/index.ts";
import { parsePath, valueAt } from "../../src/kernel/state-path.ts";
import { property } from "../support/checked.ts";
import { runs } from "../support/runs.ts";
import { type Action, lived, perform, stories } from "../support/world-actions.ts";
import { hashOfState, logText } from "../support/world-checks.ts";

const shown = (sim: Simulator) => ({ log: logText(sim), hash: sim.stateHash(), nowMs: sim.clock.now() });

const positions = (sim: Simulator): number[] => Array.from({ length: sim.position + 1 }, (_, position) => position);

/** What a value says, whatever it shares. */
const said = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));

const at = (sim: Simulator, position: number, path: string): string =>
  said(valueAt(sim.at(position).state, parsePath(path)).value);

describe("a log that was written down", () => {
  property([stories(), stories(15)], runs(40))(
    "is replayed to the same world, which lives on alike",
    (story, later) => {
      const sim = lived(story);
      sim.mark("here");
      const read = replay(sim.log.toNdjson());
      expect(shown(read)).toEqual(shown(sim));
      expect(read.at("here").stateHash()).toBe(sim.stateHash());
      for (const action of later) expect(perform(read, action)).toEqual(perform(sim, action));
      expect(shown(read)).toEqual(shown(sim));
      expect(read.log.toNdjson()).toBe(sim.log.toNdjson());
    },
  );

  property([stories()], runs(40))("is decided again to the same facts", async (story) => {
    expect(await rehearse(lived(story).log.toNdjson())).toEqual({ ok: true });
  });

  property([stories(25), stories(15)], runs(30))(
    "by a fork of the present is decided again, too",
    async (past, story) => {
      const fork = lived(past).fork();
      for (const action of story) perform(fork, action);
      expect(await rehearse(fork.log.toNdjson())).toEqual({ ok: true });
    },
  );

  property([stories(25), fc.nat(), stories(15)], runs(60))(
    "by a fork of any position is decided again, too",
    async (past, choice, story) => {
      const parent = lived(past);
      const fork = parent.fork(choice % (parent.position + 1));
      for (const action of story) perform(fork, action);
      expect(await rehearse(fork.log.toNdjson())).toEqual({ ok: true });
    },
  );

  it("by a fork from between a commit and what that made due is decided again, too", async () => {
    const parent = lived([
      { do: "writeSet", engine: "ldap", set: "ops", names: ["svc-a"] },
      { do: "checkOut", engine: "ldap", set: "ops", by: "ann" },
      { do: "revoke", lease: 0, by: "ann", soon: true },
    ]);
    const fork = parent.fork(parent.position - 1);
    perform(fork, { do: "writePasswordPolicy", policy: "words" });
    expect(await rehearse(fork.log.toNdjson())).toEqual({ ok: true });
  });
});

describe("the difference of two places", () => {
  property([stories(), fc.nat(), fc.nat()], runs(40))(
    "says what stands at each path on each side",
    (story, one, other) => {
      const sim = lived(story);
      const [from, to] = [one % (sim.position + 1), other % (sim.position + 1)];
      const differences = sim.diff(from, to);
      const wrong = differences.filter(
        ({ path, before, after }) => at(sim, from, path) !== said(before) || at(sim, to, path) !== said(after),
      );
      expect(wrong).toEqual([]);
      const equal = sim.at(from).stateHash() === sim.at(to).stateHash();
      expect(differences.length === 0).toBe(equal);
    },
  );

  property([stories(), fc.nat(), fc.nat()], runs(40))("is that of the other way round, turned", (story, one, other) => {
    const sim = lived(story);
    const [from, to] = [one % (sim.position + 1), other % (sim.position + 1)];
    const turned = sim.diff(to, from).map(({ path, before, after }) => ({ path, before: after, after: before }));
    const byPath = (left: Difference, right: Difference): number => (left.path < right.path ? -1 : 1);
    expect(turned.sort(byPath)).toEqual(sim.diff(from, to).sort(byPath));
  });

  property([stories()], runs(40))("of two worlds with one past is none", (story) => {
    expect(diff(lived(story), lived(story))).toEqual([]);
  });
});

/** The last position whose commit changed what stands at a path, found the long way. */
function lastChange(sim: Simulator, path: string): number | undefined {
  return positions(sim).findLast((position) => position > 0 && at(sim, position - 1, path) !== at(sim, position, path));
}

describe("blame", () => {
  const blamed = (story: readonly Action[], choice: number, checkpointEvery: number): void => {
    const sim = lived(story, { history: { checkpointEvery } });
    const changes = positions(sim)
      .slice(1)
      .flatMap((position) => sim.diff(position - 1, position));
    const { path } = changes[choice % changes.length] as Difference;
    expect(`${path}: ${sim.blame(path)?.position}`).toBe(`${path}: ${lastChange(sim, path)}`);
  };

  property([stories(20), fc.nat(), fc.constantFrom(1, 5, 32, 1_000)], runs(60))(
    "names the commit that last changed what stands at a path",
    (story, choice, checkpointEvery) => blamed(story, choice, checkpointEvery),
  );

  property([stories(20), fc.nat()], runs(40))("does so where every state is kept", (story, choice) => {
    blamed(story, choice, 1);
  });

  it("finds who took away what came and went between two states that are kept", () => {
    const sim = lived([
      { do: "writeSet", engine: "ldap", set: "ops", names: ["svc-a"] },
      { do: "checkOut", engine: "ldap", set: "ops", by: "ann" },
      { do: "checkIn", engine: "ldap", set: "ops", by: "ann" },
    ]);
    const [lease] = sim.at(sim.position - 1).state.secrets["main"]?.local.leases.first() ?? [];
    expect(sim.blame(`secrets.main.local.leases["${lease}"]`)?.command.name).toBe("secrets.library.checkIn");
  });
});

describe("bisecting", () => {
  property([stories(), fc.nat()], runs(40))(
    "finds the first position at which something that stays true is true",
    (story, choice) => {
      const sim = lived(story);
      const sought = choice % (sim.position + 2);
      const found = sim.bisect(({ position }) => position >= sought);
      expect(found).toBe(sought <= sim.position ? sought : undefined);
    },
  );
});

describe("rewriting", () => {
  property([stories()], runs(30))("without an edit changes nothing", async (story) => {
    const sim = lived(story);
    const { fork, changed } = await sim.rewrite([]);
    expect(changed).toEqual([]);
    expect(shown(fork)).toEqual(shown(sim));
  });

  property([stories(25), fc.nat()], runs(40))("a command with its own input changes nothing", async (story, choice) => {
    const sim = lived(story);
    const replace = editable(sim, choice);
    const { input } = sim.log.commits()[replace - 1]?.command ?? expect.fail("no commit");
    const { fork, changed } = await sim.rewrite([{ replace, input }]);
    expect(changed).toEqual([]);
    expect(shown(fork)).toEqual(shown(sim));
  });

  property([stories(25), fc.nat()], runs(40))(
    "leaves the original as it was, and the past before the edit",
    async (story, choice) => {
      const sim = lived(story);
      const before = shown(sim);
      const drop = editable(sim, choice);
      const { fork } = await sim.rewrite([{ drop }]);
      expect(shown(sim)).toEqual(before);
      expect(fork.clock.now()).toBe(sim.clock.now());
      expect(
        logText(fork)
          .split("\n")
          .slice(0, drop - 1),
      ).toEqual(before.log.split("\n").slice(0, drop - 1));
    },
  );

  property([stories(25), fc.nat()], runs(40))(
    "leaves a log that is decided again to the same facts",
    async (story, choice) => {
      const sim = lived(story);
      const { fork } = await sim.rewrite([{ drop: editable(sim, choice) }]);
      expect(await rehearse(fork.log.toNdjson())).toEqual({ ok: true });
      expect(hashOfState(replay(fork.log.toNdjson()).state)).toBe(fork.stateHash());
    },
  );

  property([stories(20), fc.nat(), fc.nat()], runs(60))(
    "what was rewritten reports only answers that the new edit changes",
    async (story, first, second) => {
      const once = (await lived(story).rewrite([{ drop: editable(lived(story), first) }])).fork;
      const replaced = editable(once, second);
      const { input } = once.log.commits()[replaced - 1]?.command ?? expect.fail("no commit");
      expect((await once.rewrite([{ replace: replaced, input }])).changed).toEqual([]);
    },
  );
});

/** The position of some commit that a caller asked for. */
function editable(sim: Simulator, choice: number): number {
  const asked = sim.log.commits().filter(({ command }) => command.via !== "timer");
  return asked[choice % asked.length]?.position ?? expect.fail("nobody asked for anything");
}
