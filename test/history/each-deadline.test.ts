import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSimulator, type DeadlineOffset, Rejection, type Simulator } from "../../src/index.ts";
import { property } from "../support/property.ts";
import { runs } from "../support/runs.ts";
import { lived, stories } from "../support/world-actions.ts";

const START_MS = Date.UTC(2026, 0, 1);

/** A simulator with one token for each time to live. */
function simWithTokens(...ttls: string[]): { readonly sim: Simulator; readonly tokens: readonly string[] } {
  const sim = createSimulator();
  const service = sim.secrets.cluster("main");
  return { sim, tokens: ttls.map((ttl) => service.createToken({ policies: ["default"], ttl }).token) };
}

/** Whether a token is good for anything. */
function isAlive(sim: Simulator, token: string): boolean {
  try {
    sim.secrets.cluster("main").as(token).tokens.lookupSelf();
    return true;
  } catch (error) {
    if (error instanceof Rejection) return false;
    throw error;
  }
}

/** Where each check ran: after which deadline, by how much, and what the clock of its fork said, in milliseconds since the start. */
async function visitsOf(sim: Simulator): Promise<(readonly [dueMs: number, offsetMs: number, nowMs: number])[]> {
  const visits: (readonly [number, number, number])[] = [];
  await sim.forEachDeadline(({ dueAtMs }, fork, offsetMs) => {
    visits.push([dueAtMs - START_MS, offsetMs, fork.clock.now() - START_MS]);
  });
  return visits;
}

describe("around every pending deadline", () => {
  it("a check runs one millisecond before, at, and one after", async () => {
    const { sim, tokens } = simWithTokens("90s");
    const seen: [string | undefined, number, number, boolean][] = [];
    const checks = await sim.forEachDeadline(({ command }, fork, offsetMs) => {
      seen.push([command, offsetMs, fork.clock.now() - START_MS, isAlive(fork, tokens[0] as string)]);
    });
    expect(seen).toEqual([
      ["timer.tokenExpiry", -1, 89_999, true],
      ["timer.tokenExpiry", 0, 90_000, false],
      ["timer.tokenExpiry", 1, 90_001, false],
    ]);
    expect(checks).toBe(3);
  });

  it.each([
    { title: "far apart", ttls: ["1m", "1h", "1d"], dueMs: [60_000, 3_600_000, 86_400_000] },
    { title: "in any order of arming", ttls: ["1d", "1m"], dueMs: [60_000, 86_400_000] },
    { title: "at one instant", ttls: ["1m", "1m", "1m"], dueMs: [60_000, 60_000, 60_000] },
    { title: "one millisecond apart", ttls: ["60000ms", "60001ms", "60002ms"], dueMs: [60_000, 60_001, 60_002] },
    { title: "two milliseconds apart", ttls: ["60000ms", "60002ms"], dueMs: [60_000, 60_002] },
    { title: "due in one millisecond", ttls: ["1ms"], dueMs: [1] },
  ])("$title: in the order in which they fire, each at its own instants", async ({ ttls, dueMs }) => {
    const { sim } = withFaults(ttls);
    expect(await visitsOf(sim)).toEqual(
      dueMs.flatMap((due) => ([-1, 0, 1] as const).map((offset) => [due, offset, due + offset])),
    );
  });

  it("each check has a fork to itself", async () => {
    const { sim, tokens } = simWithTokens("1m", "1m");
    const forks = new Set<Simulator>();
    await sim.forEachDeadline((_, fork, offsetMs) => {
      expect(isAlive(fork, tokens[0] as string)).toBe(offsetMs < 0);
      if (offsetMs < 0) fork.secrets.cluster("main").as(tokens[0]).tokens.revokeSelf();
      fork.clock.advance("1h");
      fork.dispose();
      forks.add(fork);
    });
    expect(forks.size).toBe(6);
  });

  it("what is due at one instant has fired together", async () => {
    const { sim, tokens } = simWithTokens("1m", "1m");
    await sim.forEachDeadline((_, fork, offsetMs) => {
      expect(tokens.map((token) => isAlive(fork, token))).toEqual([offsetMs < 0, offsetMs < 0]);
    });
  });

  it("a deadline that was taken away on the way is visited, and one that was armed on the way fires without a visit", async () => {
    const sim = createSimulator();
    const service = sim.secrets.cluster("main");
    const admin = service.as(service.rootToken);
    sim.directory.addEntry("cn=svc-1,dc=example,dc=com", { cn: "svc-1" });
    admin.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
    admin.library.write({ set_name: "ops", service_account_names: ["svc-1"], ttl: "1h" });
    const { token } = service.createToken({ policies: ["root"], ttl: "10m" });
    service.as(token).library.checkOut({ set_name: "ops" });
    expect(sim.clock.pending().map(({ command }) => command)).toEqual(["timer.tokenExpiry", "timer.leaseRevocation"]);
    // The end of the token takes the loan with it, and as the directory is down, the loan is tried again and again.
    sim.directory.setAvailable(false);

    const visits: [string | undefined, number][] = [];
    await sim.forEachDeadline(({ command }, fork, offsetMs) => {
      const fired = fork.log.commits().slice(sim.position);
      visits.push([command, fired.length]);
      expect(fork.clock.now() - START_MS).toBe((command === "timer.tokenExpiry" ? 600_000 : 3_600_000) + offsetMs);
    });
    const firings = sim.fork();
    const untilLoan = firings.clock.advance("59m59s999ms").length;
    expect(untilLoan).toBeGreaterThan(3);
    expect(visits.slice(0, 4)).toEqual([
      ["timer.tokenExpiry", 0],
      ["timer.tokenExpiry", expect.any(Number)],
      ["timer.tokenExpiry", expect.any(Number)],
      ["timer.leaseRevocation", untilLoan],
    ]);
    expect(visits).toHaveLength(6);
  });

  it("an idle simulator has none", async () => {
    expect(await createSimulator().forEachDeadline(() => expect.fail())).toBe(0);
  });

  it("those of a sealed cluster sleep, as in pending()", async () => {
    const { sim } = simWithTokens("1m");
    sim.secrets.cluster("main").seal();
    expect(await visitsOf(sim)).toEqual([]);
  });

  it("checks run one after another", async () => {
    const { sim } = simWithTokens("1m", "2m");
    let running = 0;
    const offsets: DeadlineOffset[] = [];
    await sim.forEachDeadline(async (_, fork, offsetMs) => {
      expect(running++).toBe(0);
      await fork.clock.run("1s");
      running--;
      offsets.push(offsetMs);
    });
    expect(offsets).toEqual([-1, 0, 1, -1, 0, 1]);
  });

  it("deadlines are those of the moment of the call, whatever the simulator does meanwhile", async () => {
    const { sim } = simWithTokens("1m");
    const visits = visitsOf(sim);
    sim.clock.advance("1d");
    sim.dispose();
    expect(await visits).toEqual([
      [60_000, -1, 59_999],
      [60_000, 0, 60_000],
      [60_000, 1, 60_001],
    ]);
  });
});

