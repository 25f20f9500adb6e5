import { createSimulator } from "hindcast";
import { listen } from "hindcast/node";
import nodeVault from "node-vault";
import { expect, test } from "vitest";

test("a client that was written for another service lends an account, and renews its lease", async () => {
  const sim = createSimulator({ vocabulary: "hashicorp" });
  sim.directory.addEntry("cn=admin,dc=example,dc=com", { cn: "admin", userPassword: "secret" });
  sim.directory.addEntry("cn=deploy,dc=example,dc=com", { cn: "deploy" });
  const server = await listen(sim, { secrets: 0 });
  const { rootToken } = sim.secrets.cluster("main");
  const vault = nodeVault({ endpoint: server.urls.secrets["main"] ?? "", token: rootToken });

  const directory = { binddn: "cn=admin,dc=example,dc=com", bindpass: "secret", userdn: "dc=example,dc=com" };
  await vault.write("ldap/config", { ...directory, schema: "openldap" });
  await vault.write("ldap/library/ops", { service_account_names: "deploy", ttl: "1h", max_ttl: "8h" });
  const loan = await vault.write("ldap/library/ops/check-out", {});
  sim.clock.advance("59m");
  await vault.renew({ lease_id: loan.lease_id, increment: 3600 });
  sim.clock.advance("59m");
  expect((await vault.list("ldap/library")).data.keys).toEqual(["ops"]);
  expect((await vault.read("ldap/library/ops/status")).data.deploy.available).toBe(false);

  // What stands in the state and in the log is in the contract's words.
  const root = sim.secrets.cluster("main").as(rootToken);
  expect(root.ldapConfig.read().data.schema).toBe("open-dir");
  await server.close();
});

test("a vocabulary of one's own", async () => {
  const sim = createSimulator({
    vocabulary: {
      secrets: {
        headers: { "X-Secrets-Token": "X-Acme-Token" },
        segments: { ldap: "directory", library: "pool" },
        fields: { service_account_names: "accounts" },
        values: { "open-dir": "acme-dir" },
        prefixes: { "scs.": "acme_" },
      },
    },
  });
  const { url, rootToken } = sim.secrets.cluster("main");
  const headers = { "X-Acme-Token": rootToken };
  const created = await sim.fetch(`${url}/v1/auth/token/create`, { method: "POST", headers, body: '{"ttl":"1h"}' });
  expect(await created.json()).toMatchObject({ auth: { client_token: expect.stringMatching(/^acme_/) } });
  const missing = await sim.fetch(`${url}/v1/directory/pool/none`, { headers });
  expect(missing.status).toBe(404);
});
