import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { createSimulator } from "../../../src/index.ts";
import { listen, openWorlds } from "../../../src/node/index.ts";
import { atLeast, atMost, type Effort, type Family, row } from "../harness/row.ts";
import { median, rounded } from "../harness/statistics.ts";
import { client, request, subject } from "./load.ts";

const WORLDS = 1_000;
const OBJECTS = 10_000;
const CONNECTIONS = 50;
const REQUESTS = 2_000;
const BATCHES = 50;

/** The log of a world with so many objects, and a token that may read them. */
function fixture(effort: Effort): { readonly log: string; readonly token: string } {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  main.writePolicy("app", 'path "kv/app/*" { capabilities = ["read", "update"] }');
  const { token } = main.createToken({ policies: ["app"] });
  const { kv } = main.as(main.rootToken);
  for (let n = 0; n < effort.size(OBJECTS); n++) kv.write({ path: `app/${n}`, user: "app", password: `secret ${n}` });
  return { log: sim.log.toNdjson(), token };
}

async function served(effort: Effort) {
  const { log, token } = fixture(effort);
  const worlds = await openWorlds({ maxWorlds: 1_000_000 });
  const server = await listen(worlds, { port: 0 });
  const base = await worlds.create({ log });
  return { worlds, server, base, token };
}

const held = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

/** Many worlds in one process. */
export const worlds: Family = {
  name: "worlds",
  rows: [
    row({
      id: "world-fork-p99-ms",
      unit: "ms",
      goal: atMost(5),
      prepare: async (effort) => {
        const { worlds: all, server, base } = await served(effort);
        const ask = async (): Promise<void> => {
          const response = await fetch(`${server.url}/hindcast/worlds`, {
            method: "POST",
            headers: { Authorization: `Bearer ${server.adminSecret}`, "Content-Type": "application/json" },
            body: JSON.stringify({ fork: base.id }),
          });
          await response.arrayBuffer();
        };
        return async () => {
          const times: number[] = [];
          for (let n = 0; n < effort.count(WORLDS); n++) {
            const begun = performance.now();
            await ask();
            times.push(performance.now() - begun);
          }
          for (const { id } of all.list()) if (id !== base.id) await all.delete(id);
          times.sort((one, other) => one - other);
          const at = (part: number): number => times[Math.floor(times.length * part)] ?? 0;
          return {
            value: at(0.99),
            detail: `median ${rounded(at(0.5), 2)} ms, greatest ${rounded(at(1 - 1 / times.length), 2)} ms`,
          };
        };
      },
      note: `${WORLDS} forks of ${OBJECTS} objects, one after the other over HTTP, the client in the same process`,
    }),
    row({
      id: "worlds-mib",
      unit: "MiB",
      goal: atMost(200),
      rounds: 3,
      prepare: async (effort) => {
        const { worlds: all, base, token } = await served(effort);
        return async () => {
          const before = held();
          const forks = await Promise.all(
            Array.from({ length: effort.count(WORLDS) }, () => all.create({ fork: base.id })),
          );
          // Each is another one than the rest.
          for (const [n, { sim }] of forks.entries()) {
            sim.secrets
              .cluster("main")
              .as(token)
              .kv.write({ path: "app/0", user: "app", password: `of ${n}` });
          }
          const value = (held() - before) / 2 ** 20;
          for (const { id } of forks) await all.delete(id);
          return value;
        };
      },
      note: `what ${WORLDS} forks of ${OBJECTS} objects hold, each with a write of its own`,
    }),
    row({
      id: "worlds-ratio",
      process: "worlds",
      unit: "times",
      goal: atLeast(0.9),
      prepare: async (effort) => {
        const { worlds: all, server, base, token } = await served(effort);
        for (let n = 1; n < effort.count(WORLDS); n++) await all.create({ fork: base.id });
        const texts = all.list().map(({ id }) => request(`GET /worlds/${id}/secrets/main/v1/kv/app/1`, token));
        const many = await subject(server.port, texts, client(effort));
        const one = await subject(server.port, texts.slice(0, 1), client(effort));
        return async () => {
          const [left, right]: [number[], number[]] = [[], []];
          for (let batch = 0; batch < effort.count(BATCHES); batch++) {
            left.push(await many.load(REQUESTS, CONNECTIONS));
            right.push(await one.load(REQUESTS, CONNECTIONS));
          }
          const [own, other] = [median(left), median(right)];
          return {
            value: own / other,
            detail: `last round: ${rounded(own, 3)} against ${rounded(other, 3)} requests/s`,
          };
        };
      },
      note: `requests a second of a small read in ${WORLDS} worlds in turn, against those in one of them`,
    }),
    row({
      id: "serve-ready-ms",
      unit: "ms",
      goal: atMost(400),
      rounds: 9,
      prepare: () => async () => {
        const begun = performance.now();
        const child = spawn("npx", ["hindcast", "serve", "--port", "0", "--json"], {
          cwd: dirname(fileURLToPath(import.meta.resolve("hindcast/package.json"))),
          stdio: ["ignore", "pipe", "inherit"],
          detached: true,
        });
        await once(child.stdout, "data");
        const value = performance.now() - begun;
        const ended = once(child, "exit");
        process.kill(-(child.pid ?? 0));
        await ended;
        return value;
      },
      note: "from `npx hindcast serve` to the ready line, npx included",
    }),
  ],
};