describe("at the edges of time", () => {
  it("a deadline that is due already has the present before it", async () => {
    const { sim } = simWithTokens("1m", "1m");
    sim.clock.advance("1m");
    // Between the two commits of one instant the second token has not ended yet.
    const between = sim.fork(sim.position - 1);
    expect(between.clock.pending()).toMatchObject([{ dueAtMs: between.clock.now() }]);
    const seen: [number, number, number][] = [];
    await between.forEachDeadline((_, fork, offsetMs) => {
      seen.push([offsetMs, fork.clock.now() - START_MS, fork.clock.pending().length]);
    });
    expect(seen).toEqual([
      [-1, 60_000, 1],
      [0, 60_000, 0],
      [1, 60_001, 0],
    ]);
  });

  it("so has one that is overdue, because its cluster slept when it came", async () => {
    const { sim } = simWithTokens("1m");
    const service = sim.secrets.cluster("main");
    service.seal();
    sim.clock.advance("1h");
    service.unseal();
    // Between the unsealing and what was overdue then.
    const between = sim.fork(sim.position - 1);
    expect(between.clock.pending()).toMatchObject([{ dueAtMs: START_MS + 60_000 }]);
    const seen: [number, number, number][] = [];
    await between.forEachDeadline((_, fork, offsetMs) => {
      seen.push([offsetMs, fork.clock.now() - START_MS, fork.clock.pending().length]);
    });
    expect(seen).toEqual([
      [-1, 3_600_000, 1],
      [0, 3_600_000, 0],
      [1, 3_600_001, 0],
    ]);
  });

  it("there is nothing after the last instant of the clock", async () => {
    const sim = createSimulator();
    sim.faults.schedule("9999-12-31T23:59:59.999Z", { type: "directory.setAvailable", args: [false] });
    const offsets: number[] = [];
    const checks = await sim.forEachDeadline((_, __, offsetMs) => void offsets.push(offsetMs));
    expect(offsets).toEqual([-1, 0]);
    expect(checks).toBe(2);
  });
});

