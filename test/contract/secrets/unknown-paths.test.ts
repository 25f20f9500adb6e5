import { expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { send } from "../driver.ts";
import { expectRefused } from "../expectations.ts";

// decisions-secrets-core.md, D.7 and A.10, but for what src/services/secrets/README.md has.

it.each([
  "sys/audit",
  "sys/rekey-recovery-key/init",
  "sys/tools/random",
  "sys/internal/ui/feature-flags",
  "sys/metrics",
  "sys/quotas/config",
  "sys",
  "auth/token/nothing",
  "identity/nothing",
])("%s is no path, for whoever may ask", async (path) => {
  const sim = createSimulator();
  const { token } = sim.secrets.cluster("main").createToken({ policies: [] });
  for (const method of path === "sys" ? ["LIST"] : ["GET", "LIST", "POST", "DELETE"]) {
    expectRefused(await send(sim, method, `/v1/${path}`), 404, "unsupported path");
    expectRefused(await send(sim, method, `/v1/${path}`, { asking: { token } }), 403, "permission denied");
  }
});

it.each(["auth/userpass/login", "auth/approle/role", "database/creds/x", "secret/x"])(
  "%s has no handler",
  async (path) => {
    const sim = createSimulator();
    for (const method of ["GET", "LIST", "POST"]) {
      expectRefused(await send(sim, method, `/v1/${path}`), 404, "no handler for route");
    }
  },
);

it.each([".well-known/nothing", "provider/default/.well-known/nothing"])(
  "identity/oidc/%s is no path, and nobody needs a token to know it",
  async (path) => {
    const asking = { token: null };
    expectRefused(
      await send(createSimulator(), "GET", `/v1/identity/oidc/${path}`, { asking }),
      404,
      "unsupported path",
    );
  },
);

it.each(["auth/token/create", "auth/token/renew-self", "sys/wrapping/unwrap", "sys/seal", "sys/unseal"])(
  "%s has no GET",
  async (path) => {
    expectRefused(await send(createSimulator(), "GET", `/v1/${path}`), 405, "unsupported operation");
  },
);

it.each(["sys/health", "sys/seal-status", "sys/leader"])("%s has no POST", async (path) => {
  expectRefused(await send(createSimulator(), "POST", `/v1/${path}`), 405, "unsupported operation");
});

it.each([
  "sys/health",
  "sys/seal",
  "sys/seal-status",
  "sys/unseal",
  "sys/leader",
  "sys/storage/raft/snapshot-auto/config",
  "sys/storage/raft/configuration",
  "sys/init",
  "sys/audit",
  "sys/replication/status",
  "sys/replication/recover",
  "sys/replication/dr/primary/enable",
  "sys/replication/performance/primary/paths-filter/x",
])("%s is in the root namespace only, whoever asks", async (path) => {
  const sim = createSimulator();
  sim.secrets.cluster("main").createNamespace("team");
  for (const method of ["GET", "POST", "LIST", "DELETE"]) {
    for (const asking of [{}, { token: null }]) {
      expectRefused(await send(sim, method, `/v1/team/${path}`, { asking }), 404, "unsupported path");
    }
  }
});

it("a view of the past answers no wrapped read", async () => {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  main.as(main.rootToken).kv.write({ path: "a", v: 1 });
  const headers = { "X-Hindcast-At": "1", "X-Secrets-Wrap-TTL": "1m" };
  expectRefused(await send(sim, "GET", "/v1/kv/a", { headers }), 400, "X-Hindcast-At");
  expect(sim.position).toBe(1);
});
