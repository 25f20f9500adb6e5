import { afterEach, expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { closeTransports, transports } from "../contract/transports.ts";

afterEach(closeTransports);

// Two tests in parallel never see each other, whatever their requests go by: simulators of one seed have the same URLs and tokens.

test.each(Object.entries(transports))("simulators of the same URLs never meet, through %s", async (_, reachBy) => {
  const live = async (value: number): Promise<unknown> => {
    const sim = createSimulator({ seed: 1 });
    const { url, rootToken } = sim.secrets.cluster("main");
    const send = reachBy(sim);
    const headers = { "X-Secrets-Token": rootToken };
    const seen = [];
    for (let round = 0; round < 5; round++) {
      const sent = { method: "POST", headers, body: JSON.stringify({ value, round }) };
      expect((await send(`${url}/v1/kv/app/db`, sent)).status).toBe(204);
      const read = (await (await send(`${url}/v1/kv/app/db`, { headers })).json()) as { data: unknown };
      seen.push(read.data);
    }
    return { seen, position: sim.position, requests: sim.journal.length };
  };
  const lives = await Promise.all(Array.from({ length: 8 }, (_unused, value) => live(value)));
  expect(lives).toEqual(
    Array.from({ length: 8 }, (_unused, value) => ({
      seen: Array.from({ length: 5 }, (_none, round) => ({ value, round })),
      position: 5,
      requests: 10,
    })),
  );
});
