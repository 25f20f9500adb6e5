import { createSimulator } from "hindcast";
import { simHandlers } from "hindcast/msw";
import { setupServer } from "msw/node";
import { afterAll, beforeAll, expect, test } from "vitest";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterAll(() => server.close());

test(
  "code that calls the fetch of everybody is answered, too",
  server.boundary(async () => {
    const sim = createSimulator();
    server.use(...simHandlers(sim));
    const { url, rootToken } = sim.secrets.cluster("main");
    const headers = { "X-Secrets-Token": rootToken };

    await fetch(`${url}/v1/kv/app/db`, { method: "POST", headers, body: JSON.stringify({ user: "app" }) });
    const list = await fetch(`${url}/v1/kv/app`, { method: "LIST", headers });
    expect(await list.json()).toMatchObject({ data: { keys: ["db"] } });

    sim.network.stop(sim.secrets.cluster("main"));
    await expect(fetch(`${url}/v1/sys/health`)).rejects.toThrow(TypeError);
  }),
);
