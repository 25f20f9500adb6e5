import { createSimulator } from "hindcast";
import { listen } from "hindcast/node";
import { expect, test } from "vitest";

test("a client in another process is locked out when its token expires", async () => {
  const sim = createSimulator();
  const server = await listen(sim, { port: 0, admin: true });
  const { token } = sim.secrets.cluster("main").createToken({ policies: ["default"], ttl: "1h" });
  const client = { url: server.urls.secrets["main"] ?? "", headers: { "X-Secrets-Token": token } };

  const look = () => fetch(`${client.url}/v1/auth/token/lookup-self`, { headers: client.headers });
  expect((await look()).status).toBe(200);

  // From here, or from any process that knows the secret.
  const moved = await fetch(`${server.url}/hindcast/clock/advance`, {
    method: "POST",
    headers: { Authorization: `Bearer ${server.adminSecret}`, "Content-Type": "application/json" },
    body: JSON.stringify({ duration: "1h" }),
  });
  expect(await moved.json()).toMatchObject({ fired: [{ command: "timer.tokenExpiry" }] });
  expect((await look()).status).toBe(403);

  await server.close();
});