describe("a check that fails", () => {
  const places = [
    { offsetMs: -1, place: "1 ms before timer.tokenExpiry of cluster main, due 2026-01-01T00:01:00.000Z" },
    { offsetMs: 0, place: "at timer.tokenExpiry of cluster main, due 2026-01-01T00:01:00.000Z" },
    { offsetMs: 1, place: "1 ms after timer.tokenExpiry of cluster main, due 2026-01-01T00:01:00.000Z" },
  ] as const;

  it.each(places)("says around which deadline: $place", async ({ offsetMs, place }) => {
    const { sim } = simWithTokens("1m");
    const failing = sim.forEachDeadline((_, __, offset) => {
      if (offset === offsetMs) throw new RangeError("no good");
    });
    await expect(failing).rejects.toThrow(new RangeError(`${place}: no good`));
  });

  it("ends the walk", async () => {
    const { sim } = simWithTokens("1m", "2m");
    const seen: number[] = [];
    await sim
      .forEachDeadline(async ({ dueAtMs }, _, offsetMs) => {
        seen.push(dueAtMs - START_MS + offsetMs);
        if (offsetMs === 0) await Promise.reject(new Error("no good"));
      })
      .catch(() => {});
    expect(seen).toEqual([59_999, 60_000]);
  });

  it("keeps its own error, with what an assertion compared and where it was made", async () => {
    const { sim } = simWithTokens("1m");
    let own: unknown;
    const error = await sim
      .forEachDeadline(() => {
        try {
          expect({ alive: true }).toEqual({ alive: false });
        } catch (thrown) {
          own = thrown;
          throw thrown;
        }
      })
      .catch((thrown: unknown) => thrown);
    expect(error).toBe(own);
    expect(error).toMatchObject({ actual: { alive: true }, expected: { alive: false } });
    const { message, stack } = error as Error;
    expect(message).toMatch(/^1 ms before timer\.tokenExpiry .*: expected \{ alive: true \} to deeply equal/);
    expect(stack).toContain(message);
    expect(stack).toContain("each-deadline.test");
  });

  it.each([
    { thrown: "a text", message: "a text" },
    { thrown: undefined, message: "undefined" },
    { thrown: null, message: "null" },
    { thrown: Object.freeze(new Error("frozen")), message: "frozen" },
  ])("is told with $message as its cause when its error takes no message", async ({ thrown, message }) => {
    const { sim } = simWithTokens("1m");
    const error = await sim
      .forEachDeadline(() => {
        throw thrown;
      })
      .catch((told: unknown) => told);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ message: `${places[0].place}: ${message}`, cause: thrown });
  });

  it("of a run names the run", async () => {
    const sim = createSimulator();
    sim.runs.createOrganization({ name: "acme" });
    const { id: workspace } = sim.runs.createWorkspace({ organization: "acme", name: "production" });
    const { id } = sim.runs.createRun({ workspace, timing: { planMs: "2m" } });
    await expect(sim.forEachDeadline(() => Promise.reject(new Error("no")))).rejects.toThrow(` of run ${id}, due `);
  });

  it("leaves out whose it is where it is nobody's", async () => {
    const sim = createSimulator();
    sim.faults.schedule("1m", { type: "directory.setAvailable", args: [false] });
    await expect(sim.forEachDeadline(() => Promise.reject(new Error("no")))).rejects.toThrow(
      "1 ms before fault.directory.setAvailable, due 2026-01-01T00:01:00.000Z: no",
    );
  });
});

it.each([
  { given: undefined, shown: "undefined" },
  { given: "check", shown: '"check"' },
  { given: { check: 1 }, shown: "an object" },
])("refuses $shown for a check", async ({ given, shown }) => {
  const { sim } = simWithTokens("1m");
  await expect(sim.forEachDeadline(given as never)).rejects.toThrow(
    new TypeError(`forEachDeadline: the check is ${shown}, and has to be a function`),
  );
});

it("a simulator that was disposed of refuses", async () => {
  const { sim } = simWithTokens("1m");
  sim.dispose();
  await expect(sim.forEachDeadline(() => {})).rejects.toThrow("disposed of");
});

describe("for every story:", () => {
  property([stories(25)], runs(25))(
    "a check's fork is what a fork becomes whose clock goes there by itself, and the parent stays as it is",
    async (story) => {
      const sim = lived(story);
      const before = { hash: sim.stateHash(), log: sim.log.toNdjson(), pending: sim.clock.pending() };
      const wrong: unknown[] = [];
      await sim.forEachDeadline((deadline, fork, offsetMs) => {
        const byHand = sim.fork();
        byHand.clock.advanceTo(new Date(deadline.dueAtMs + offsetMs));
        if (fork.log.toNdjson() !== byHand.log.toNdjson() || fork.stateHash() !== byHand.stateHash()) {
          wrong.push([deadline, offsetMs]);
        }
        fork.clock.advance("30d");
      });
      expect(wrong).toEqual([]);
      expect({ hash: sim.stateHash(), log: sim.log.toNdjson(), pending: sim.clock.pending() }).toEqual(before);
    },
  );

  property([fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 12 })], runs(60))(
    "deadlines that lie close together are visited at their own instants",
    async (dues) => {
      const { sim } = withFaults(dues.map((ms) => `${ms}ms`));
      expect(await visitsOf(sim)).toEqual(
        dues.sort((a, b) => a - b).flatMap((due) => [-1, 0, 1].map((offset) => [due, offset, due + offset])),
      );
    },
  );
});

/** A simulator with a fault that is due after each time. */
function withFaults(times: readonly string[]): { readonly sim: Simulator } {
  const sim = createSimulator();
  for (const time of times) sim.faults.schedule(time, { type: "directory.setAvailable", args: [false] });
  return { sim };
}
