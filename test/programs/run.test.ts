import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { describe, expect, it, test, vi } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { untilQuiet } from "../../src/programs/quiet.ts";

const START_MS = Date.UTC(2026, 0);
const patience = { quietTurns: 1, limitMs: 10_000, onLong: () => undefined };

function since(sim: Simulator): number {
  return sim.clock.now() - START_MS;
}

const warnings = (): ReturnType<typeof vi.spyOn> =>
  vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);

describe("run waits for everybody", () => {
  test("who goes on through promises, immediates and answers has gone on before time does", async () => {
    const sim = createSimulator();
    const { timers, fetch } = sim.program("shop");
    const url = sim.secrets.cluster("main").url;
    const lines: [string, number][] = [];
    timers.setTimeout(async () => {
      await fetch(`${url}/v1/sys/health`);
      lines.push(["asked", since(sim)]);
      await new Promise<void>((resolve) => void setImmediate(() => void setImmediate(resolve)));
      lines.push(["immediates", since(sim)]);
      // A stream as a body is there later.
      await fetch(new Request(`${url}/v1/sys/seal-status`, { method: "PUT", body: "{}" }));
      lines.push(["body", since(sim)]);
      timers.setTimeout(() => lines.push(["armed late", since(sim)]), 5);
    }, 10);
    sim.timers.setTimeout(() => lines.push(["next", since(sim)]), 12);
    await sim.clock.run("1s");
    expect(lines).toEqual([
      ["asked", 10],
      ["immediates", 10],
      ["body", 10],
      ["next", 12],
      ["armed late", 15],
    ]);
    expect(since(sim)).toBe(1_000);
  });

  test("files that are read in this process", async () => {
    const sim = createSimulator();
    const lines: number[] = [];
    sim.timers.setTimeout(async () => {
      for (let read = 0; read < 5; read++) await readFile(new URL(import.meta.url));
      lines.push(since(sim));
    }, 10);
    sim.timers.setTimeout(() => undefined, 20);
    await sim.clock.run("1s");
    expect(lines).toEqual([10]);
  });

  test("names that are looked up in this process", async () => {
    const sim = createSimulator();
    const lines: number[] = [];
    sim.timers.setTimeout(async () => {
      for (let asked = 0; asked < 3; asked++) await lookup("localhost");
      lines.push(since(sim));
    }, 10);
    sim.timers.setTimeout(() => undefined, 20);
    await sim.clock.run("1s");
    expect(lines).toEqual([10]);
  });

  test("what busy holds, and nothing else that the simulator cannot see", async () => {
    const sim = createSimulator();
    const realSetTimeout = setTimeout;
    const lines: number[] = [];
    sim.timers.setTimeout(async () => {
      const answer = new Promise<string>((resolve) => void realSetTimeout(() => resolve("done"), 30));
      expect(await sim.busy(answer)).toBe("done");
      lines.push(since(sim));
    }, 10);
    sim.timers.setTimeout(() => undefined, 20);
    await sim.clock.run("1s");
    expect(lines).toEqual([10]);
    expect(() => sim.busy(7 as never)).toThrow(TypeError);
  });

  test("a busy promise that fails holds nothing any more, and its error goes to who waits for it", async () => {
    const sim = createSimulator();
    const failing = sim.busy(Promise.reject(new Error("cut")));
    await expect(failing).rejects.toThrow("cut");
    sim.timers.setTimeout(() => undefined, 10);
    await sim.clock.run("1s");
    expect(since(sim)).toBe(1_000);
  });

  test("and says for what, after a second, and ends with an error after its limit", async () => {
    const warned = warnings();
    const sim = createSimulator();
    void sim.busy(new Promise<void>(() => undefined));
    const run = sim.clock.run("1h", { limit: 1_100 });
    await expect(run).rejects.toThrow(
      /waited for 1100 ms of real time, and still waits for sim\.busy at .*run\.test\.ts:\d+/,
    );
    expect(warned.mock.calls[0]).toEqual([
      expect.stringMatching(/more than a second of real time for sim\.busy at .*run\.test\.ts/),
      expect.objectContaining({ code: "HINDCAST_RUN_WAITS" }),
    ]);
    expect(since(sim)).toBe(0);
  });
});

