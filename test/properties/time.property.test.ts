import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Simulator } from "../../src/index.ts";
import { dueAtMsOf } from "../../src/kernel/calendar.ts";
import { property } from "../support/checked.ts";
import { runs } from "../support/runs.ts";
import { lived, stories } from "../support/world-actions.ts";
import { logText } from "../support/world-checks.ts";

const durations = fc.oneof(
  fc.nat({ max: 100_000 }),
  fc.constantFrom(0, 1_000, 20_000, 600_000, 86_400_000, 2_764_800_000),
);

const shown = (sim: Simulator) => ({ log: logText(sim), hash: sim.stateHash(), nowMs: sim.clock.now() });

describe("time", () => {
  property([stories(), durations, durations], runs(80))(
    "passes in two steps as it does in one",
    (story, first, second) => {
      const [one, two] = [lived(story), lived(story)];
      const fired = one.clock.advance(first + second);
      const firedInTwo = [...two.clock.advance(first), ...two.clock.advance(second)];
      expect(firedInTwo).toEqual(fired);
      expect(shown(two)).toEqual(shown(one));
    },
  );

  property([stories(), durations], runs(40))(
    "passes from deadline to deadline as it does at once",
    (story, duration) => {
      const [one, walked] = [lived(story), lived(story)];
      const until = one.clock.now() + duration;
      const fired = one.clock.advance(duration);
      const walk = [];
      while ((walked.clock.pending()[0]?.dueAtMs ?? Number.POSITIVE_INFINITY) <= until)
        walk.push(...walked.clock.next());
      walked.clock.advanceTo(new Date(until));
      expect(walk).toEqual(fired);
      expect(shown(walked)).toEqual(shown(one));
    },
  );

  property([stories(), durations], runs(25))(
    "passes alike when waiting code may run between",
    async (story, duration) => {
      const [one, run] = [lived(story), lived(story)];
      expect(await run.clock.run(duration)).toEqual(one.clock.advance(duration));
      expect(shown(run)).toEqual(shown(one));
    },
  );

  property([stories(20)], runs(40))("fires next what is listed first, and what is due with it", (story) => {
    const sim = lived(story);
    for (let steps = 0; steps < 30; steps++) {
      const [first] = sim.clock.pending();
      if (first === undefined) break;
      const fired = sim.clock.next().map(({ position: _, ...deadline }) => deadline);
      expect(fired[0]).toEqual(first);
      expect(fired.filter(({ dueAtMs }) => dueAtMs !== first.dueAtMs)).toEqual([]);
      expect(sim.clock.now()).toBe(first.dueAtMs);
    }
    expect(sim.position).toBeGreaterThan(0);
  });

  property([stories()], runs(40))("leaves nothing overdue behind a command or a step", (story) => {
    const sim = lived(story);
    expect(sim.clock.pending().filter(({ dueAtMs }) => dueAtMs <= sim.clock.now())).toEqual([]);
  });

  property([stories()], runs(40))("stamps what fires with the instant at which it was due", (story) => {
    const sim = lived(story);
    const late = sim.log
      .commits()
      .filter(({ command }) => command.via === "timer")
      .filter(({ atMs, command }) => dueAtMsOf(command.caller?.["deadline"] as string) !== atMs);
    expect(late).toEqual([]);
  });

  property([stories(30)], runs(40))(
    "comes to rest: at last no deadline is left, and no lease but those given up",
    (story) => {
      const sim = lived(story);
      for (let steps = 0; sim.clock.pending().length > 0; steps++) {
        if (steps > 1_000) expect.fail("a thousand deadlines, and more to come");
        sim.clock.next();
      }
      const { leases, tokens, calendar } = sim.state.secrets["main"]?.local ?? expect.fail("no cluster");
      expect([...leases.values()].filter(({ status }) => status !== "irrevocable")).toEqual([]);
      expect([...tokens.values()].filter(({ expiresAtMs }) => expiresAtMs !== undefined)).toEqual([]);
      expect(calendar.size).toBe(0);
    },
  );

  property([stories(30)], runs(40))("brings every account home when the directory does as it is told", (story) => {
    const sim = lived(story.filter((action) => !DISTURBANCES.has(action.do)));
    while (sim.clock.pending().length > 0) sim.clock.next();
    const { local, replicated } = sim.state.secrets["main"] ?? expect.fail("no cluster");
    expect([...local.leases.keys()]).toEqual([]);
    const accounts = [...replicated.mounts.values()].flatMap((mount) =>
      mount.type === "ldap" ? [...mount.library.accounts.values()] : [],
    );
    expect(accounts.filter(({ status }) => status !== "available")).toEqual([]);
  });
});

describe("a run that is under way", () => {
  it("ends when its simulator is disposed of", async () => {
    const sim = lived([
      { do: "writeSet", engine: "ldap", set: "ops", names: ["svc-a"] },
      { do: "checkOut", engine: "ldap", set: "ops", by: "ann" },
    ]);
    const run = sim.clock.run("2d");
    sim.dispose();
    await expect(run).rejects.toThrow("disposed");
  });
});

/** What can keep an account from being taken back. */
const DISTURBANCES: ReadonlySet<string> = new Set([
  "deconfigure",
  "deletePasswordPolicy",
  "configure",
  "switchDirectory",
  "failNext",
  "delayDirectory",
  "removeEntry",
]);
