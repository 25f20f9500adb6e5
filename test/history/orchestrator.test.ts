import { describe, expect, it } from "vitest";
import { rehearse, replay } from "../../src/index.ts";
import { MODES, orchestratorWorld } from "../contract/secrets/orchestrator-world.ts";

// What is made before a decision (documents in YAML) and what is made with an answer (tokens), in a history.

const YAML = "rules:\n- verbs: [get]\n  resources: [pods]\n";
const ROLE = { name: "dev", allowed_orchestrator_namespaces: "shop", generated_role_rules: YAML };
const ASKED = { role: "dev", orchestrator_namespace: "shop", ttl: "1h" };

async function lived() {
  const world = orchestratorWorld();
  const main = world.sim.secrets.cluster("main");
  const { orchestrator } = main.as(world.root);
  await orchestrator.roles.write(ROLE);
  const { data } = await orchestrator.creds(ASKED);
  return { ...world, main, orchestrator, written: world.sim.position - 1, issued: world.sim.position, data };
}

describe("a history with credentials of an orchestrator", () => {
  it("keeps what YAML says beside the text, and of JSON the text alone", async () => {
    const { sim, orchestrator, written } = await lived();
    expect(sim.log.commits()[written - 1]?.command.input).toEqual({
      ...ROLE,
      prepared: { generated_role_rules: { value: { rules: [{ verbs: ["get"], resources: ["pods"] }] } } },
    });
    await orchestrator.roles.write({ name: "json", allowed_orchestrator_namespaces: "shop", ...MODES[3] });
    expect(sim.log.commits().at(-1)?.command.input).not.toHaveProperty("prepared");
  });

  it("keeps what a token says, and no token", async () => {
    const { sim, issued, data } = await lived();
    const log = sim.log.toNdjson();
    expect(log).not.toContain(data.service_account_token.split(".")[2]);
    const token = sim.log.commits()[issued - 1]?.events.find(({ type }) => type === "ServiceAccountTokenIssued");
    expect(token?.data).toEqual({
      token: {
        namespace: "shop",
        name: data.service_account_name,
        uid: expect.any(String),
        audiences: ["https://orchestrator.default.svc.cluster.local"],
        issuedAtSeconds: 1_767_225_600,
        expiresAtSeconds: 1_767_229_200,
        signingKey: expect.any(Number),
      },
    });
    expect(await rehearse(log)).toEqual({ ok: true });
    expect(await replay(log).orchestrator.reviewToken(data.service_account_token)).toMatchObject({
      authenticated: true,
    });
  });

  it("decides at once what has nothing to wait for, and in the order in which it can", async () => {
    const { sim, orchestrator } = await lived();
    const before = sim.position;
    const soon = orchestrator.creds(ASKED);
    expect(sim.position).toBe(before + 1);
    const later = orchestrator.roles.write({ ...ROLE, generated_role_rules: "rules: []" });
    expect(sim.position).toBe(before + 1);
    sim.clock.advance("1h");
    await Promise.all([soon, later]);
    expect(sim.log.commits().at(-1)).toMatchObject({
      atMs: sim.clock.now(),
      command: { name: "secrets.orchestrator.roles.write" },
    });
  });

  it("explains an answer with its token", async () => {
    const { sim, issued, data, main, root } = await lived();
    expect(sim.explain(issued)).toMatchObject({
      operation: "secrets.orchestrator.creds",
      route: "POST /v1/:mount/creds/:role",
      answer: { data },
    });
    const response = await sim.fetch(`${main.url}/v1/orchestrator/creds/dev`, {
      method: "POST",
      headers: { "X-Secrets-Token": root },
      body: JSON.stringify({ orchestrator_namespace: "shop" }),
    });
    const explained = sim.explain(response);
    expect(explained.answer).toEqual(await response.json());
    expect(explained.events.map(({ type }) => type)).toEqual([
      "OrchestratorObjectCreated",
      "OrchestratorObjectCreated",
      "OrchestratorObjectCreated",
      "ServiceAccountTokenIssued",
      "LeaseIssued",
    ]);
  });

  it("is rewritten with another document, in YAML too", async () => {
    const { sim, written, issued } = await lived();
    const input = { ...ROLE, generated_role_rules: "rules:\n- verbs: [delete]\n" };
    const { fork, changed } = await sim.rewrite([{ replace: written, input }]);
    expect(fork.orchestrator.objects({ kind: "Role" })[0]?.rules).toEqual([{ verbs: ["delete"] }]);
    expect(changed).toEqual([]);
    const dropped = await sim.rewrite([{ drop: written }]);
    expect(dropped.changed).toMatchObject([
      { position: written },
      { position: issued, after: { refused: "orchestrator_role_missing" } },
    ]);
    const later = await sim.rewrite([{ delay: issued, by: "5m" }]);
    expect(later.changed).toMatchObject([
      { position: issued, after: { data: { service_account_token: { iat: 1_767_225_900 } } } },
    ]);
  });

  it("is read in the past, where commands are refused", async () => {
    const { sim, written, root } = await lived();
    const before = sim.at(written).secrets.cluster("main").as(root);
    expect(before.orchestrator.roles.read({ name: "dev" }).data.generated_role_rules).toBe(YAML);
    await expect(before.orchestrator.creds(ASKED)).rejects.toThrow("past is read-only");
    await expect(before.orchestrator.roles.write(ROLE)).rejects.toThrow("past is read-only");
    await expect(before.orchestrator.creds({ role: 7 } as never)).rejects.toThrow(TypeError);
  });

  it("is the same whichever door its commands came through", async () => {
    const typed = await lived();
    const { sim, root } = orchestratorWorld();
    const post = async (path: string, body: object): Promise<Response> =>
      sim.fetch(`${sim.secrets.cluster("main").url}/v1/orchestrator/${path}`, {
        method: "POST",
        headers: { "X-Secrets-Token": root },
        body: JSON.stringify(body),
      });
    const { name: _, ...role } = ROLE;
    const { role: __, ...asked } = ASKED;
    await post("roles/dev", role);
    const { data } = (await (await post("creds/dev", asked)).json()) as { data: unknown };
    expect(data).toEqual(typed.data);
    expect(sim.stateHash()).toBe(typed.sim.stateHash());
    const facts = (of: typeof sim) => of.log.events().map(({ type, data: fact }) => ({ type, fact }));
    expect(facts(sim)).toEqual(facts(typed.sim));
  });

  it("does not let a cluster that stops while YAML is read be asked", async () => {
    const { sim, main, root } = await lived();
    const asked = sim.fetch(`${main.url}/v1/orchestrator/roles/dev`, {
      method: "POST",
      headers: { "X-Secrets-Token": root },
      body: JSON.stringify({ generated_role_rules: "rules: []" }),
    });
    const called = main.as(root).orchestrator.roles.write({ ...ROLE, generated_role_rules: "rules: []" });
    sim.network.stop(main);
    await expect(asked).rejects.toThrow("fetch failed");
    await expect(called).rejects.toThrow("fetch failed");
  });
});
