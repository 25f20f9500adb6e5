import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSimulator, replay, type Simulator } from "../../src/index.ts";
import { Keeper } from "./keeper.ts";
import { injected, type Place } from "./modes.ts";
import { Poller } from "./poller.ts";
import { Pool } from "./pool.ts";
import { Runbook } from "./runbook.ts";
import { keptIn, Watcher } from "./watcher.ts";

// The programs under every fault at every request: whatever a request meets, each does what it is for.

function placeIn(sim: Simulator): Place {
  return injected.open(sim).place;
}

describe("under every fault at every request", () => {
  test("the keeper keeps its token alive", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const { token } = main.createToken({ policies: ["root"], period: "1h" });
    const { requests } = await sim.forEachRequest(
      async (fork) => {
        new Keeper(placeIn(fork), main.url, token).start();
        await fork.clock.run("100m");
      },
      { check: (fork) => void fork.secrets.cluster("main").as(token).tokens.lookupSelf() },
    );
    expect(requests).toBe(8);
  });

  test("the poller sees a check to its end", async () => {
    const sim = createSimulator();
    sim.runs.createOrganization({ name: "acme" });
    const { id: workspace } = sim.runs.createWorkspace({ organization: "acme", name: "web" });
    const { token } = sim.runs.createToken({
      kind: "user",
      organization: "acme",
      user: "ann",
      grants: { owner: true },
    });
    const { policyCheckIds } = sim.runs.createRun({
      workspace,
      timing: { planMs: "10s", checkMs: "20s" },
      policyChecks: [{ policies: [{ name: "tags", level: "hard-mandatory", result: true }] }],
    });
    await sim.forEachRequest(async (fork) => {
      const poller = new Poller(placeIn(fork), fork.runs.url, token);
      const waiting = poller.wait(policyCheckIds[0] ?? "");
      await fork.clock.run("3m");
      await waiting;
      expect(poller.told.map(([, status]) => status)).toEqual(["passed"]);
    });
  });

  test("the pool's workers all get their turn", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const owner = main.as(main.rootToken);
    const base = "ou=service,dc=example,dc=com";
    owner.ldapConfig.write({ binddn: `cn=engine,${base}`, bindpass: "bind", userdn: base, userattr: "cn" });
    sim.directory.addSuffix(base);
    const accounts = ["svc-1", "svc-2"];
    for (const cn of accounts) sim.directory.addEntry(`cn=${cn},${base}`, { cn });
    owner.library.write({ set_name: "ops", service_account_names: accounts, ttl: "15m", max_ttl: "15m" });
    await sim.forEachRequest(async (fork) => {
      const pool = new Pool(placeIn(fork), main.url, main.rootToken);
      pool.start(2);
      await fork.clock.run("30m");
      const borrowers = pool.told.flatMap(([who, what]) => (what === "borrowed" ? [who] : []));
      expect(new Set(borrowers)).toEqual(new Set([0, 1]));
    });
  });

  test("the watcher learns of each change", async () => {
    const sim = createSimulator({ scheduler: { maxBlockingWait: "5m" } });
    const region = sim.scheduler.region("global");
    const token = region.as().acl.bootstrap().SecretID ?? "";
    const folder = await mkdtemp(join(tmpdir(), "hindcast-watcher-"));
    await sim.forEachRequest(async (fork) => {
      const giveUp = new AbortController();
      const watcher = new Watcher(placeIn(fork), region.url, token, keptIn(join(folder, "policies.json")));
      const watching = watcher.watch(giveUp.signal).catch((error: unknown) => error);
      const here = fork.scheduler.region("global").as(token);
      for (const name of ["p1", "p2"]) {
        await fork.clock.run("1m");
        here.policies.write({ policy_name: name, Name: name, Rules: "" });
      }
      await fork.clock.run("20m");
      giveUp.abort();
      await fork.clock.run("1m");
      await watching;
      expect(watcher.told.at(-1)?.[0]).toBe("p1 p2");
    });
    await rm(folder, { recursive: true });
  });

  test("the runbook fails over to the cluster that is there", async () => {
    const sim = createSimulator({ secrets: { clusters: ["east", "west"] } });
    const [east, west] = [sim.secrets.cluster("east"), sim.secrets.cluster("west")];
    await sim.forEachRequest(
      async (fork) => {
        const runbook = new Runbook(placeIn(fork), [east.url, west.url]);
        void runbook.watch();
        await fork.clock.run("50s");
        fork.network.stop(east);
        await fork.clock.run("3m");
        expect(runbook.told.map(([to]) => to)).toEqual([west.url]);
      },
      { faults: ["lose-request", "lose-answer", "reset", "hang", "503", "cut"] },
    );
  });
});

