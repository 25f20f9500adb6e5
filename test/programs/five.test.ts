import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { Keeper } from "./keeper.ts";
import { type Mode, modes, type Place } from "./modes.ts";
import { Poller } from "./poller.ts";
import { Pool } from "./pool.ts";
import { Runbook } from "./runbook.ts";
import { Watcher } from "./watcher.ts";

const START_MS = Date.UTC(2026, 0);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY_HOURS = 24;

let close: () => void = () => undefined;

afterEach(() => close());

/** Opens a mode for a test; whatever becomes of the test, it is closed. */
function opened(
  mode: Mode,
  sim: Simulator,
): { readonly place: Place; readonly drive: (hours: number) => Promise<void> } {
  const open = mode.open(sim);
  close = open.close;
  return open;
}

/** Every so often, from the first time on, for a day. */
function every(ms: number, fromMs = 0): number[] {
  const count = Math.floor((DAY_HOURS * HOUR - fromMs) / ms) + 1;
  return Array.from({ length: count }, (_, index) => fromMs + index * ms);
}

describe.each(modes)("24 hours, $name", (mode) => {
  test("the keeper renews at two thirds and reads again before a lease ends, each to the millisecond", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const { token } = main.createToken({ policies: ["root"], period: "1h" });
    const { place, drive } = opened(mode, sim);
    const keeper = new Keeper(place, main.url, token);
    keeper.start();
    await drive(DAY_HOURS);
    const at = (wanted: string): number[] =>
      keeper.told.flatMap(([what, atMs]) => (what === wanted ? [atMs - START_MS] : []));
    expect(at("renewed")).toEqual(every(40 * MINUTE));
    expect(at("read")).toEqual(every(24 * MINUTE));
    expect(at("failed")).toEqual([]);
    expect(main.as(token).tokens.lookupSelf()).toBeDefined();
  });

  test("the keeper comes back from an outage", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const { token } = main.createToken({ policies: ["root"], period: "1h" });
    sim.faults.schedule("39m", { type: "faults.failNextRequests", args: [{ service: main, count: 3, status: 503 }] });
    const { place, drive } = opened(mode, sim);
    const keeper = new Keeper(place, main.url, token);
    keeper.start();
    await drive(1);
    expect(keeper.told.map(([what, atMs]) => [what, (atMs - START_MS) / SECOND])).toEqual([
      ["renewed", 0],
      ["read", 0],
      ["read", 1_440],
      ["failed", 2_400],
      ["failed", 2_410],
      ["failed", 2_440],
      ["renewed", 2_500],
      ["read", 2_880],
    ]);
  });

  const tags = mode.name === "injected" ? [] : ["full"];
  test("twenty workers share three accounts, and wait where all are lent", { tags }, async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const owner = main.as(main.rootToken);
    const base = "ou=service,dc=example,dc=com";
    owner.ldapConfig.write({ binddn: `cn=engine,${base}`, bindpass: "bind", userdn: base, userattr: "cn" });
    sim.directory.addSuffix(base);
    const accounts = ["svc-1", "svc-2", "svc-3"];
    for (const cn of accounts) sim.directory.addEntry(`cn=${cn},${base}`, { cn });
    owner.library.write({ set_name: "ops", service_account_names: accounts });
    const { place, drive } = opened(mode, sim);
    const pool = new Pool(place, main.url, main.rootToken);
    pool.start(20);
    await drive(DAY_HOURS);
    const lent = new Set<string>();
    for (const [, what, account] of pool.told) {
      expect(lent.has(account)).toBe(what === "returned");
      if (what === "borrowed") lent.add(account);
      else lent.delete(account);
    }
    const borrowed = Array.from(
      { length: 20 },
      (_, worker) => pool.told.filter(([who, what]) => who === worker && what === "borrowed").length,
    );
    expect(Math.min(...borrowed)).toBeGreaterThan(10);
    expect(pool.refused).toBeGreaterThan(0);
    expect(pool.told.every(([, , , atMs]) => (atMs - START_MS) % (10 * SECOND) === 0)).toBe(true);
  });

  test("the watcher has each change in its file at the instant of the change", async () => {
    const sim = createSimulator({ scheduler: { maxBlockingWait: "5m" } });
    const region = sim.scheduler.region("global");
    const token = region.as().acl.bootstrap().SecretID ?? "";
    const folder = await mkdtemp(join(tmpdir(), "hindcast-watcher-"));
    const giveUp = new AbortController();
    const { place, drive } = opened(mode, sim);
    const watcher = new Watcher(place, region.url, token, join(folder, "policies.json"));
    const watching = watcher.watch(giveUp.signal).catch((error: unknown) => error);
    const changes = [1, 2, 3].map((hour) => ({ name: `p${hour}`, atMs: hour * HOUR + 20 * SECOND }));
    for (const { name, atMs } of changes) {
      sim.timers.setTimeout(() => region.as(token).policies.write({ policy_name: name, Name: name, Rules: "" }), atMs);
    }
    await drive(4);
    giveUp.abort();
    expect(await watching).toMatchObject({ name: "AbortError" });
    await rm(folder, { recursive: true });
    expect(watcher.told).toEqual([
      ["p1", START_MS + 1 * HOUR + 20 * SECOND],
      ["p1 p2", START_MS + 2 * HOUR + 20 * SECOND],
      ["p1 p2 p3", START_MS + 3 * HOUR + 20 * SECOND],
    ]);
    // Its patience is five minutes, and up to a sixteenth of that more.
    expect(watcher.answers).toBeGreaterThan(40);
  });

  test("the poller sees each check to its end, or gives up", async () => {
    const sim = createSimulator();
    sim.runs.createOrganization({ name: "acme" });
    const { id: workspace } = sim.runs.createWorkspace({ organization: "acme", name: "web" });
    const { token } = sim.runs.createToken({
      kind: "user",
      organization: "acme",
      user: "ann",
      grants: { owner: true },
    });
    const { place, drive } = opened(mode, sim);
    const poller = new Poller(place, sim.runs.url, token);
    const expected: [string, string, number][] = [];
    let runs = 0;
    sim.timers.setInterval(() => {
      const isSlow = ++runs % 5 === 0;
      const { policyCheckIds } = sim.runs.createRun({
        workspace,
        timing: { planMs: "20s", checkMs: isSlow ? "10m" : "30s" },
        policyChecks: [{ policies: [{ name: "tags", level: "hard-mandatory", result: true }] }],
        autoApply: true,
      });
      const [check = ""] = policyCheckIds;
      void poller.wait(check);
      expected.push([check, isSlow ? "given up" : "passed", runs * HOUR + (isSlow ? 120 : 50) * SECOND]);
    }, HOUR);
    await drive(DAY_HOURS - 0.5);
    expect(poller.told.map(([check, status, atMs]) => [check, status, atMs - START_MS])).toEqual(expected);
    expect(expected).toHaveLength(23);
  });

  test("the runbook fails over after three looks, and back", async () => {
    const sim = createSimulator({ secrets: { clusters: ["east", "west"] } });
    const [east, west] = [sim.secrets.cluster("east"), sim.secrets.cluster("west")];
    sim.faults.schedule("7h", { type: "network.stop", args: [east] });
    sim.faults.schedule("9h30m", { type: "network.start", args: [east] });
    const { place, drive } = opened(mode, sim);
    const runbook = new Runbook(place, [east.url, west.url]);
    void runbook.watch();
    await drive(DAY_HOURS);
    expect(runbook.told.map(([to, atMs]) => [to, atMs - START_MS])).toEqual([
      [west.url, 7 * HOUR + 40 * SECOND],
      [east.url, 9.5 * HOUR + 40 * SECOND],
    ]);
  });
});

test("a keeper that was given no timers is told of", async () => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  const { token } = main.createToken({ policies: ["root"], period: "1h" });
  const armed: NodeJS.Timeout[] = [];
  const place: Place = {
    fetch: sim.fetch,
    setTimeout: (callback, ms) => armed.push(setTimeout(callback, ms)),
    clearTimeout: () => undefined,
    now: () => Date.now(),
  };
  new Keeper(place, main.url, token).start();
  await sim.clock.run("1h");
  for (const timer of armed) clearTimeout(timer);
  expect(warned.mock.calls.map(([, options]) => (options as unknown as { code: string }).code)).toContain(
    "HINDCAST_REAL_TIMER",
  );
});