describe("run", () => {
  test("ends as soon as its condition holds, at its instant", async () => {
    const sim = createSimulator();
    let ticks = 0;
    sim.timers.setInterval(() => void ticks++, 100);
    await sim.clock.run("1h", { until: () => ticks === 3 });
    expect(since(sim)).toBe(300);
    await sim.clock.run("250ms", { until: () => false });
    expect(since(sim)).toBe(550);
    await sim.clock.run("1h", { until: () => true });
    expect(since(sim)).toBe(550);
  });

  test("stops where a callback throws, with the timer's origin", async () => {
    const sim = createSimulator();
    sim.timers.setTimeout(() => {
      throw new Error("no");
    }, 10);
    await expect(sim.clock.run("1h")).rejects.toThrow(/setTimeout of author, armed at .*run\.test\.ts:.*: no$/);
    expect(since(sim)).toBe(10);
  });

  test("lets services or programs come first where both are due", async () => {
    const orders = await Promise.all(
      (["services-first", "programs-first"] as const).map(async (ties) => {
        const sim = createSimulator();
        const main = sim.secrets.cluster("main");
        main.createToken({ policies: ["default"], ttl: "1m" });
        const lines: string[] = [];
        const ended = (): boolean => sim.log.commits().some(({ command }) => command.name === "timer.tokenExpiry");
        for (const name of ["shop", "till"]) {
          sim.program(name).timers.setTimeout(async () => {
            lines.push(`${name} ${ended()}`);
            // What it commits fires nothing that waits for programs.
            main.createToken({ policies: ["default"] });
            await Promise.resolve();
            lines.push(`${name} later ${ended()}`);
          }, 60_000);
        }
        const fired = await sim.clock.run("2m", { ties });
        expect(fired.map(({ dueAtMs }) => dueAtMs)).toEqual([START_MS + 60_000]);
        return lines;
      }),
    );
    expect(orders).toEqual([
      ["shop true", "shop later true", "till true", "till later true"],
      ["shop false", "shop later false", "till false", "till later false"],
    ]);
  });

  test("counts the end of a waiting request among the services", async () => {
    const orders = await Promise.all(
      (["services-first", "programs-first"] as const).map(async (ties) => {
        const sim = createSimulator();
        const region = sim.scheduler.region("global");
        const token = region.as().acl.bootstrap().SecretID ?? "";
        const url = `${region.url}/v1/acl/policies`;
        const headers = { "X-Scheduler-Token": token };
        const index = (await sim.fetch(url, { headers })).headers.get("X-Scheduler-Index");
        const lines: string[] = [];
        void sim.fetch(`${url}?index=${index}&wait=10s`, { headers }).then(() => void lines.push("answer"));
        const [endMs = 0] = sim.clock.waiting().map(({ untilMs }) => untilMs);
        sim.timers.setTimeout(() => void lines.push(`${sim.clock.waiting().length} waiting`), endMs - START_MS);
        await sim.clock.run("1m", { ties });
        return lines;
      }),
    );
    expect(orders).toEqual([
      ["0 waiting", "answer"],
      ["1 waiting", "answer"],
    ]);
  });

  test.each([{ ties: "both" }, { until: 7 }, { limit: "soon" }, { quietTurns: 0 }, { patience: 1 }])(
    "refuses %j",
    async (options) => {
      await expect(createSimulator().clock.run("1s", options as never)).rejects.toThrow(TypeError);
    },
  );
});

describe("mistakes are told", () => {
  test("a timer of the platform that is armed during run, once and with its line", async () => {
    const warned = warnings();
    const sim = createSimulator();
    sim.timers.setTimeout(() => {
      clearTimeout(setTimeout(() => undefined, 1_000));
      clearInterval(setInterval(() => undefined, 1_000));
    }, 10);
    await sim.clock.run("1s");
    expect(warned.mock.calls).toEqual([
      [
        expect.stringMatching(/^setTimeout at .*run\.test\.ts:\d+:\d+ armed a timer that run does not move/),
        expect.objectContaining({ code: "HINDCAST_REAL_TIMER" }),
      ],
    ]);
  });

  test("no timer of the program's own, nor where it is installed", async () => {
    const warned = warnings();
    const sim = createSimulator();
    const undo = sim.timers.install();
    setTimeout(() => void setTimeout(() => undefined, 10), 10);
    await sim.clock.run("1s");
    undo();
    expect(warned).not.toHaveBeenCalled();
  });

  test("a run in which nothing was due, once; one that takes no time, or ends at once, is none", async () => {
    const warned = warnings();
    const sim = createSimulator();
    await sim.clock.run(0);
    await sim.clock.run("1h", { until: () => true });
    expect(warned).not.toHaveBeenCalled();
    await sim.clock.run("1h");
    await sim.clock.run("1h");
    await sim.fork().clock.run("1h");
    expect(warned.mock.calls).toEqual([
      [
        expect.stringContaining('run moved the clock by "1h", and no timer and no deadline was due'),
        expect.objectContaining({ code: "HINDCAST_NOTHING_DUE" }),
      ],
    ]);
  });
});

describe("a quiet turn", () => {
  it("is one in which nobody asks: turns are given until so many in a row bring no request", async () => {
    let asked = 0;
    const asking = [true, true, false, true, false, false];
    let turn = -1;
    const count = (): number => {
      // It is read before and after each turn.
      turn += 0.5;
      if (Number.isInteger(turn) && asking[turn] === true) asked += 1;
      return asked;
    };
    await untilQuiet({ asked: count, held: () => [] }, { ...patience, quietTurns: 2 });
    expect(Math.floor(turn) + 1).toBe(asking.length);
  });

  it("lets everything go on that waits for promises, however long their chain", async () => {
    let asked = 0;
    const client = async (): Promise<void> => {
      for (let request = 0; request < 100; request++) {
        await Promise.resolve();
        asked += 1;
      }
    };
    void client();
    await untilQuiet({ asked: () => asked, held: () => [] }, patience);
    expect(asked).toBe(100);
  });
});
