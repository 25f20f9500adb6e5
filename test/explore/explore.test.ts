import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSimulator, type Program, replay, runScenario, type Simulator } from "hindcast";
import { type ExploreOptions, explore, Schedule } from "hindcast/explore";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scenarioOfFile } from "../../src/node/scenarios/own.ts";

const world = (): Simulator => createSimulator({ secrets: { clusters: ["east", "west"] } });
const root = (sim: Simulator): string => sim.secrets.cluster("east").rootToken;

/** Writes an order each minute, and believes what was answered; one that loses an answer forgets the order. */
class Shop {
  readonly believed: string[] = [];
  readonly #program: Program;
  readonly #token: string;
  readonly #repeats: boolean;

  constructor(program: Program, token: string, repeats: boolean) {
    this.#program = program;
    this.#token = token;
    this.#repeats = repeats;
  }

  async run(): Promise<void> {
    for (let order = 0; ; order++) {
      const path = `order-${order}`;
      while (!(await this.#isWritten(path)) && this.#repeats) await this.#program.timers.sleep("10s");
      this.believed.push(path);
      await this.#program.timers.sleep("1m");
    }
  }

  async #isWritten(path: string): Promise<boolean> {
    const init = { method: "POST", headers: { "X-Secrets-Token": this.#token }, body: '{"v":1}' };
    const url = `https://secrets-east.test/v1/kv/${path}`;
    return this.#program.fetch(url, init).then(
      ({ ok }) => ok,
      () => false,
    );
  }
}

function losesNoOrder({ sim, programs }: { sim: Simulator; programs: { readonly [name: string]: unknown } }): void {
  const east = sim.secrets.cluster("east");
  const { keys } = east.as(east.rootToken).kv.list({}).data;
  const lost = (programs["shop"] as Shop).believed.filter((order) => !keys.includes(order));
  if (lost.length > 0) throw new Error(`lost ${lost.join(", ")}`);
}

function shopping(repeats: boolean): ExploreOptions {
  let token = "";
  return {
    world: () => {
      const sim = world();
      token = root(sim);
      return sim;
    },
    programs: {
      shop: (program) => {
        const shop = new Shop(program, token, repeats);
        void shop.run();
        return shop;
      },
    },
    faults: { lines: true, stops: true, seals: true, requests: true, directory: true },
    finally: [losesNoOrder],
    schedules: 40,
    steps: 6,
    calm: "3m",
    settle: "10m",
    folder: false,
  };
}

describe("explore", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hindcast-explore-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("finds the schedule in which a program loses what it believes, and shrinks it to one fault", async () => {
    const { ok, failures, schedules, virtualMs, seed, coverage } = await explore("the shop loses no order", {
      ...shopping(false),
      folder,
    });
    expect(ok).toBe(false);
    expect(failures).toHaveLength(1);
    const [failure] = failures;
    expect(failure).toMatchObject({ judge: "losesNoOrder", faults: 1, found: schedules });
    expect(failure?.steps).toBeLessThanOrEqual(2);
    expect(failure?.message).toMatch(/^lost order-\d+/);
    expect([seed, virtualMs > 0]).toEqual([1, true]);
    expect(Object.keys(coverage.reached).length).toBeGreaterThan(3);
    expect(coverage.growth.at(-1)).toEqual({ schedules, reached: Object.keys(coverage.reached).length });

    const { scenario = "", log = "" } = failure?.files ?? {};
    const text = readFileSync(log, "utf8");
    expect(replay(text).journal.some((entry) => entry.kind === "request" && entry.program === "shop")).toBe(true);
    const found = await scenarioOfFile(scenario);
    const told = await runScenario(found.scenario);
    expect(told.steps.map(({ error }) => error)).toEqual(told.steps.map(() => undefined));
    expect(told.sim.stateHash()).toBe(replay(text).stateHash());
    expect(readFileSync(scenario, "utf8")).toContain(failure?.repeat);
  });

  test("finds nothing in one that asks again, and says what it reached", async () => {
    const report = await explore("the shop loses no order", shopping(true));
    expect(report).toMatchObject({ ok: true, schedules: 40, failures: [] });
    const { reached, never } = report.coverage;
    expect(Object.keys(reached).filter((what) => what.startsWith("lose-answer at secrets.kv.write"))).toHaveLength(1);
    expect(reached["seal: unsealed -seal> sealed"] ?? 0).toBeGreaterThan(0);
    expect(never.every((move) => !(move in reached))).toBe(true);
    expect(never.length).toBeGreaterThan(0);
  });

  test("gives the same report for the same seed, and another for another", async () => {
    const [one, again, other] = [
      await explore("x", shopping(false)),
      await explore("x", shopping(false)),
      await explore("x", { ...shopping(true), seed: 2 }),
    ];
    expect(JSON.stringify(again)).toBe(JSON.stringify(one));
    expect(JSON.stringify(other.coverage)).not.toBe(JSON.stringify(one.coverage));
  });

  test("plays one schedule alone, with the same bytes each time", async () => {
    const { failures } = await explore("x", shopping(false));
    const only = failures[0]?.schedule as Schedule;
    for (const given of [only, `${only}`, Schedule.parse(`${only}`)]) {
      const report = await explore("x", { ...shopping(false), only: given });
      expect(report).toMatchObject({ schedules: 1, failures: [{ judge: "losesNoOrder" }] });
      expect(`${report.failures[0]?.schedule}`).toBe(`${only}`);
    }
    expect(await explore("x", { ...shopping(true), only })).toMatchObject({ ok: true, schedules: 1 });
  });

  test("one long wait takes the place of several", async () => {
    let token = "";
    const report = await explore("x", {
      world: () => {
        const sim = world();
        token = root(sim);
        return sim;
      },
      actions: {
        write: (sim) =>
          sim.secrets
            .cluster("east")
            .as(token)
            .kv.write({ path: "late", data: { v: 1 } }),
      },
      finally: [
        ({ sim }) => {
          const wrote = sim.log.commits().find(({ command }) => command.name === "secrets.kv.write");
          return wrote === undefined || wrote.atMs < Date.parse("2026-01-01T00:02:00Z");
        },
      ],
      schedules: 500,
      steps: 6,
      calm: "1m",
      folder: false,
    });
    expect(report.failures.map(({ schedule }) => `${schedule}`)).toEqual(["+2m do write 0"]);
  });

  test("judges after each commit, at the commit", async () => {
    const seen: number[] = [];
    const sealedNever = ({ sim }: { sim: Simulator }): boolean => {
      seen.push(sim.position);
      return sim.state.secrets["west"]?.ignored.seal.status === "unsealed";
    };
    const { failures } = await explore("x", { ...shopping(true), always: [sealedNever], finally: [] });
    expect(failures).toMatchObject([{ judge: "sealedNever", message: "it does not hold", steps: 1, faults: 1 }]);
    expect(`${failures[0]?.schedule}`).toMatch(/^\S+( 1)? seal west for /);
    expect(seen.length).toBeGreaterThan(1);
  });

  test("what a judge tries leaves no trace in the run", async () => {
    const tries = ({ sim }: { sim: Simulator }): void => {
      sim.network.stop(sim.secrets.cluster("west"));
      sim.clock.advance("1h");
    };
    const [with_, without] = [
      await explore("x", { ...shopping(true), always: [tries], finally: [tries, losesNoOrder] }),
      await explore("x", shopping(true)),
    ];
    expect(JSON.stringify(with_.coverage)).toBe(JSON.stringify(without.coverage));
  });

  test("tells of a program that throws, and of one that is no longer the same", async () => {
    const throws = await explore("x", {
      ...shopping(true),
      schedules: 500,
      programs: {
        shop: async ({ fetch, timers }) => {
          await timers.sleep("1m");
          await fetch("https://secrets-east.test/v1/sys/health");
        },
      },
      finally: [],
    });
    expect(throws.failures).toMatchObject([{ judge: "program shop", message: "fetch failed", faults: 1 }]);
    let runs = 0;
    const changes = await explore("x", { ...shopping(true), finally: [() => ++runs !== 2] });
    expect(changes.failures[0]?.message).toContain("did not fail again");
  });

  test("draws actions with numbers, and the world from several", async () => {
    const numbers: number[] = [];
    const report = await explore("x", {
      world: [world, world],
      actions: {
        write: (sim, n) => {
          numbers.push(n);
          sim.secrets
            .cluster("east")
            .as(root(sim))
            .kv.write({ path: `k${n}`, v: n });
        },
      },
      finally: [({ schedule }) => schedule.steps.every(({ act }) => act.kind !== "do" || act.n < 50)],
      folder: false,
      settle: 0,
    });
    expect(report.failures).toMatchObject([{ judge: "finally[0]", steps: 1, faults: 0 }]);
    expect(`${report.failures[0]?.schedule}`).toBe("+0s do write 50");
    expect(new Set(numbers).size).toBeGreaterThan(5);
  });

  test("goes on to other failures where more are asked for", async () => {
    const { failures } = await explore("x", {
      ...shopping(false),
      always: [
        function staysUp({ sim }) {
          return sim.state.secrets["east"]?.ignored.running === true;
        },
      ],
      maxFailures: 2,
      folder,
    });
    expect(new Set(failures.map(({ judge }) => judge))).toEqual(new Set(["losesNoOrder", "staysUp"]));
    expect(failures.every(({ files }) => existsSync(files.log ?? ""))).toBe(true);
  });

  test.each([
    [{}, "world is undefined, and has to be a function"],
    [{ world: 3 }, "world is 3, and has to be a function"],
    [{ world: () => ({}) }, "world gave an object, and has to give a simulator"],
    [{ world, programs: { "Big Shop": () => undefined } }, 'programs is "Big Shop", and has to be named by DNS labels'],
    [{ world, programs: { shop: 1 } }, "programs.shop is 1, and has to be a function"],
    [{ world, faults: { fires: true } }, "faults: fires is no option"],
    [
      { world, faults: { requests: ["burn"] } },
      "faults.requests is an array, and has to be true, false, or an array of lose-request",
    ],
    [{ world, faults: { clock: "never" } }, 'faults.clock is "never", and has to be "deadlines" or "random"'],
    [{ world, always: () => true }, "always is a function, and has to be an array of functions"],
    [{ world, schedules: 0 }, "schedules is 0, and has to be a whole number from 1 on"],
    [{ world, calm: "soon" }, 'calm is "soon", and has to be a duration'],
    [{ world, folder: "" }, 'folder is "", and has to be a folder, or false'],
    [{ world, only: "soon" }, '"soon" is no step'],
    [{ world, budgt: "1h" }, "budgt is no option"],
  ])("%o is refused", async (options, why) => {
    const exploring = explore("x", options as unknown as ExploreOptions);
    await expect(exploring).rejects.toThrow(TypeError);
    await expect(explore("x", options as unknown as ExploreOptions)).rejects.toThrow(why);
  });

  test("needs a name", async () => {
    await expect(explore(" ", { world })).rejects.toThrow("the name is");
  });
});
