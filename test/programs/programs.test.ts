import { describe, expect, test, vi } from "vitest";
import { createSimulator, type Pending, replay, type Simulator } from "../../src/index.ts";

const START_MS = Date.UTC(2026, 0);

/** A simulator with a token that ends after a minute. */
function simWithToken(): { readonly sim: Simulator; readonly token: string; readonly url: string } {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  const { token } = main.createToken({ policies: ["root"], ttl: "1m" });
  return { sim, token, url: `${main.url}/v1/auth/token/lookup-self` };
}

describe("programs", () => {
  test("are handles that are made when they are first asked for, after the author", () => {
    const sim = createSimulator();
    expect(sim.programs().map(({ name }) => name)).toEqual(["author"]);
    const shop = sim.program("shop");
    expect(sim.program("shop")).toBe(shop);
    sim.program("till");
    expect(sim.programs().map(({ name }) => name)).toEqual(["author", "shop", "till"]);
    expect(sim.program("author").timers).toBe(sim.timers);
    expect(sim.program("author").fetch).toBe(sim.fetch);
  });

  test.each(["Shop", "", "a b", 7, "-x"])("have DNS labels as names, and not %j", (name) => {
    expect(() => createSimulator().program(name as string)).toThrow(TypeError);
  });

  test("are known to forks, views and replays", async () => {
    const { sim, token, url } = simWithToken();
    const names = ["author", "shop", "till"];
    await sim.program("shop").fetch(url.replace("lookup-self", "renew-self"), {
      method: "POST",
      headers: { "X-Vault-Token": token },
    });
    sim.program("till");
    const known = [sim.fork(), sim.at(0), replay(sim.log.toNdjson())].map((world) =>
      world.programs().map(({ name }) => name),
    );
    expect(known).toEqual([names, names, names]);
    expect(replay(sim.log.toNdjson()).log.toNdjson()).toBe(sim.log.toNdjson());
  });

  test("stand in the caller of what they commit, through each door; the author does not", async () => {
    const { sim, token } = simWithToken();
    const main = sim.secrets.cluster("main");
    const shop = sim.program("shop");
    shop.as(main, token).kv.write({ path: "a", of: "shop" });
    await shop.fetch(`${main.url}/v1/kv/b`, {
      method: "POST",
      headers: { "X-Secrets-Token": token },
      body: '{"of":"shop"}',
    });
    main.as(token).kv.write({ path: "c", of: "author" });
    const callers = sim.log
      .commits()
      .flatMap(({ command }) => (command.name === "secrets.kv.write" ? [command.caller] : []));
    expect(callers.map((caller) => caller?.["program"])).toEqual(["shop", "shop", undefined]);
  });

  test("ask every service by its handle, also one of a fork", () => {
    const sim = createSimulator();
    const shop = sim.program("shop");
    const fork = sim.fork();
    expect(shop.as(sim.secrets.cluster("main")).health.read()).toBeDefined();
    expect(shop.as(fork.scheduler.region("global"))).toHaveProperty("capabilities");
    expect(shop.as(fork.runs)).toHaveProperty("policyChecks");
    expect(() => shop.as({} as never)).toThrow(TypeError);
    const other = createSimulator({ secrets: { clusters: ["elsewhere"] } });
    expect(() => shop.as(other.secrets.cluster("elsewhere"))).toThrow("is no handle of this simulator");
  });
});

