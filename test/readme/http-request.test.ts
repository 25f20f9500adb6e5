import axios from "axios";
import { createSimulator } from "hindcast";
import { httpAgent } from "hindcast/node";
import { expect, test } from "vitest";

test("a client that is built on http.request lists what there is", async () => {
  const sim = createSimulator();
  const { url, rootToken } = sim.secrets.cluster("main");
  const agent = httpAgent(sim);
  const client = axios.create({
    baseURL: url,
    headers: { "X-Secrets-Token": rootToken },
    httpAgent: agent,
    httpsAgent: agent,
    proxy: false,
  });

  await client.post("/v1/kv/app/db", { user: "app" });
  const { data } = await client.request({ method: "LIST", url: "/v1/kv/app" });
  expect(data).toMatchObject({ data: { keys: ["db"] } });
});
