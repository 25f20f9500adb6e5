import { describe, expect, it } from "vitest";
import { type Answer, send } from "../driver.ts";
import { expectData, expectDone, expectEnvelope, expectNotFound, expectRefused } from "../expectations.ts";
import { claimsIn, MODES, type OrchestratorTestWorld, orchestratorWorld } from "./orchestrator-world.ts";

// decisions-orchestrator.md, "Easily missed": every row by its number, over HTTP.

const ROLE = { allowed_orchestrator_namespaces: "shop" };

function opened(configured = true): OrchestratorTestWorld & {
  ask(line: string, body?: object): Promise<Answer>;
  /** Asks for credentials, in `shop` unless told otherwise. */
  askCreds(role: string, body?: object): Promise<Answer>;
} {
  const world = orchestratorWorld({ configured });
  const ask = (line: string, body: object = {}): Promise<Answer> => {
    const [method = "", path] = line.split(" ");
    return send(world.sim, method, `/v1/orchestrator/${path}`, method === "POST" ? { body: JSON.stringify(body) } : {});
  };
  return {
    ...world,
    ask,
    askCreds: (role, body) => ask(`POST creds/${role}`, { orchestrator_namespace: "shop", ...body }),
  };
}

const tokenIn = (answer: Answer): string => expectData(answer)["service_account_token"] as string;
const leaseIn = (answer: Answer): string => expectEnvelope(answer).lease_id;

