import { createSimulator } from "hindcast";
import { expect, test } from "vitest";

test("a forgotten check-in is taken back after an hour", async () => {
  const sim = createSimulator();
  const { url, rootToken, as } = sim.secrets.cluster("main");
  const admin = as(rootToken);
  sim.directory.addEntry("cn=svc-1,dc=example,dc=com", { cn: "svc-1" });
  admin.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
  admin.library.write({ set_name: "ops", service_account_names: ["svc-1"], ttl: "1h" });

  const headers = { "X-Secrets-Token": rootToken };
  await sim.fetch(`${url}/v1/ldap/library/ops/check-out`, { method: "POST", headers });
  sim.clock.advance("1h");

  const status = await sim.fetch(`${url}/v1/ldap/library/ops/status`, { headers });
  expect(await status.json()).toMatchObject({ data: { "svc-1": { available: true } } });
});
