import { createSimulator, type Simulator } from "../../../src/index.ts";
import { Dice } from "../harness/measure.ts";
import { type Family, type Row, row } from "../harness/row.ts";

/** Credentials of an orchestrator with an account and a role of their own, issued and revoked: what that takes, by its namespaces. */
export const orchestrator: Family = {
  name: "orchestrator",
  rows: [
    credentials("@100", 100),
    credentials("", 10_000, {
      comparedWith: "orchestrator-credentials-per-second@100",
      note: "10,000 credentials of mode 3 issued, signed and revoked, with 10,000 namespaces that a selector chooses from",
    }),
    credentials("@wrapped", 10_000, { note: "the same, wrapped: nothing is signed" }, { wrapTtl: "1h" }),
  ],
};

function credentials(
  suffix: string,
  namespaces: number,
  declared: Partial<Row> = {},
  options: { readonly wrapTtl?: string } = {},
): Row {
  return row({
    id: `orchestrator-credentials-per-second${suffix}`,
    unit: "credentials/s",
    process: "orchestrator",
    rounds: 3,
    ...declared,
    prepare: async (effort) => {
      const size = effort.size(namespaces);
      const sim = await crowded(size);
      const count = effort.count(10_000);
      const dice = new Dice(1);
      return async () => {
        const fork = sim.fork();
        const main = fork.secrets.cluster("main");
        const { orchestrator: engine, leases } = main.as(main.rootToken);
        const before = performance.now();
        for (let issued = 0; issued < count; issued++) {
          const orchestrator_namespace = `team-${dice.below(size)}`;
          await engine.creds({ role: "deploy", orchestrator_namespace, ttl: "1h" }, options);
        }
        leases.revokePrefix({ prefix: "orchestrator/creds/deploy" });
        const elapsedMs = performance.now() - before;
        const left = fork.state.secrets["main"]?.local.leases.size;
        if (left !== 0) throw new Error(`${left} leases are left`);
        return (count * 1_000) / elapsedMs;
      };
    },
  });
}

async function crowded(namespaces: number): Promise<Simulator> {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  for (let index = 0; index < namespaces; index++) {
    sim.orchestrator.addNamespace(`team-${index}`, { labels: { kind: "team", number: `${index}` } });
  }
  const { config, roles } = main.as(main.rootToken).orchestrator;
  config.write({ orchestrator_host: "https://api.test" });
  await roles.write({
    name: "deploy",
    allowed_orchestrator_namespace_selector: "matchLabels: {kind: team}",
    generated_role_rules: '{"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]}',
  });
  return sim;
}