describe("easily missed in orchestrator engines", () => {
  it("1: a missing role is 400 on creds, 404 on GET, 204 on DELETE", async () => {
    const { ask, askCreds } = opened();
    expectRefused(await askCreds("none"), 400, "role 'none' does not exist");
    expectNotFound(await ask("GET roles/none"));
    expectDone(await ask("DELETE roles/none"));
  });

  it("2: a missing namespace is 500 of class B, a forbidden one 400", async () => {
    const { ask, askCreds } = opened();
    await ask("POST roles/dev", { ...ROLE, ...MODES[1] });
    expectRefused(
      await askCreds("dev", { orchestrator_namespace: null }),
      500,
      "1 error occurred:\n\t* ",
      "is required",
    );
    const forbidden = await askCreds("dev", { orchestrator_namespace: "default" });
    expectRefused(forbidden, 400, "is not present in role's");
    expect(forbidden.errors).not.toContain("1 error occurred");
  });

  it("3: a role has exactly one mode", async () => {
    const { ask } = opened();
    expectRefused(await ask("POST roles/dev", ROLE), 400, "one (and only one) of");
    expectRefused(await ask("POST roles/dev", { ...ROLE, ...MODES[1], ...MODES[2] }), 400, "one (and only one) of");
  });

  it("4: another mode needs the old one's field as an empty text", async () => {
    const { ask } = opened();
    await ask("POST roles/dev", { ...ROLE, ...MODES[1] });
    expectRefused(await ask("POST roles/dev", MODES[3]), 400, "one (and only one) of");
    expectDone(await ask("POST roles/dev", { ...MODES[3], service_account_name: "" }));
  });

  it("5: only the first configuration needs a host, or one after it was cleared", async () => {
    const { ask } = opened(false);
    expectRefused(await ask("POST config"), 500, "could not be determined from environment");
    expectDone(await ask("POST config", { orchestrator_host: "https://api.test" }));
    expectDone(await ask("POST config", { service_account_jwt: "jwt" }));
    expectDone(await ask("POST config", { orchestrator_host: "" }));
    expectRefused(await ask("POST config"), 500, "could not be determined from environment");
  });

  it("6: a host of the environment is shown as an empty text, and the token never", async () => {
    const { ask, sim } = opened(false);
    sim.secrets.cluster("main").setPodEnvironment({ host: "10.0.0.1", port: "443" });
    await ask("POST config", { service_account_jwt: "jwt" });
    expect(expectData(await ask("GET config"))).toEqual({
      orchestrator_host: "",
      orchestrator_ca_cert: "",
      disable_local_ca_jwt: false,
    });
  });

  it("7: namespaces are lower-cased, sorted and kept once when written; the one that is asked for is not", async () => {
    const { ask, askCreds } = opened();
    await ask("POST roles/dev", { allowed_orchestrator_namespaces: "Shop, default,SHOP", ...MODES[1] });
    expect(expectData(await ask("GET roles/dev"))["allowed_orchestrator_namespaces"]).toEqual(["default", "shop"]);
    expect((await askCreds("dev")).status).toBe(200);
    expectRefused(await askCreds("dev", { orchestrator_namespace: "Shop" }), 400, "is not present in role's");
  });

  it("8: the selector of everything allows what exists; with * an unknown namespace fails when something is made", async () => {
    const { ask, askCreds, kinds } = opened();
    await ask("POST roles/all", { allowed_orchestrator_namespace_selector: "{}", ...MODES[3] });
    await ask("POST roles/any", { allowed_orchestrator_namespaces: "*", ...MODES[3] });
    await ask("POST roles/one", { allowed_orchestrator_namespaces: "*", ...MODES[1] });
    const none = { orchestrator_namespace: "none" };
    expectRefused(
      await askCreds("all", none),
      500,
      "failed to match the namespace selector",
      'namespaces "none" not found',
    );
    expectRefused(await askCreds("any", none), 500, "failed to create role", 'namespaces "none" not found');
    expectRefused(await askCreds("one", none), 500, "service account token", 'namespaces "none" not found');
    expect(kinds()).toEqual([]);
    expect((await askCreds("all")).status).toBe(200);
  });

  it("9: a listed namespace needs no labels", async () => {
    const { ask, askCreds } = opened();
    const selector = { allowed_orchestrator_namespace_selector: "matchLabels: {team: none}" };
    await ask("POST roles/dev", { ...ROLE, ...selector, ...MODES[1] });
    expect((await askCreds("dev")).status).toBe(200);
  });

  it("10: a cluster role binding is refused for type Role even in mode 1", async () => {
    const { ask, askCreds } = opened();
    await ask("POST roles/dev", { ...ROLE, ...MODES[1] });
    expectRefused(await askCreds("dev", { cluster_role_binding: true }), 400, "ClusterRoleBinding cannot ref a Role");
  });

  it("11: the type is written in any case and read in one", async () => {
    const { ask } = opened();
    const shown = async (orchestrator_role_type: string): Promise<unknown> => {
      await ask("POST roles/dev", { ...ROLE, ...MODES[1], orchestrator_role_type });
      return expectData(await ask("GET roles/dev"))["orchestrator_role_type"];
    };
    expect([await shown("clusterROLE"), await shown("rOLE"), await shown("CLUSTERrole"), await shown("")]).toEqual([
      "ClusterRole",
      "Role",
      "ClusterRole",
      "Role",
    ]);
  });

  it("12: a default above the system's maximum is stored, and cut with a warning", async () => {
    const { ask, askCreds } = opened();
    await ask("POST roles/dev", { ...ROLE, ...MODES[1], token_default_ttl: "1000h" });
    expect(expectData(await ask("GET roles/dev"))["token_default_ttl"]).toBe(3_600_000);
    const { lease_duration, warnings } = expectEnvelope(await askCreds("dev"));
    expect({ lease_duration, warnings }).toEqual({
      lease_duration: 2_764_800,
      warnings: [expect.stringContaining("max lease ttl")],
    });
  });

  it("13: a maximum of 24h and no ttl is 86400 and a warning", async () => {
    const { ask, askCreds } = opened();
    await ask("POST roles/dev", { ...ROLE, ...MODES[1], token_max_ttl: "24h" });
    const { lease_duration, warnings } = expectEnvelope(await askCreds("dev"));
    expect({ lease_duration, warnings }).toEqual({
      lease_duration: 86_400,
      warnings: [expect.stringContaining("token_max_ttl")],
    });
  });

  it.each([0, "", "0", "0s"])("14: a ttl of %j means the role's default", async (ttl) => {
    const { ask, askCreds } = opened();
    await ask("POST roles/dev", { ...ROLE, ...MODES[1], token_default_ttl: "20m" });
    expect(expectEnvelope(await askCreds("dev", { ttl })).lease_duration).toBe(1_200);
  });

  it.each([
    [1, []],
    [2, ["RoleBinding", "ServiceAccount"]],
    [3, ["Role", "RoleBinding", "ServiceAccount"]],
  ] as const)("15: less than 600 s is refused by the orchestrator, in mode %i after %j", async (mode, left) => {
    const { ask, askCreds, kinds } = opened();
    await ask("POST roles/dev", { ...ROLE, ...MODES[mode] });
    const answer = await askCreds("dev", { ttl: 599 });
    expectRefused(answer, 500, "1 error occurred:\n\t* ", "failed to create a service account token", "10 minutes");
    expect(kinds()).toEqual(left);
    expect((await askCreds("dev", { ttl: 600 })).status).toBe(200);
  });

  it("16: the lease is as long as the token when less is granted", async () => {
    const { ask, askCreds, sim } = opened();
    sim.orchestrator.setMaxTokenTtl("15m");
    await ask("POST roles/dev", { ...ROLE, ...MODES[1] });
    const answer = await askCreds("dev", { ttl: "1h" });
    const { exp, iat } = claimsIn(tokenIn(answer));
    expect([expectEnvelope(answer).lease_duration, exp - iat]).toEqual([900, 900]);
  });

  it("17: leases are not renewable", async () => {
    const { ask, askCreds, sim } = opened();
    await ask("POST roles/dev", { ...ROLE, ...MODES[1] });
    const answer = await askCreds("dev");
    expect(expectEnvelope(answer).renewable).toBe(false);
    const body = JSON.stringify({ lease_id: leaseIn(answer) });
    expectRefused(await send(sim, "POST", "/v1/sys/leases/renew", { body }), 400, "lease is not renewable");
  });

  it("18: the default name is short and in lower case; a template's is as it comes, and may be none", async () => {
    const { ask, askCreds, kinds } = opened();
    await ask("POST roles/dev", { ...ROLE, ...MODES[2] });
    const name = expectData(await askCreds("dev"))["service_account_name"] as string;
    expect(name).toBe(name.toLowerCase());
    expect(name.length).toBeLessThanOrEqual(62);
    await ask("POST roles/upper", { ...ROLE, ...MODES[3], name_template: "X-{{ random 10 }}" });
    expectRefused(await askCreds("upper"), 500, "failed to create service account", "is invalid");
    expect(kinds()).toEqual(["Role", "RoleBinding", "RoleBinding", "ServiceAccount"]);
  });

  it("19: leftovers go with the first pass more than ten minutes later", async () => {
    const { ask, askCreds, sim, kinds } = opened();
    await ask("POST roles/upper", { ...ROLE, ...MODES[3], name_template: "X" });
    sim.clock.advance("30s");
    await askCreds("upper");
    sim.clock.advance("10m");
    expect(kinds()).toEqual(["Role", "RoleBinding"]);
    sim.clock.advance("30s");
    expect(kinds()).toEqual([]);
  });

  it("20: a token of mode 1 outlives its lease's revocation", async () => {
    const { ask, askCreds, sim } = opened();
    await ask("POST roles/dev", { ...ROLE, ...MODES[1] });
    const answer = await askCreds("dev");
    const body = JSON.stringify({ lease_id: leaseIn(answer) });
    expectDone(await send(sim, "POST", "/v1/sys/leases/revoke", { body }));
    expect(await sim.orchestrator.reviewToken(tokenIn(answer))).toMatchObject({ authenticated: true });
  });

  it("21: leases work without their role, and fail to end without the configuration", async () => {
    const { ask, askCreds, sim, kinds } = opened();
    await ask("POST roles/dev", { ...ROLE, ...MODES[3] });
    const [first, second] = [leaseIn(await askCreds("dev")), leaseIn(await askCreds("dev"))];
    await ask("DELETE roles/dev");
    const revoke = (lease_id: string): Promise<Answer> =>
      send(sim, "POST", "/v1/sys/leases/revoke", { body: JSON.stringify({ lease_id }) });
    expectDone(await revoke(first));
    await ask("DELETE config");
    expectRefused(await revoke(second), 400, "could not load backend configuration");
    await ask("POST config", { orchestrator_host: "https://api.test" });
    sim.clock.advance("20s");
    expect(kinds()).toEqual([]);
  });

  it("22 and 23: the fixed labels win, and additional_metadata is empty", async () => {
    const { ask, askCreds, generated } = opened();
    const extra_labels = { "app.orchestrator.io/managed-by": "me" };
    await ask("POST roles/dev", { ...ROLE, ...MODES[3], extra_labels });
    expect(expectData(await ask("GET roles/dev"))).toMatchObject({ extra_labels, additional_metadata: {} });
    await askCreds("dev");
    expect(generated().map(({ labels }) => labels["app.orchestrator.io/managed-by"])).toEqual([
      "secrets",
      "secrets",
      "secrets",
    ]);
  });

  it("24: a template that fails disturbs only modes that render it, before anything is made", async () => {
    const { ask, askCreds, kinds, sim } = opened();
    for (const mode of [1, 2, 3] as const) {
      await ask(`POST roles/m${mode}`, { ...ROLE, ...MODES[mode], name_template: "{{ .Nope }}" });
    }
    expect((await askCreds("m1")).status).toBe(200);
    const before = sim.position;
    for (const role of ["m2", "m3"]) expectRefused(await askCreds(role), 500, "failed to generate name");
    expect([kinds(), sim.position]).toEqual([[], before]);
  });

  it("25: an empty LIST is 404, and GET without list is 405", async () => {
    const { ask } = opened();
    expectNotFound(await ask("LIST roles"));
    expectRefused(await ask("GET roles"), 405, "unsupported operation");
    await ask("POST roles/dev", { ...ROLE, ...MODES[1] });
    expectRefused(await ask("GET roles"), 405, "unsupported operation");
    expect(expectData(await ask("GET roles?list=true"))).toEqual({ keys: ["dev"] });
  });
});