describe("the order of time", () => {
  test("a deadline comes before a timer of its instant, and what the timer asks sees that", () => {
    const { sim, token } = simWithToken();
    const main = sim.secrets.cluster("main");
    const seen: string[] = [];
    const look = (): void => {
      try {
        main.as(token).tokens.lookupSelf();
        seen.push(`${sim.clock.now() - START_MS} alive`);
      } catch {
        seen.push(`${sim.clock.now() - START_MS} ended`);
      }
    };
    sim.timers.setTimeout(look, 59_999);
    sim.program("shop").timers.setTimeout(look, 60_000);
    expect(sim.clock.advance("2m").map(({ command }) => command)).toEqual(["timer.tokenExpiry"]);
    expect(seen).toEqual(["59999 alive", "60000 ended"]);
  });

  test("pending shows deadlines and timers, with the line that armed each", () => {
    const { sim } = simWithToken();
    sim.program("shop").timers.setTimeout(() => undefined, 60_000);
    sim.timers.setInterval(() => undefined, 10);
    const rows = sim.clock
      .pending()
      .map(({ dueAtMs, command, timer, program }: Pending) => [dueAtMs - START_MS, command ?? timer, program]);
    expect(rows).toEqual([
      [10, "setInterval", "author"],
      [60_000, "timer.tokenExpiry", undefined],
      [60_000, "setTimeout", "shop"],
    ]);
    const [interval] = sim.clock.pending();
    expect(interval?.timer === undefined ? undefined : interval?.where?.file).toMatch(/programs\.test\.ts$/);
  });

  test("next jumps to a timer, and settle fires what comes on its way", () => {
    const sim = createSimulator();
    const fired: number[] = [];
    sim.timers.setTimeout(() => fired.push(sim.clock.now() - START_MS), 70);
    expect(sim.clock.next()).toEqual([]);
    expect(fired).toEqual([70]);
    expect(sim.clock.now()).toBe(START_MS + 70);
  });

  test("a callback that throws stops the step at its instant, and its error says where it was armed", () => {
    const sim = createSimulator();
    const broken = new RangeError("out of stock");
    sim.program("shop").timers.setTimeout(() => {
      throw broken;
    }, 10);
    const later = vi.fn();
    sim.timers.setTimeout(later, 20);
    expect(() => sim.clock.advance("1h")).toThrow(broken);
    expect(broken.message).toMatch(
      /^setTimeout of shop, armed at .*programs\.test\.ts:\d+:\d+, due 2026-01-01T00:00:00\.010Z: out of stock$/,
    );
    expect(sim.clock.now()).toBe(START_MS + 10);
    sim.clock.advance("1h");
    expect(later).toHaveBeenCalledOnce();
  });

  test("a callback may move the clock itself, also beyond the step", () => {
    const sim = createSimulator();
    const lines: string[] = [];
    const tell = (what: string) => () => lines.push(`${what}@${sim.clock.now() - START_MS}`);
    sim.timers.setTimeout(() => {
      sim.clock.advance(100);
      tell("outer")();
    }, 10);
    sim.timers.setTimeout(tell("inner"), 50);
    sim.clock.advance(20);
    expect(lines).toEqual(["inner@50", "outer@110"]);
    expect(sim.clock.now()).toBe(START_MS + 110);
  });

  test("a schedule without end is an error that names its timer", () => {
    const sim = createSimulator({ limits: { firingsPerAdvance: 100 } });
    const again = (): void => void sim.timers.setImmediate(again);
    again();
    expect(() => sim.clock.advance(1)).toThrow(/the last of them setImmediate of author, armed at .*programs\.test/);
  });

  test("an asynchronous callback under advance is told, once, with its line", () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const sim = createSimulator();
    const tick = (): unknown => Promise.resolve();
    sim.timers.setInterval(tick, 10);
    sim.clock.advance(30);
    expect(warned).toHaveBeenCalledOnce();
    expect(warned.mock.calls[0]).toEqual([
      expect.stringMatching(/setInterval of author, armed at .*programs\.test\.ts:\d+/),
      expect.objectContaining({ code: "HINDCAST_ASYNC_TIMER" }),
    ]);
  });
});

