import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { listen } from "../../src/node/index.ts";
import { underLoad } from "../node/listener/load.ts";

test("200 connections that are kept, 150,000 requests: no error, and memory stays flat", async () => {
  const sim = createSimulator({ history: { journalSize: 1000 } });
  const { answered, failed, p99Ms, heapGrowthBytes } = await underLoad(sim, {
    connections: 200,
    requests: 150_000,
    reads: true,
  });
  console.log(`${answered} requests, p99 ${p99Ms.toFixed(1)} ms, heap ${(heapGrowthBytes / 1e6).toFixed(1)} MB more`);
  expect(failed).toEqual([]);
  expect(answered).toBe(150_000);
  expect(heapGrowthBytes).toBeLessThan(10_000_000);
});

const IDLE = 10_000;

/** How many files a process may have open; the shell tells. */
const filesAllowed = (): number => {
  const told = spawnSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }).stdout.trim();
  return told === "unlimited" ? Number.POSITIVE_INFINITY : Number(told);
};

test("10,000 connections that are idle are held, and others are answered", async ({ skip }) => {
  const allowed = filesAllowed();
  if (allowed < IDLE + 500) skip(`a process may open ${allowed} files here: raise it with ulimit -n`);
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  main.as(main.rootToken).kv.write({ path: "app/a", value: "a" });
  const server = await listen(sim, { secrets: 0, limits: { idleMs: 300_000 } });
  const clients = spawn(
    process.execPath,
    [fileURLToPath(new URL("idle-clients.js", import.meta.url)), `${server.port}`, `${IDLE}`, main.rootToken],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const told = createInterface(clients.stdout)[Symbol.asyncIterator]();
  const held = async (): Promise<unknown> => JSON.parse((await told.next()).value as string);
  expect(await held()).toEqual({ answered: IDLE, closed: 0 });
  expect(openSockets()).toBeGreaterThanOrEqual(IDLE);

  const begun = performance.now();
  for (let count = 0; count < 100; count++) {
    const response = await fetch(`${server.urls.secrets["main"]}/v1/sys/health`);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }
  const others = (performance.now() - begun) / 100;
  clients.stdin.write("again\n");
  expect(await held()).toEqual({ answered: IDLE, closed: 0 });
  const rss = process.memoryUsage().rss;
  console.log(`${IDLE} held; another request takes ${others.toFixed(1)} ms; ${(rss / 1e6).toFixed(0)} MB in all`);
  expect(others).toBeLessThan(1_000);

  // All of them go away at once, without a word.
  clients.kill("SIGKILL");
  await expect.poll(openSockets, { timeout: 30_000 }).toBeLessThan(50);
  expect((await fetch(`${server.urls.secrets["main"]}/v1/sys/health`)).status).toBe(200);
  await server.close();
});

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "TCPSocketWrap").length;
}