describe("what it finds", () => {
  test("is told with the request, the fault, and a log that repeats it", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const headers = { "X-Secrets-Token": main.rootToken };
    const url = `${main.url}/v1/auth/token/create`;
    // A token is made again when its answer is lost, and the first one stays.
    const story = async (fork: Simulator): Promise<void> => {
      const ask = () => fork.fetch(url, { method: "POST", headers, body: '{"policies":["default"]}' });
      await ask().catch(ask);
    };
    const before = sim.log.toNdjson();
    const check = (fork: Simulator): void => {
      const { keys } = fork.secrets.cluster("main").as(main.rootToken).tokens.accessors().data;
      if (keys.length !== 2) throw new Error(`there are ${keys.length - 1} tokens`);
    };
    const found = await sim.forEachRequest(story, { check, faults: ["lose-request", "lose-answer"] }).catch((e) => e);
    expect(found).toBeInstanceOf(AggregateError);
    expect(found.errors.map((error: Error) => error.message)).toEqual([
      `request 1 of 1, POST ${url}, lose-answer: there are 2 tokens\n` +
        '  seed 1, { only: { request: 1, fault: "lose-answer" } } repeats it alone',
    ]);
    const [failure] = found.errors;
    expect(failure).toMatchObject({ request: { n: 1, program: "author", method: "POST", url }, fault: "lose-answer" });
    const again = replay(failure.log);
    expect(() => check(again)).toThrow("there are 2 tokens");
    expect(again.journal[0]).toMatchObject({ kind: "request", fault: "lose-answer" });
    expect(sim.log.toNdjson()).toBe(before);
  });

  test("is repeated alone by what its message says", async () => {
    const sim = createSimulator();
    const { url } = sim.secrets.cluster("main");
    const met: number[] = [];
    const story = async (fork: Simulator): Promise<void> => {
      const answers = [await fork.fetch(`${url}/v1/sys/health`), await fork.fetch(`${url}/v1/sys/seal-status`)];
      met.push(...answers.map(({ status }) => status));
      if (answers[1]?.status !== 200) throw new Error("no status");
    };
    const only = { request: 2, fault: "503" } as const;
    const found = await sim.forEachRequest(story, { only }).catch((error) => error);
    expect(met).toEqual([200, 200, 200, 503]);
    expect(found.errors).toHaveLength(1);
    expect(found.errors[0].message).toContain('{ only: { request: 2, fault: "503" } }');
    const rule = { path: "/v1/sys/health", effect: { kind: "status", status: 503 } } as const;
    await expect(sim.forEachRequest(story, { only: { request: 1, fault: rule } })).resolves.toEqual({
      runs: 2,
      requests: 2,
    });
    const none = sim.forEachRequest(story, { only: { request: 2, fault: rule } });
    await expect(none).rejects.toThrow(/^forEachRequest: only is .*none of the 2 requests/);
    const wrong = sim.forEachRequest(story, { only: { request: 1, faults: [] } as never });
    await expect(wrong).rejects.toThrow(/^forEachRequest: only: faults is no option: there is request, fault/);
  });

  test("is a story that waits for ever", async () => {
    const sim = createSimulator();
    const { url } = sim.secrets.cluster("main");
    const story = async (fork: Simulator): Promise<void> => void (await fork.fetch(`${url}/v1/sys/health`));
    await expect(sim.forEachRequest(story, { faults: ["hang"] })).rejects.toThrow(
      /request 1 of 1, GET .*health, hang: the story waits for ever, for GET/,
    );
  });

  test("is the story's own error where it fails without a fault", async () => {
    const sim = createSimulator();
    await expect(sim.forEachRequest(() => Promise.reject(new Error("of the story")))).rejects.toThrow(/^of the story$/);
    await expect(sim.forEachRequest(() => undefined, { faults: ["storm" as never] })).rejects.toThrow(/storm/);
    expect(await sim.forEachRequest(() => undefined)).toEqual({ runs: 1, requests: 0 });
  });
});
