import { defineScenario, type Simulator } from "../src/index.ts";
import { expectEqual, expectRefusal, expectRefusalSoon } from "./support/expectations.ts";

const RULES = `
rules:
  - apiGroups: [""]
    resources: [pods]
    verbs: [get, list]
`;

/** The API server of an orchestrator dies between a binding and the service account that it is for. */
export const orchestratorHalfCreated = defineScenario({
  name: "orchestrator-half-created",
  title: "Half of a credential",
  world: { seed: 23, secrets: { clusters: ["east"] } },

  cast: (sim) => {
    const east = sim.secrets.cluster("east");
    east.writePolicy("deployer", 'path "orchestrator/creds/deploy" { capabilities = ["update"] }');
    return {
      operator: east.rootToken,
      deployer: east.createToken({ policies: ["deployer"], displayName: "deployer", ttl: "72h" }).token,
    };
  },

  steps: [
    {
      title: "The operator lets deployers into the namespaces of the shop",
      does: async (sim, { operator }) => {
        sim.orchestrator.addNamespace("shop-front", { labels: { product: "shop" } });
        sim.orchestrator.addNamespace("payroll", { labels: { product: "payroll" } });
        const { config, roles } = sim.secrets.cluster("east").as(operator).orchestrator;
        config.write({ orchestrator_host: "https://api.cluster.test" });
        await roles.write({
          name: "deploy",
          allowed_orchestrator_namespace_selector: "matchLabels: {product: shop}",
          generated_role_rules: RULES,
          token_default_ttl: "1h",
        });
      },
      expectation: "a deployer gets a token that works for an hour, and nothing of it is left after that",
      expect: async (sim, { deployer }) => {
        const { creds } = sim.secrets.cluster("east").as(deployer).orchestrator;
        await expectRefusalSoon(
          "orchestrator_namespace_forbidden",
          creds({ role: "deploy", orchestrator_namespace: "payroll" }),
        );
        const { data } = await creds({ role: "deploy", orchestrator_namespace: "shop-front" });
        expectEqual((await sim.orchestrator.reviewToken(data.service_account_token)).authenticated, true);
        expectEqual(generated(sim), ["Role", "RoleBinding", "ServiceAccount"]);
        sim.clock.advance("1h");
        expectEqual((await sim.orchestrator.reviewToken(data.service_account_token)).authenticated, false);
        expectEqual(generated(sim), []);
      },
    },
    {
      title: "The API server dies when the role and the binding are made, and the account is not",
      does: async (sim, { deployer }) => {
        sim.orchestrator.failNext({ count: 1, verb: "create", kind: "ServiceAccount" });
        const { creds } = sim.secrets.cluster("east").as(deployer).orchestrator;
        await expectRefusalSoon(
          "orchestrator_call_failed",
          creds({ role: "deploy", orchestrator_namespace: "shop-front" }),
        );
        sim.orchestrator.setAvailable(false);
        sim.mark("dead");
      },
      expectation:
        "there is no lease, a role that nobody uses, and a pass that will look after it eleven minutes later",
      expect: (sim) => {
        expectEqual(localOf(sim).leases.size, 0);
        expectEqual(generated(sim), ["Role", "RoleBinding"]);
        const [pass, ...others] = sim.clock.pending().filter(({ command }) => command === "timer.rollback");
        expectEqual(others, []);
        expectEqual(pass?.dueAtMs, sim.clock.now() + 11 * 60_000);
      },
    },
    {
      title: "It stays dead for an hour",
      does: (sim) => {
        sim.clock.advance("1h");
      },
      expectation: "each pass failed, and the next one is a minute away",
      expect: (sim) => {
        expectEqual(generated(sim), ["Role", "RoleBinding"]);
        expectEqual(localOf(sim).rollbackNotes.size, 1);
        expectEqual(sim.clock.pending()[0]?.command, "timer.rollback");
      },
    },
    {
      title: "It is back",
      does: (sim) => {
        sim.orchestrator.setAvailable(true);
        sim.clock.advance("1m");
      },
      expectation: "the next pass cleaned up, and nothing is armed any more but what was before",
      expect: (sim) => {
        expectEqual(generated(sim), []);
        expectEqual(localOf(sim).rollbackNotes.size, 0);
        expectEqual(
          sim.clock.pending().filter(({ command }) => command === "timer.rollback"),
          [],
        );
      },
    },
    {
      title: "What if it had stayed dead for more than a day?",
      expectation: "in a fork from then the engine gives up, and somebody has to clean up by hand",
      expect: (sim) => {
        const other = sim.fork("dead");
        other.clock.advance("24h1m");
        other.orchestrator.setAvailable(true);
        other.clock.advance("24h");
        expectEqual(generated(other), ["Role", "RoleBinding"]);
        expectEqual(localOf(other).rollbackNotes.size, 0);
      },
    },
    {
      title: "And if the engine were to be unmounted meanwhile?",
      expectation: "in another fork it stays until it can clean up behind itself",
      expect: (sim, { operator }) => {
        const other = sim.fork("dead");
        const { mounts } = other.secrets.cluster("east").as(operator);
        expectRefusal("rollback_failed", () => mounts.delete({ path: "orchestrator" }));
        other.orchestrator.setAvailable(true);
        mounts.delete({ path: "orchestrator" });
        expectEqual(generated(other), []);
      },
    },
  ],
});

/** The kinds of the objects that the engine made. */
function generated(sim: Simulator): string[] {
  return sim.orchestrator
    .objects({ namespace: "shop-front" })
    .filter(({ labels }) => labels["app.orchestrator.io/managed-by"] === "secrets")
    .map(({ kind }) => kind);
}

function localOf(sim: Simulator): {
  readonly leases: { readonly size: number };
  readonly rollbackNotes: { readonly size: number };
} {
  const east = sim.state.secrets["east"];
  if (east === undefined) throw new Error("there is no cluster east");
  return east.local;
}
