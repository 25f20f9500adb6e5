import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createSimulator, LogError, rehearse, replay, type Simulator } from "../../../src/index.ts";
import { keepLog, type LivingLog, LivingLogError, listen, loadLog, resumeLog } from "../../../src/node/index.ts";
import { DiskFile } from "../../../src/node/living-log/growing-file.ts";

let folder: string;
let file: string;
let sim: Simulator;
const kept: LivingLog[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hindcast-log-"));
  file = join(folder, "run.ndjson");
  sim = createSimulator({ seed: 5 });
});

afterEach(async () => {
  for (const log of kept.splice(0)) await log.close().catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
});

async function keeping(...args: Parameters<typeof keepLog>): Promise<LivingLog> {
  const log = await keepLog(...args);
  kept.push(log);
  return log;
}

async function resuming(path = file): ReturnType<typeof resumeLog> {
  const resumed = await resumeLog(path);
  kept.push(resumed.log);
  return resumed;
}

function write(key: string, to = sim): void {
  const main = to.secrets.cluster("main");
  main.as(main.rootToken).kv.write({ path: key, value: key });
}

const text = (): string => readFileSync(file, "utf8");
const lines = (): string[] => text().split("\n").slice(0, -1);

describe("the journal", () => {
  const health = (to: Simulator) => to.fetch(`${to.secrets.cluster("main").url}/v1/sys/health`);

  test("stands in the log when it is asked for, and comes back equal", async () => {
    await health(sim);
    const log = await keeping(sim, file, { journal: true });
    write("a");
    sim.note({ believes: "all is well" });
    sim.clock.advance("90s");
    sim.mark("then");
    await health(sim);
    await log.close();
    expect(replay(text()).journal).toEqual(sim.journal);
    expect(sim.journal.map(({ kind }) => kind)).toEqual(["request", "request", "note", "clock", "mark", "request"]);
  });

  test("is in the file soon, although no answer waits for it", async () => {
    const log = await keeping(sim, file, { journal: true });
    await health(sim);
    expect(log.acknowledged()).toBeUndefined();
    await vi.waitFor(() => expect(lines().at(-1)).toContain('"kind":"request"'));
    sim.note("alone");
    await vi.waitFor(() => expect(lines().at(-1)).toContain('"kind":"note"'));
  });

  test("goes on where a log that holds one does", async () => {
    const log = await keeping(sim, file, { journal: true });
    await health(sim);
    await log.close();
    appendFileSync(file, '{"journal":{"kind":"req');
    const { sim: again, log: on, tornBytes } = await resuming();
    expect(tornBytes).toBe(23);
    write("b", again);
    await health(again);
    await on.close();
    const { journal } = replay(text());
    expect(journal).toEqual(again.journal);
    expect(journal.map((entry) => entry.kind === "request" && entry.n)).toEqual([1, 2, 3]);
  });

  test("is that of the simulator with which a log goes on", async () => {
    const log = await keeping(sim, file, { journal: true });
    await health(sim);
    const other = createSimulator({ seed: 6 });
    write("c", other);
    await log.restart(other);
    await health(sim);
    await health(other);
    await log.close();
    expect(replay(text()).journal).toEqual(other.journal);
  });

  test("holds a request that was under way when the log began once it is answered", async () => {
    const region = sim.scheduler.region("global");
    const token = region.as().acl.bootstrap().SecretID ?? "";
    const headers = { "X-Scheduler-Token": token };
    const waiting = sim.fetch(`${region.url}/v1/acl/policies?index=100&wait=10s`, { headers });
    const log = await keeping(sim, file, { journal: true });
    sim.clock.advance("20s");
    await waiting;
    await log.close();
    const requests = replay(text()).journal.filter((entry) => entry.kind === "request");
    expect(requests.map(({ n, response }) => [n, response?.status])).toEqual([
      [1, 200],
      [2, 200],
    ]);
  });

  test("does not stand in a log for which nobody asked", async () => {
    const log = await keeping(sim, file);
    await health(sim);
    write("a");
    await log.close();
    expect(text()).not.toContain('"journal"');
    const { sim: again, log: on } = await resuming();
    await health(again);
    await on.close();
    expect(text()).not.toContain('"journal"');
    await expect(keepLog(sim, join(folder, "other"), { journal: 1 as never })).rejects.toThrow(
      "journal is 1: it is true or false",
    );
  });
});

