import { createSimulator } from "hindcast";
import { expect, test } from "vitest";

test("a deployer's token works while its lease lives", async () => {
  const sim = createSimulator();
  sim.orchestrator.addNamespace("shop", { labels: { product: "shop" } });

  const service = sim.secrets.cluster("main");
  const { orchestrator, leases } = service.as(service.rootToken);
  orchestrator.config.write({ orchestrator_host: "https://api.cluster.test" });
  await orchestrator.roles.write({
    name: "deploy",
    allowed_orchestrator_namespace_selector: "matchLabels: {product: shop}",
    generated_role_rules: "rules: [{apiGroups: [''], resources: [pods], verbs: [list]}]",
  });

  const { data, lease_id } = await orchestrator.creds({ role: "deploy", orchestrator_namespace: "shop", ttl: "1h" });
  const kinds = () => sim.orchestrator.objects({ namespace: "shop" }).map(({ kind }) => kind);
  expect(kinds()).toEqual(["Role", "RoleBinding", "ServiceAccount", "ServiceAccount"]);

  // A JWT that every library verifies by `sim.orchestrator.publicKeys()`, at the instant of `sim.clock.now()`.
  expect(await sim.orchestrator.reviewToken(data.service_account_token)).toMatchObject({
    authenticated: true,
    username: `system:serviceaccount:shop:${data.service_account_name}`,
  });

  leases.revoke({ lease_id });
  expect(kinds()).toEqual(["ServiceAccount"]);
  expect((await sim.orchestrator.reviewToken(data.service_account_token)).authenticated).toBe(false);

  // The API server fails in the middle of the next request: what is half made waits for a pass of the clock.
  sim.orchestrator.failNext({ count: 1, verb: "create", kind: "ServiceAccount" });
  await expect(orchestrator.creds({ role: "deploy", orchestrator_namespace: "shop" })).rejects.toThrow("injected");
  expect(kinds()).toEqual(["Role", "RoleBinding", "ServiceAccount"]);
  sim.clock.advance("11m");
  expect(kinds()).toEqual(["ServiceAccount"]);
});
