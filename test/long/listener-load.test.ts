import { expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { listen } from "../../src/node/index.ts";
import { underLoad } from "../node/listener/load.ts";
import { Wire } from "../node/listener/wire.ts";

test("200 connections that are kept, for 30 s: no error, and memory stays flat", async () => {
  const sim = createSimulator({ history: { journalSize: 1000 } });
  const { answered, failed, p99Ms, heapGrowthBytes } = await underLoad(sim, {
    connections: 200,
    ms: 30_000,
    reads: true,
  });
  console.log(`${answered} requests, p99 ${p99Ms.toFixed(1)} ms, heap ${(heapGrowthBytes / 1e6).toFixed(1)} MB more`);
  expect(failed).toEqual([]);
  expect(answered).toBeGreaterThan(10_000);
  expect(heapGrowthBytes).toBeLessThan(50_000_000);
});

test("10,000 connections that are idle are held, and others are answered", async () => {
  const server = await listen(createSimulator(), { secrets: 0 });
  const clients: Wire[] = [];
  // A process may have fewer files: as many as it gets.
  try {
    while (clients.length < 10_000)
      clients.push(...(await Promise.all(Array.from({ length: 100 }, () => Wire.to(server.port)))));
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toMatch(/EMFILE|ECONNRESET|EADDRNOTAVAIL/);
    for (const client of clients.splice(0, 200)) client.socket.destroy();
  }
  const health = `${server.urls.secrets["main"]}/v1/sys/health`;
  // Where files were used up, those that were let go come free in a moment.
  await expect.poll(() => fetch(health).then(({ status }) => status, String), { timeout: 10_000 }).toBe(200);
  expect(clients.length).toBeGreaterThan(300);
  await server.close();
  for (const client of clients) client.socket.destroy();
});
