import http from "node:http";
import https from "node:https";
import net from "node:net";
import { Readable } from "node:stream";
import { expect, test } from "vitest";

// Without interception nothing of the user's globals is touched.

/** Everything of a process that an import or a request could have changed, by its name. */
function seen(): ReadonlyMap<string, unknown> {
  const all = new Map<string, unknown>();
  const note = (owner: string, object: object): void => {
    for (const key of Reflect.ownKeys(object)) {
      const { value, get, set } = Reflect.getOwnPropertyDescriptor(object, key) as PropertyDescriptor;
      all.set(`${owner}.${String(key)}`, value ?? get ?? set);
    }
  };
  note("globalThis", globalThis);
  for (const one of [Object, Array, Function, Promise, Map, Request, Response, Headers, EventTarget]) {
    note(`${one.name}.prototype`, one.prototype as object);
  }
  note("http.Agent.prototype", http.Agent.prototype);
  note("https.Agent.prototype", https.Agent.prototype);
  note("http.ClientRequest.prototype", http.ClientRequest.prototype);
  note("net.Socket.prototype", net.Socket.prototype);
  note("Readable.prototype", Readable.prototype);
  note("http", http);
  note("https", https);
  note("env", process.env);
  for (const name of process.eventNames()) all.set(`listeners of ${String(name)}`, process.listenerCount(name));
  return all;
}

/** The names of what is not the very same. */
function changed(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => !Object.is(before.get(name), after.get(name)));
}

// Libraries that others have chosen do what they do; so they are there before the first look. undici, when it is imported, makes
// a global dispatcher of its own unless there is one.
await import("undici");
await import("msw");
// Node replaces these when they are first read.
void [atob, btoa];

test.each<[entry: string, use: () => Promise<unknown>]>([
  [
    "hindcast",
    async () => {
      const { createSimulator } = await import("../../src/index.ts");
      const sim = createSimulator();
      await sim.fetch(`${sim.secrets.cluster("main").url}/v1/sys/health`);
      sim.clock.advance("1d");
    },
  ],
  [
    "hindcast/node",
    async () => {
      const { createSimulator } = await import("../../src/index.ts");
      const { httpAgent } = await import("../../src/node/index.ts");
      const sim = createSimulator();
      const agent = httpAgent(sim);
      const url = `${sim.secrets.cluster("main").url}/v1/sys/health`;
      await new Promise((resolve) => https.get(url, { agent }, (answer) => answer.resume().on("end", resolve)));
      agent.destroy();
    },
  ],
  [
    "hindcast/msw",
    async () => {
      const { createSimulator } = await import("../../src/index.ts");
      const { simHandlers } = await import("../../src/testing/msw/index.ts");
      simHandlers(createSimulator());
    },
  ],
  [
    "hindcast/undici",
    async () => {
      const { createSimulator } = await import("../../src/index.ts");
      const { simDispatcher } = await import("../../src/testing/undici/index.ts");
      const { request } = await import("undici");
      const sim = createSimulator();
      const { body } = await request(`${sim.secrets.cluster("main").url}/v1/sys/health`, {
        dispatcher: simDispatcher(sim),
      });
      await body.dump();
    },
  ],
])("%s leaves the globals of a process as they are", async (_, use) => {
  const before = seen();
  await use();
  expect(changed(before, seen())).toEqual([]);
});

test("the look itself sees what is changed", () => {
  const before = seen();
  process.env["HINDCAST_LOOKED"] = "yes";
  const listener = (): void => undefined;
  process.on("exit", listener);
  expect(changed(before, seen())).toEqual(["env.HINDCAST_LOOKED", "listeners of exit"]);
  process.off("exit", listener);
  delete process.env["HINDCAST_LOOKED"];
});
