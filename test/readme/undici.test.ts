import { createSimulator } from "hindcast";
import { simDispatcher } from "hindcast/undici";
import { request } from "undici";
import { expect, test } from "vitest";

test("a client of undici is refused by a cluster that is stopped", async () => {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  const client = { dispatcher: simDispatcher(sim), headers: { "X-Secrets-Token": main.rootToken } };

  const { statusCode, body } = await request(`${main.url}/v1/auth/token/lookup-self`, client);
  expect(statusCode).toBe(200);
  expect(await body.json()).toMatchObject({ data: { policies: ["root"] } });

  sim.network.stop(main);
  await expect(request(`${main.url}/v1/sys/health`, client)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});
