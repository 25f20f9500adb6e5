import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSimulator, type Simulator } from "hindcast";
import { Keeper } from "./keeper.ts";
import type { Mode, Place } from "./modes.ts";
import { Poller } from "./poller.ts";
import { Pool } from "./pool.ts";
import { Runbook } from "./runbook.ts";
import { keptIn, Watcher } from "./watcher.ts";

export const START_MS = Date.UTC(2026, 0);
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY_HOURS = 24;

/** Runs a program in a mode, which is closed whatever becomes of it. */
async function within<T>(
  mode: Mode,
  sim: Simulator,
  work: (place: Place, drive: (hours: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  const { place, drive, close } = mode.open(sim);
  try {
    return await work(place, drive);
  } finally {
    close();
  }
}

/** What five programs do for a day, each with the simulator that it met. */
export const stories = {
  keeper: (mode: Mode) => keeping(mode, createSimulator(), DAY_HOURS),

  keeperInOutage: (mode: Mode) => {
    const sim = createSimulator();
    const service = sim.secrets.cluster("main");
    sim.faults.schedule("39m", { type: "faults.failNextRequests", args: [{ service, count: 3, status: 503 }] });
    return keeping(mode, sim, 1);
  },

  pool: (mode: Mode) => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const owner = main.as(main.rootToken);
    const base = "ou=service,dc=example,dc=com";
    owner.ldapConfig.write({ binddn: `cn=engine,${base}`, bindpass: "bind", userdn: base, userattr: "cn" });
    sim.directory.addSuffix(base);
    const accounts = ["svc-1", "svc-2", "svc-3"];
    for (const cn of accounts) sim.directory.addEntry(`cn=${cn},${base}`, { cn });
    owner.library.write({ set_name: "ops", service_account_names: accounts });
    return within(mode, sim, async (place, drive) => {
      const pool = new Pool(place, main.url, main.rootToken);
      pool.start(20);
      await drive(DAY_HOURS);
      return { sim, told: pool.told, refused: pool.refused };
    });
  },

  watcher: async (mode: Mode) => {
    const sim = createSimulator({ scheduler: { maxBlockingWait: "5m" } });
    const region = sim.scheduler.region("global");
    const token = region.as().acl.bootstrap().SecretID ?? "";
    const folder = await mkdtemp(join(tmpdir(), "hindcast-watcher-"));
    try {
      return await within(mode, sim, async (place, drive) => {
        const giveUp = new AbortController();
        const watcher = new Watcher(place, region.url, token, keptIn(join(folder, "policies.json")));
        const watching = watcher.watch(giveUp.signal).catch((error: unknown) => error);
        for (const hour of [1, 2, 3]) {
          const body = { policy_name: `p${hour}`, Name: `p${hour}`, Rules: "" };
          sim.timers.setTimeout(() => region.as(token).policies.write(body), hour * HOUR + 20 * SECOND);
        }
        await drive(4);
        giveUp.abort();
        const ended = String(await watching);
        return { sim, told: watcher.told, answers: watcher.answers, ended };
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  },

  poller: (mode: Mode) => {
    const sim = createSimulator();
    sim.runs.createOrganization({ name: "acme" });
    const { id: workspace } = sim.runs.createWorkspace({ organization: "acme", name: "web" });
    const grants = { owner: true } as const;
    const { token } = sim.runs.createToken({ kind: "user", organization: "acme", user: "ann", grants });
    return within(mode, sim, async (place, drive) => {
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
      return { sim, told: poller.told, expected };
    });
  },

  runbook: (mode: Mode) => {
    const sim = createSimulator({ secrets: { clusters: ["east", "west"] } });
    const [east, west] = [sim.secrets.cluster("east"), sim.secrets.cluster("west")];
    sim.faults.schedule("7h", { type: "network.stop", args: [east] });
    sim.faults.schedule("9h30m", { type: "network.start", args: [east] });
    return within(mode, sim, async (place, drive) => {
      const runbook = new Runbook(place, [east.url, west.url]);
      void runbook.watch();
      await drive(DAY_HOURS);
      return { sim, told: runbook.told };
    });
  },
};

function keeping(mode: Mode, sim: Simulator, hours: number) {
  const main = sim.secrets.cluster("main");
  const { token } = main.createToken({ policies: ["root"], period: "1h" });
  return within(mode, sim, async (place, drive) => {
    const keeper = new Keeper(place, main.url, token);
    keeper.start();
    await drive(hours);
    const { ttl } = main.as(token).tokens.lookupSelf().data;
    return { sim, told: keeper.told, ttl };
  });
}
