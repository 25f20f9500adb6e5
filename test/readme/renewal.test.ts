import { createSimulator } from "hindcast";
import { expect, test } from "vitest";

// The code under test: it renews its token when two thirds of its time are over, until the service gives it no more.
async function keepAlive(options: {
  url: string;
  token: string;
  fetch: typeof fetch;
  sleep: (ms: number) => Promise<void>;
}): Promise<number[]> {
  const { url, token, fetch, sleep } = options;
  const granted: number[] = [];
  for (;;) {
    const response = await fetch(`${url}/v1/auth/token/renew-self`, {
      method: "POST",
      headers: { "X-Secrets-Token": token },
      body: JSON.stringify({ increment: "1h" }),
    });
    if (response.status !== 200) return granted;
    const { auth } = (await response.json()) as { auth: { lease_duration: number } };
    granted.push(auth.lease_duration);
    await sleep((auth.lease_duration * 2000) / 3);
  }
}

test("a renewal loop ends when the token's own maximum is reached", async () => {
  const sim = createSimulator();
  const service = sim.secrets.cluster("main");
  const admin = service.as(service.rootToken);
  admin.kv.write({ path: "app/db", user: "app", password: "secret" });
  admin.policies.write({ name: "app", policy: 'path "kv/app/*" { capabilities = ["read"] }' });
  const { auth } = admin.tokens.create({ policies: ["app"], ttl: "1h", explicit_max_ttl: "2h" });
  const token = auth.client_token;

  // Its sleep is virtual time: hours pass in no time, and whatever is due on the way happens.
  const sleep = async (ms: number) => void sim.clock.advance(Math.max(Math.ceil(ms), 1));
  const granted = await keepAlive({ url: service.url, token, fetch: sim.fetch, sleep });

  // An hour twice, then what is left of the two hours, cut in three again and again.
  expect(granted.slice(0, 4)).toEqual([3600, 3600, 2400, 800]);
  expect(sim.clock.now()).toBe(Date.UTC(2026, 0, 1, 2));
  expect(() => service.as(token).kv.read({ path: "app/db" })).toThrow("permission denied");

  // In a fork from before the first pause the cluster is sealed: the loop would be told so, and try again later.
  const sealed = sim.fork(4).secrets.cluster("main");
  expect(sealed.as(token).tokens.lookupSelf().data.ttl).toBe(3600);
  sealed.seal();
  expect(() => sealed.as(token).tokens.renewSelf()).toThrow("sealed");
});
