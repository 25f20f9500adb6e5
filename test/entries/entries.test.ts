import { fileURLToPath } from "node:url";
import * as all from "hindcast";
import * as runs from "hindcast/runs";
import * as scheduler from "hindcast/scheduler";
import * as secrets from "hindcast/secrets";
import { build, type Rolldown } from "vite";
import { describe, expect, test } from "vitest";
import { SERVICE_NAMES } from "../../src/simulator/options.ts";

const entries = { runs, scheduler, secrets };
const project = fileURLToPath(new URL("../../", import.meta.url));

/** What entries have in common. */
interface Entry {
  createSimulator(options: object): Made;
  replay(log: string): Made;
}

interface Made {
  readonly log: { toNdjson(): string };
  readonly faults: { schedule(when: string, fault: never): void };
  operations(): unknown[];
}

describe("the entry of the run service", () => {
  test("answers by both doors, and goes on from its log", async () => {
    const sim = runs.createSimulator({ seed: 7 });
    sim.runs.createOrganization({ name: "acme" });
    sim.runs.createWorkspace({ organization: "acme", name: "network" });
    sim.clock.advance("1m");
    expect((await sim.fetch(`${sim.runs.url}/api/v2/runs/run-none`)).status).toBe(401);
    const again = runs.replay(sim.log.toNdjson());
    expect([again.stateHash(), runs.diff(sim, again)]).toEqual([sim.stateHash(), []]);
    expect(await runs.rehearse(sim.log.toNdjson())).toEqual({ ok: true });
  });
});

describe("the entry of the scheduler", () => {
  test("answers by both doors, and goes on from its log", async () => {
    const sim = scheduler.createSimulator({ seed: 7, scheduler: { regions: ["eu", "us"] } });
    const eu = sim.scheduler.region("eu");
    sim.network.cut(eu, sim.scheduler.region("us"));
    expect((await sim.fetch(`${eu.url}/v1/acl/bootstrap`, { method: "POST" })).status).toBe(200);
    const again = scheduler.replay(sim.log.toNdjson());
    expect([again.stateHash(), scheduler.diff(sim, again)]).toEqual([sim.stateHash(), []]);
    expect(await scheduler.rehearse(sim.log.toNdjson())).toEqual({ ok: true });
  });
});

describe("the entry of the secrets service", () => {
  test("answers by both doors, and goes on from its log", async () => {
    const sim = secrets.createSimulator({ seed: 7, secrets: { clusters: ["east", "west"] } });
    const east = sim.secrets.cluster("east");
    const token = { "x-secrets-token": east.rootToken };
    expect((await sim.fetch(`${east.url}/v1/auth/token/lookup-self`, { headers: token })).status).toBe(200);
    sim.faults.failNextRequests({ service: east, count: 1 });
    expect(sim.lossReport(east, sim.secrets.cluster("west"))).toEqual([]);
    const again = await secrets.replay(sim.log.lines());
    expect([again.stateHash(), secrets.diff(sim, again)]).toEqual([sim.stateHash(), []]);
    expect(await secrets.rehearse(sim.log.toNdjson())).toEqual({ ok: true });
  });
});

describe.each(SERVICE_NAMES)("hindcast/%s", (name) => {
  const entry: Entry = entries[name];
  const others = SERVICE_NAMES.filter((other) => other !== name);

  test("has the operations of its service alone", () => {
    const own = all.createSimulator().operations();
    expect(entry.createSimulator({}).operations()).toEqual(own.filter((info) => info.name.startsWith(`${name}.`)));
  });

  test.each(others)("refuses options of %s by name", (other) => {
    expect(() => entry.createSimulator({ [other]: {} })).toThrow(
      `createSimulator: there is no service ${other} here: import createSimulator from "hindcast"`,
    );
  });

  test.each(others)(
    "refuses a log of %s, and one of all services, by the name of the service that is not there",
    (other) => {
      const log = (made: Entry): string => made.createSimulator({}).log.toNdjson();
      expect(() => entry.replay(log(entries[other]))).toThrow(
        `replay: there is no service ${other} here, and the log has it: import replay from "hindcast/${other}"`,
      );
      expect(() => entry.replay(log(all))).toThrow(
        `replay: there is no service ${others[0]} here, and the log has it: import replay from "hindcast"`,
      );
    },
  );

  test("makes logs that the entry of all services refuses by name", async () => {
    const log = entry.createSimulator({}).log.toNdjson();
    const why = `replay: the log has no service ${others[0]}, and here it is: import replay from "hindcast/${name}"`;
    expect(() => all.replay(log)).toThrow(why);
    await expect(all.rehearse(log)).rejects.toThrow(why);
  });

  test("has the surroundings of its service alone", () => {
    const engines = ["directory", "stores", "orchestrator"];
    const sim = entry.createSimulator({});
    const here = [...SERVICE_NAMES, ...engines].filter((member) => member in sim);
    expect(here).toEqual([name, ...(name === "secrets" ? engines : [])]);
    const sources = [...(name === "secrets" ? ["directory", "orchestrator", "stores"] : []), "network", "faults"];
    expect(() => sim.faults.schedule("1s", { type: "directory.none", args: [] } as never)).toThrow(
      `faults.schedule: "directory.none" is no call that can be scheduled: those of ${sources.join(", ")} can`,
    );
  });

  test("loads nothing of the other services", async () => {
    const files = await filesOf(name);
    expect(files.some((file) => file.startsWith(`src/services/${name}/`))).toBe(true);
    expect(files.filter((file) => others.some((other) => file.startsWith(`src/services/${other}/`)))).toEqual([]);
    const engines = /^src\/surroundings\/(directory|orchestrator|stores)\//;
    expect(files.some((file) => engines.test(file))).toBe(name === "secrets");
  });
});

/** The files of ours that a built entry opens at once hold. */
async function filesOf(entry: string): Promise<string[]> {
  const built = (await build({ root: project, mode: "build", logLevel: "silent", build: { write: false } })) as
    | Rolldown.RolldownOutput
    | Rolldown.RolldownOutput[];
  const chunks = [built].flat().flatMap(({ output }) => output.filter((part) => part.type === "chunk"));
  const opened = new Set([`src/${entry}.js`]);
  for (const name of opened) {
    for (const imported of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) opened.add(imported);
  }
  const held = chunks.filter(({ fileName }) => opened.has(fileName)).flatMap(({ moduleIds }) => moduleIds);
  return held.filter((file) => file.startsWith(project)).map((file) => file.slice(project.length));
}