describe("timers are no facts", () => {
  test("a fork starts without them, and says which were left behind", () => {
    const sim = createSimulator();
    const fired = vi.fn();
    sim.program("shop").timers.setTimeout(fired, 10);
    const fork = sim.fork();
    expect(fork.clock.pending()).toEqual([]);
    expect(fork.timersLeftBehind).toEqual([
      { dueAtMs: START_MS + 10, timer: "setTimeout", program: "shop", where: expect.anything() },
    ]);
    fork.clock.advance("1h");
    expect(fired).not.toHaveBeenCalled();
    expect(sim.timersLeftBehind).toEqual([]);
  });

  test("no log holds them, and no hash", () => {
    const sim = createSimulator();
    const before = [sim.stateHash(), sim.log.toNdjson()];
    sim.timers.setTimeout(() => undefined, 10);
    expect([sim.stateHash(), sim.log.toNdjson()]).toEqual(before);
  });

  test("a view has none", () => {
    const view = createSimulator().at(0);
    expect(() => view.program("shop").timers).toThrow("a view of the past has no timers");
  });

  test("disposing drops them", () => {
    const sim = createSimulator();
    const { timers } = sim;
    timers.setTimeout(() => undefined, 10);
    sim.dispose();
    expect(() => timers.setTimeout(() => undefined, 10)).toThrow("was disposed of");
  });

  test("forEachDeadline visits a timer's instant, and a tie before and after the deadline", async () => {
    const { sim } = simWithToken();
    sim.timers.setTimeout(() => undefined, 60_000);
    sim.timers.setTimeout(() => undefined, 90_000);
    const visits: [string | undefined, number, boolean][] = [];
    const checks = await sim.forEachDeadline((due, fork, offsetMs) => {
      expect(fork.clock.now()).toBe(due.dueAtMs + offsetMs);
      const isBefore = fork.clock.pending().some(({ command }) => command === "timer.tokenExpiry");
      visits.push([due.command ?? due.timer, due.dueAtMs + offsetMs - START_MS, isBefore]);
    });
    expect(visits).toEqual([
      ["timer.tokenExpiry", 59_999, true],
      ["timer.tokenExpiry", 60_000, false],
      ["timer.tokenExpiry", 60_001, false],
      ["setTimeout", 59_999, true],
      ["setTimeout", 60_000, true],
      ["setTimeout", 60_000, false],
      ["setTimeout", 60_001, false],
      ["setTimeout", 89_999, false],
      ["setTimeout", 90_000, false],
      ["setTimeout", 90_001, false],
    ]);
    expect(checks).toBe(10);
    const before = sim.forEachDeadline((due, fork, offsetMs) => {
      const expired = fork.log.commits().at(-1)?.command.name === "timer.tokenExpiry";
      if (due.timer !== undefined && offsetMs === 0 && !expired) throw new Error("too early");
    });
    await expect(before).rejects.toThrow(
      "at setTimeout of author, due 2026-01-01T00:01:00.000Z, before the deadline of that instant: too early",
    );
  });
});

describe("install", () => {
  test("each asynchronous chain meets the simulator that it installed", async () => {
    // Node below 24 tells chains apart from the first time that anybody asks for timers.
    expect(createSimulator().timers).toBeDefined();
    const chain = async (startAt: string): Promise<number> => {
      await Promise.resolve();
      const sim = createSimulator({ startAt });
      const undo = sim.timers.install();
      const fired = new Promise<number>((resolve) => void setTimeout(() => resolve(Date.now()), 1_000));
      await Promise.resolve();
      sim.clock.advance("1s");
      try {
        return await fired;
      } finally {
        undo();
      }
    };
    const [left, right] = await Promise.all([chain("2026-01-01T00:00:00Z"), chain("2030-01-01T00:00:00Z")]);
    expect(left).toBe(Date.UTC(2026, 0) + 1_000);
    expect(right).toBe(Date.UTC(2030, 0) + 1_000);
  });

  test("two simulators in one chain are refused, two programs of one are not", () => {
    const sim = createSimulator();
    const undo = sim.timers.install();
    try {
      expect(() => createSimulator().timers.install()).toThrow(
        /another simulator is installed here already at .*programs\.test/,
      );
      const inner = sim.program("shop").timers.install();
      setTimeout(() => undefined, 10);
      inner();
      setTimeout(() => undefined, 10);
      expect(sim.clock.pending().map(({ program }) => program)).toEqual(["shop", "author"]);
    } finally {
      undo();
    }
    createSimulator().timers.install()();
  });

  test("only what is named is replaced, in the target that is given", () => {
    const sim = createSimulator();
    const target: { Date?: DateConstructor; setTimeout?: typeof setTimeout } = {};
    const undo = sim.timers.install(target, { only: ["Date"] });
    expect(target.Date?.now()).toBe(START_MS);
    expect(target.setTimeout).toBeUndefined();
    undo();
    expect(target).toEqual({});
    expect(() => sim.timers.install(target, { only: ["fetch" as never] })).toThrow(TypeError);
    expect(() => sim.timers.install(7 as never)).toThrow(TypeError);
  });

  test("a timer of the platform is cleared by what is installed", async () => {
    const fired = vi.fn();
    const real = setTimeout(fired, 1);
    const undo = createSimulator().timers.install();
    clearTimeout(real);
    undo();
    await new Promise((resolve) => void setTimeout(resolve, 5));
    expect(fired).not.toHaveBeenCalled();
  });

  test("disposing takes it back", () => {
    const before = setTimeout;
    const sim = createSimulator();
    sim.timers.install();
    expect(setTimeout).not.toBe(before);
    sim.dispose();
    expect(setTimeout).toBe(before);
  });
});