describe("what is written", () => {
  test("one commit a line, as it happens", async () => {
    const log = await keeping(sim, file);
    write("a");
    write("b");
    await log.flushed();
    expect(lines().filter((line) => line.startsWith('{"position":'))).toHaveLength(2);
    write("c");
    await log.flushed();
    expect(lines().at(-1)).toContain('"path":"c"');
    const again = replay(text());
    expect(again.stateHash()).toBe(sim.stateHash());
    expect(again.log.commits()).toEqual(sim.log.commits());
    expect(await rehearse(text())).toEqual({ ok: true });
  });

  test("what was there before the log was kept", async () => {
    write("a");
    sim.mark("early");
    sim.clock.advance("1h");
    await keeping(sim, file);
    const again = replay(text());
    expect(again.stateHash()).toBe(sim.stateHash());
    expect(again.clock.now()).toBe(sim.clock.now());
    expect(again.at("early").position).toBe(1);
  });

  test("marks, and where the clock was put", async () => {
    const log = await keeping(sim, file);
    write("a");
    sim.mark("after a");
    sim.clock.advance("90s");
    await log.flushed({ instant: true });
    sim.clock.advance("30s");
    write("b");
    sim.mark("after b");
    await log.flushed();
    const again = replay(text());
    expect(again.clock.now()).toBe(sim.clock.now());
    expect([again.at("after a").clock.now(), again.at("after b").position]).toEqual([sim.at("after a").clock.now(), 2]);
  });

  test("an instant that nobody waits for is written a little later", async () => {
    await keeping(sim, file);
    sim.clock.advance("90s");
    await expect.poll(() => replay(text()).clock.now()).toBe(sim.clock.now());
  });

  test("timers' commits, in the order in which they fire", async () => {
    const log = await keeping(sim, file);
    for (const ttl of ["2m", "1m"]) sim.secrets.cluster("main").createToken({ policies: ["default"], ttl });
    sim.clock.advance("1h");
    await log.flushed({ instant: true });
    expect(replay(text()).log.commits()).toEqual(sim.log.commits());
    expect(replay(text()).clock.now()).toBe(sim.clock.now());
  });

  test("a log that was exported reads as before, and one that goes on can be exported", async () => {
    const log = await keeping(sim, file);
    write("a");
    await log.flushed();
    const exported = replay(text()).log.toNdjson();
    expect(exported).toBe(sim.log.toNdjson());
    expect(JSON.parse(exported.split("\n")[0] ?? "")).toMatchObject({ format: 1 });
    expect(JSON.parse(lines()[0] ?? "")).toMatchObject({ format: 2 });
  });

  test("with durability none nothing is waited for, and all is there when it is closed", async () => {
    const log = await keepLog(sim, file, { durability: "none" });
    for (let count = 0; count < 50; count++) write(`key ${count}`);
    expect(log.acknowledged()).toBeUndefined();
    await log.close();
    expect(replay(text()).stateHash()).toBe(sim.stateHash());
  });

  test("refuses options that are none", async () => {
    await expect(keepLog(sim, file, { durability: "maybe" as "none" })).rejects.toThrow('durability is "maybe"');
    await expect(keepLog(sim, file, { fast: true } as object)).rejects.toThrow("fast");
    await expect(keepLog(sim, "")).rejects.toThrow(TypeError);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("coming back", () => {
  test("goes on where it was: later ids, timers and facts are as if nothing had happened", async () => {
    const log = await keepLog(sim, file);
    sim.secrets.cluster("main").createToken({ policies: ["default"], ttl: "1h" });
    write("a");
    await log.close();
    const { sim: again, log: after } = await resuming();
    write("b");
    write("b", again);
    expect(again.secrets.cluster("main").createToken({ policies: ["default"] })).toEqual(
      sim.secrets.cluster("main").createToken({ policies: ["default"] }),
    );
    sim.clock.advance("2h");
    again.clock.advance("2h");
    await after.flushed({ instant: true });
    expect(again.stateHash()).toBe(sim.stateHash());
    expect(replay(text()).stateHash()).toBe(sim.stateHash());
  });

  test("a torn tail is left out, wherever it was torn, and cut off when the log goes on", {
    tags: "full",
  }, async () => {
    const log = await keepLog(sim, file);
    write("a");
    await log.flushed();
    const whole = statSync(file).size;
    write("\u{1f600} b");
    await log.close();
    const all = readFileSync(file);
    for (let size = whole; size < all.length; size++) {
      writeFileSync(file, all.subarray(0, size));
      const { sim: again, tornBytes } = await loadLog(file);
      expect([again.position, tornBytes]).toEqual([1, size - whole]);
    }
    writeFileSync(file, Buffer.concat([all.subarray(0, all.length - 5), Buffer.alloc(3)]));
    const resumed = await resuming();
    expect([resumed.sim.position, resumed.tornBytes]).toEqual([1, all.length - whole - 2]);
    expect(replay(text()).position).toBe(1);
    write("c", resumed.sim);
    await resumed.log.flushed();
    expect(replay(text()).stateHash()).toBe(resumed.sim.stateHash());
  });

  test("damage elsewhere is told by its line, and nothing is changed", async () => {
    const log = await keepLog(sim, file);
    write("a");
    write("b");
    await log.close();
    const damaged = text().replace('"path":"a"', '"path":"x"');
    writeFileSync(file, damaged);
    for (const opening of [loadLog(file), resumeLog(file)]) {
      await expect(opening).rejects.toMatchObject({ name: "LogError", fault: "damaged", line: 3 });
    }
    expect(text()).toBe(damaged);
    expect(readdirSync(folder)).toEqual(["run.ndjson"]);
  });

  test("a file without a whole line is no log", async () => {
    writeFileSync(file, '{"hindcast":"lo');
    await expect(loadLog(file)).rejects.toBeInstanceOf(LogError);
    await expect(loadLog(join(folder, "nothing"))).rejects.toMatchObject({ code: "ENOENT" });
    await expect(resumeLog(join(folder, "nothing"))).rejects.toThrow();
  });

  test("an exported log is loaded, torn or not, and does not go on in its own file", async () => {
    write("a");
    write("b");
    const exported = sim.log.toNdjson();
    writeFileSync(file, exported);
    expect((await loadLog(file)).sim.stateHash()).toBe(sim.stateHash());
    await expect(resumeLog(file)).rejects.toMatchObject({ fault: "ended" });
    writeFileSync(file, exported.slice(0, -20));
    expect((await loadLog(file)).sim.position).toBe(2);
    expect(text()).toBe(exported.slice(0, -20));
  });

  test("a lone moment that was changed, or lies before its time, is told", async () => {
    const log = await keepLog(sim, file);
    sim.clock.advance("90s");
    await log.close();
    writeFileSync(file, text().replace("00:01:30", "00:01:31"));
    await expect(loadLog(file)).rejects.toMatchObject({ fault: "damaged" });
  });
});

describe("what cannot be written", () => {
  test("a file that holds something is not overwritten", async () => {
    writeFileSync(file, "dear diary\n");
    await expect(keepLog(sim, file)).rejects.toMatchObject({ fault: "not_empty" });
    expect(text()).toBe("dear diary\n");
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test("a log that somebody holds is refused, until it is closed", async () => {
    const log = await keepLog(sim, file);
    await expect(keepLog(createSimulator(), file)).rejects.toMatchObject({ fault: "held" });
    await expect(resumeLog(file)).rejects.toThrow(`process ${process.pid} on ${hostname()}`);
    await log.close();
    await resuming();
  });

  test("a lock of a process that is gone is taken over, and one of another machine is not", async () => {
    const gone = spawnSync(process.execPath, ["-e", "0"]).pid;
    const lock = (holder: object): void => writeFileSync(`${file}.lock`, JSON.stringify(holder));
    lock({ pid: gone, host: hostname() });
    await (await keepLog(sim, file)).close();
    // The number was given again.
    lock({ pid: process.pid, host: hostname(), begun: "another run:1" });
    await (await resumeLog(file)).log.close();
    lock({ pid: gone, host: "another-machine" });
    await expect(resumeLog(file)).rejects.toMatchObject({ fault: "held" });
    lock({ nonsense: true });
    await expect(resumeLog(file)).rejects.toMatchObject({ fault: "held" });
    expect(readdirSync(folder).sort()).toEqual(["run.ndjson", "run.ndjson.lock"]);
  });

  test("of many who find a lock without a holder one takes it", async () => {
    const gone = spawnSync(process.execPath, ["-e", "0"]).pid;
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: gone, host: hostname() }));
    const tried = await Promise.allSettled(Array.from({ length: 8 }, () => keepLog(createSimulator(), file)));
    const taken = tried.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    kept.push(...taken);
    expect(taken).toHaveLength(1);
  });

  test("a folder, and a folder that is not there, are told at the start", async () => {
    mkdirSync(file);
    await expect(keepLog(sim, file)).rejects.toMatchObject({ name: "LivingLogError", fault: "not_writable" });
    await expect(keepLog(sim, join(folder, "no/where"))).rejects.toThrow("ENOENT");
  });

  test.runIf(process.platform === "linux" && process.getuid?.() === 0)(
    "a file that may not be written is told at the start",
    async () => {
      await (await keepLog(sim, file)).close();
      chmodSync(file, 0o444);
      chmodSync(folder, 0o777);
      chownSync(folder, 65_534, 65_534);
      process.seteuid?.(65_534);
      try {
        await expect(resumeLog(file)).rejects.toThrow("EACCES");
      } finally {
        process.seteuid?.(0);
      }
    },
  );

  test("while the disk is full no write is acknowledged, and later nothing is missing", async () => {
    const log = await keeping(sim, file);
    const server = await listen(sim, { log });
    const { rootToken } = sim.secrets.cluster("main");
    const put = (key: string): Promise<Response> =>
      fetch(`${server.urls.secrets["main"]}/v1/kv/${key}`, {
        method: "POST",
        headers: { "X-Secrets-Token": rootToken, "Content-Type": "application/json" },
        body: '{"value":"x"}',
      });
    try {
      expect((await put("a")).status).toBe(204);
      const startedAt = sim.clock.now();
      const full = vi.spyOn(DiskFile.prototype, "append").mockImplementation(async function (this: DiskFile, bytes) {
        // Half of it got there, as with a real one.
        appendFileSync(file, bytes.subarray(0, bytes.length / 2));
        throw Object.assign(new Error("write"), { code: "ENOSPC" });
      });
      const refused = await put("b");
      expect(refused.status).toBe(503);
      expect(((await refused.json()) as { errors: string[] }).errors.join()).toContain("the disk is full (ENOSPC)");
      const position = sim.position;
      // Each service says so in its own form, the second time, too.
      const runs = await fetch(`${server.urls.runs}/api/v2/policy-checks/x`);
      expect([runs.status, runs.headers.get("content-type")]).toEqual([503, "application/vnd.api+json"]);
      // A clock that follows waits, and fires nothing.
      server.followClock({ factor: 1_000_000 });
      await put("c");
      server.stopClock();
      expect(sim.clock.now()).toBe(startedAt);
      // Reads show what is not in the file: they wait for it, too. And nothing more is decided.
      const read = await fetch(`${server.urls.secrets["main"]}/v1/kv/b`, { headers: { "X-Secrets-Token": rootToken } });
      expect(read.status).toBe(503);
      expect((await put("c")).status).toBe(503);
      expect(sim.position).toBe(position);
      expect(log.failure).toBeInstanceOf(LivingLogError);
      full.mockRestore();
      expect((await put("d")).status).toBe(204);
      expect(log.failure).toBeUndefined();
    } finally {
      await server.close();
    }
    const { sim: again } = await loadLog(file).catch(() => loadLog(file));
    expect(again.stateHash()).toBe(sim.stateHash());
  });

  test("a log that was closed acknowledges nothing", async () => {
    const log = await keepLog(sim, file);
    await log.close();
    await log.close();
    await expect(log.flushed()).rejects.toMatchObject({ fault: "closed" });
  });
});

describe("starting again", () => {
  test("the file then holds the log of the other one, and nothing else is left", async () => {
    const log = await keeping(sim, file);
    write("a");
    write("b");
    const fork = sim.fork(1);
    write("c", fork);
    await log.restart(fork);
    expect(replay(text()).stateHash()).toBe(fork.stateHash());
    write("d", fork);
    write("ignored", sim);
    await log.flushed();
    expect(replay(text()).stateHash()).toBe(fork.stateHash());
    expect(readdirSync(folder).sort()).toEqual(["run.ndjson", "run.ndjson.lock"]);
  });

  test("nobody is answered from it before the file is there, not even for a read", async () => {
    const log = await keeping(sim, file);
    write("a");
    await log.flushed();
    const starting = log.restart(sim.fork(0));
    const waiting = log.acknowledged();
    expect(waiting).toBeInstanceOf(Promise);
    await waiting;
    expect(replay(text()).position).toBe(0);
    await starting;
    mkdirSync(`${file}.new`);
    const failing = log.restart(sim);
    const refused = log.acknowledged();
    await Promise.all([failing, refused].map((each) => expect(each).rejects.toBeInstanceOf(LivingLogError)));
    rmSync(`${file}.new`, { recursive: true });
  });

  test("one that cannot be written leaves the log of before, and goes on with it", async () => {
    const log = await keeping(sim, file);
    write("a");
    await log.flushed();
    const before = text();
    mkdirSync(`${file}.new`);
    await expect(log.restart(createSimulator({ seed: 9 }))).rejects.toBeInstanceOf(LivingLogError);
    expect(text()).toBe(before);
    write("b");
    await log.flushed();
    expect(replay(text()).stateHash()).toBe(sim.stateHash());
    rmSync(`${file}.new`, { recursive: true });
  });
});
