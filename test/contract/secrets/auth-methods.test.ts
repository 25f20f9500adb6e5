import { describe, expect, it } from "vitest";
import { doors, type Fields } from "../driver.ts";
import { expectDone, expectNothingChanged, expectRefused } from "../expectations.ts";
import { authOf, authWorld } from "./auth-world.ts";

// src/services/secrets/auth/README.md, 1 to 4: each test names the rules that it holds.

describe.each(doors())("auth methods through %s", (_, subject) => {
  it("1.1, 1.3, 1.4: are listed below auth/, token/ among them, and are no mounts", async () => {
    const { sim, done, call } = await authWorld(subject, "userpass");
    const methods = await done("auth.list");
    expect(Object.keys(methods)).toEqual(["token/", "userpass/"]);
    expect(methods["token/"]).toMatchObject({ type: "token", description: "token based credentials", options: null });
    expect(methods["userpass/"]).toEqual({
      type: "userpass",
      description: "",
      accessor: expect.stringMatching(/^auth_userpass_[0-9a-f]{8}$/),
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      local: false,
      options: {},
      config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false, token_type: "default-service" },
      seal_wrap: false,
      external_entropy_access: false,
      plugin_version: "",
      running_plugin_version: expect.stringMatching(/^v1\.\d+\.\d+\+builtin/),
      running_sha256: "",
      deprecation_status: "supported",
    });
    expect(await done("auth.read", { path: "userpass" })).toEqual(methods["userpass/"]);
    expect(await done("auth.read", { path: "token" })).toEqual(methods["token/"]);
    expect(Object.keys(await done("mounts.list"))).not.toContain("auth/userpass/");
    expectRefused(await call("mounts.read", { path: "auth/userpass" }), 400, "auth/userpass");
    expectRefused(await call("mounts.delete", { path: "auth/userpass" }), 400, "auth/userpass");
    sim.secrets.cluster("main").createNamespace("team");
    const child = await done("auth.list", {}, { namespace: "team" });
    expect(child).toMatchObject({ "token/": { type: "ns_token" } });
    await done("auth.enable", { path: "local", type: "userpass", local: true }, { namespace: "team" });
    expect(await done("auth.read", { path: "local" }, { namespace: "team" })).toMatchObject({ local: true });
  });

  it.each<[rule: string, fields: Fields, piece: string]>([
    [
      "1.2: one in another",
      { path: "userpass/more", type: "userpass" },
      "path is already in use at auth/userpass/more/",
    ],
    ["1.2: the path of another", { path: "userpass", type: "userpass" }, "path is already in use at auth/userpass/"],
    ["1.2: in token/", { path: "token/more", type: "userpass" }, "path is already in use at auth/"],
    [
      "1.6: a type of tokens that there is not",
      { path: "a", type: "userpass", config: { token_type: "x" } },
      "token_type",
    ],
    ["1.8: a type that there is not", { path: "a", type: "radius" }, "plugin not found in the catalog: radius"],
    ["no type", { path: "a" }, "backend type must be specified as a string"],
    [
      "a default TTL above the maximum",
      { path: "a", type: "userpass", config: { default_lease_ttl: 2, max_lease_ttl: 1 } },
      "TTL",
    ],
  ])("%s is refused with 400", async (_rule, fields, piece) => {
    const { sim, call } = await authWorld(subject, "userpass");
    await expectNothingChanged(sim, async () => expectRefused(await call("auth.enable", fields), 400, piece));
  });

  it("1.1, 1.9: token/ is neither disabled nor tuned", async () => {
    const { call } = await authWorld(subject);
    expectRefused(await call("auth.disable", { path: "token" }), 400, "token credential backend cannot be disabled");
    expectRefused(await call("auth.tune", { path: "token", max_lease_ttl: 1 }), 400, "cannot tune");
    expectRefused(await call("auth.read", { path: "nothing" }), 400, "No auth engine at nothing/");
    expectRefused(await call("auth.tune", { path: "nothing" }), 400, "No auth engine at nothing/");
  });

  it("1.6: are tuned, and say so", async () => {
    const { done } = await authWorld(subject, "userpass");
    await done("auth.tune", { path: "userpass", default_lease_ttl: "1h", description: "ours", token_type: "batch" });
    await done("auth.tune", { path: "userpass", max_lease_ttl: "2h" });
    expect(await done("auth.tuning", { path: "userpass" })).toEqual({
      default_lease_ttl: 3600,
      max_lease_ttl: 7200,
      description: "ours",
      force_no_cache: false,
      token_type: "batch",
    });
  });

  it("1.5: need sudo, the listing does not", async () => {
    const { sim, call } = await authWorld(subject, "userpass");
    const cluster = sim.secrets.cluster("main");
    cluster.writePolicy("p", 'path "sys/auth*" { capabilities = ["create", "read", "update", "delete"] }');
    const { token } = cluster.createToken({ policies: ["p"] });
    expect((await call("auth.list", {}, { token })).status).toBe(200);
    for (const operation of ["auth.read", "auth.enable", "auth.disable", "auth.tuning", "auth.tune"] as const) {
      expectRefused(await call(operation, { path: "userpass", type: "userpass" }, { token }), 403, "permission denied");
    }
  });

  it("1.7: take the tokens of their logins with them", async () => {
    const { sim, done, login, call } = await authWorld(subject, "userpass");
    await done("auth.enable", { path: "other", type: "userpass" });
    await done("userpass.write", { username: "ann", password: "p" });
    await done("userpass.write", { username: "ann", password: "p" }, { mount: "auth/other" });
    const one = authOf(await login("userpass.login", { username: "ann", password: "p" }));
    const other = authOf(await login("userpass.login", { username: "ann", password: "p" }, { mount: "auth/other" }));
    expectDone(await call("auth.disable", { path: "userpass" }));
    expectRefused(await call("tokens.lookupSelf", {}, { token: one.client_token }), 403, "permission denied");
    expect((await call("tokens.lookupSelf", {}, { token: other.client_token })).status).toBe(200);
    await expectNothingChanged(sim, async () => expectDone(await call("auth.disable", { path: "userpass" })));
    expectRefused(await login("userpass.login", { username: "ann", password: "p" }), 403, "permission denied");
  });

  it("1.8: a registered plugin of a method's name is the method", async () => {
    const { done, login } = await authWorld(subject);
    const plugin = { type: "auth", name: "userpass", sha256: "ab".repeat(32), command: "run" };
    await done("plugins.write", plugin);
    await done("auth.enable", { path: "p", type: "userpass" });
    await done("userpass.write", { username: "ann", password: "p" }, { mount: "auth/p" });
    const answer = await login("userpass.login", { username: "ann", password: "p" }, { mount: "auth/p" });
    expect(authOf(answer).policies).toEqual(["default"]);
  });
});

describe.each(doors())("logins through %s", (_, subject) => {
  const ann = { username: "ann", password: "p" };

  it("3.1: look at no token, and their answers can be wrapped", async () => {
    const { sim, done, door } = await authWorld(subject, "userpass");
    await done("userpass.write", ann);
    authOf(await door.call("userpass.login", ann, { token: "nobody" }));
    const { wrap_info } = sim.secrets.cluster("main").as().userpass.login(ann, { wrapTtl: "1m" });
    expect(wrap_info).toMatchObject({ ttl: 60, creation_path: "auth/userpass/login/ann" });
    const token = wrap_info?.token ?? "";
    expect(authOf(await door.call("wrapping.unwrap", {}, { token })).metadata).toEqual({ username: "ann" });
  });

  it("3.2: give orphans that say where they are from", async () => {
    const { done, login, lookup } = await authWorld(subject);
    await done("auth.enable", { path: "teams/a", type: "userpass" });
    await done("userpass.write", { ...ann, token_policies: "dev,ops" }, { mount: "auth/teams/a" });
    const auth = authOf(await login("userpass.login", ann, { mount: "auth/teams/a" }));
    expect(auth).toMatchObject({ policies: ["default", "dev", "ops"], renewable: true, token_type: "service" });
    expect(lookup(auth.client_token)).toMatchObject({
      orphan: true,
      path: "auth/teams/a/login/ann",
      display_name: "teams-a-ann",
      meta: { username: "ann" },
      entity_id: auth.entity_id,
      policies: ["default", "dev", "ops"],
    });
  });

  it.each<[rule: string, parameters: Fields, tuning: Fields, seconds: number]>([
    ["3.3: the mount's default", {}, { default_lease_ttl: 100 }, 100],
    ["3.3: token_ttl", { token_ttl: 50 }, { default_lease_ttl: 100 }, 50],
    ["3.3: a period", { token_period: 70, token_ttl: 50 }, {}, 70],
    ["3.3: the mount's maximum", { token_ttl: 500 }, { max_lease_ttl: 300 }, 300],
    ["3.3: the mount's maximum of a period", { token_period: 500 }, { max_lease_ttl: 300 }, 300],
    ["3.3: token_max_ttl", { token_max_ttl: 40 }, {}, 40],
    ["3.3: an explicit maximum", { token_ttl: 50, token_explicit_max_ttl: 30 }, {}, 30],
  ])("%s", async (_rule, parameters, tuning, seconds) => {
    const { done, login } = await authWorld(subject, "userpass");
    await done("auth.tune", { path: "userpass", ...tuning });
    await done("userpass.write", { ...ann, ...parameters });
    const answer = await login("userpass.login", ann);
    expect(authOf(answer).lease_duration).toBe(seconds);
    const asked = Number(parameters["token_period"] ?? parameters["token_ttl"] ?? 0);
    const warnings = asked > seconds ? [expect.stringContaining("capped accordingly")] : null;
    expect((answer.body as { warnings: unknown }).warnings).toEqual(warnings);
  });

  it("3.4: give the type that the method says, else that of the parameters", async () => {
    const { done, login, call } = await authWorld(subject, "userpass");
    const type = async (token_type: string, tuned: string): Promise<string> => {
      await done("auth.tune", { path: "userpass", token_type: tuned });
      await done("userpass.write", { ...ann, token_type });
      return authOf(await login("userpass.login", ann)).token_type;
    };
    expect(await type("default", "default-service")).toBe("service");
    expect(await type("batch", "default-service")).toBe("batch");
    expect(await type("", "default-batch")).toBe("batch");
    expect(await type("service", "default-batch")).toBe("service");
    expect(await type("service", "batch")).toBe("batch");
    expect(await type("batch", "service")).toBe("service");
    await done("auth.tune", { path: "userpass", token_type: "batch" });
    for (const more of [{ token_num_uses: 1 }, { token_period: 1 }, { token_explicit_max_ttl: 1 }]) {
      await done("userpass.write", { username: "bob", password: "p", token_num_uses: 0, token_period: 0, ...more });
      expectRefused(await login("userpass.login", { username: "bob", password: "p" }), 400, "batch tokens cannot have");
    }
    expect((await call("userpass.write", { ...ann, token_type: "default" })).status).toBe(204);
  });

  it("3.5: give no root token", async () => {
    const { sim, done, login } = await authWorld(subject, "userpass");
    await done("userpass.write", { ...ann, token_policies: ["Root "] });
    await expectNothingChanged(sim, async () =>
      expectRefused(await login("userpass.login", ann), 400, "auth methods cannot create root tokens"),
    );
  });

  it("3.6, 3.9: make entity and alias once", async () => {
    const { done, login, sim } = await authWorld(subject, "userpass");
    await done("userpass.write", ann);
    const first = authOf(await login("userpass.login", ann));
    const position = sim.position;
    const second = authOf(await login("userpass.login", ann));
    expect(second.entity_id).toBe(first.entity_id);
    expect(second.client_token).not.toBe(first.client_token);
    expect(
      sim.log
        .commits()
        .at(position)
        ?.events.map(({ type }) => type),
    ).toEqual(["TokenCreated"]);
    const { accessor } = (await done("auth.list"))["userpass/"] as { accessor: string };
    expect(await done("identity.entities.read", { id: first.entity_id })).toMatchObject({
      aliases: [{ name: "ann", mount_accessor: accessor }],
    });
  });

  it("3.6: lead to the entity that an alias was made for, with its policies", async () => {
    const { done, login, sim } = await authWorld(subject, "userpass");
    const { accessor: mountAccessor } = (await done("auth.list"))["userpass/"] as { accessor: string };
    const cluster = sim.secrets.cluster("main");
    const { id } = cluster.createEntity({ policies: ["ops"], aliases: [{ name: "ann", mountAccessor }] });
    await done("userpass.write", ann);
    expect(authOf(await login("userpass.login", ann))).toMatchObject({
      entity_id: id,
      policies: ["default", "ops"],
      identity_policies: ["ops"],
    });
  });

  it("3.7: of a disabled entity are refused", async () => {
    const { done, login } = await authWorld(subject, "userpass");
    await done("userpass.write", ann);
    const { entity_id: id } = authOf(await login("userpass.login", ann));
    await done("identity.entities.write", { id, disabled: true });
    expectRefused(await login("userpass.login", ann), 403, "permission denied");
  });

  it("3.8: are renewed by what holds now", async () => {
    const { sim, done, login, call } = await authWorld(subject, "userpass");
    await done("userpass.write", { ...ann, token_ttl: "1h", token_max_ttl: "3h" });
    const { client_token: token } = authOf(await login("userpass.login", ann));
    const renewed = async (increment?: string) =>
      authOf(await call("tokens.renewSelf", { increment }, { token })).lease_duration;
    expect(await renewed()).toBe(3600);
    expect(await renewed("30m")).toBe(1800);
    await done("userpass.write", { username: "ann", token_ttl: "2h" });
    expect(await renewed()).toBe(7200);
    sim.clock.advance("90m");
    expect(await renewed()).toBe(5400);
    await done("userpass.write", { username: "ann", token_period: "10m" });
    expect(await renewed("2h")).toBe(600);
  });

  it("4.1, 4.2: of bound addresses, and their tokens, come from these", async () => {
    const { done, login, call } = await authWorld(subject, "userpass");
    await done("userpass.write", { ...ann, token_bound_cidrs: ["10.0.0.0/8", "fd00::/8"] });
    expectRefused(await login("userpass.login", ann), 403, "permission denied");
    expectRefused(await login("userpass.login", ann, { address: "11.0.0.1" }), 403, "permission denied");
    const address = "10.1.2.3";
    const { client_token: token } = authOf(await login("userpass.login", ann, { address }));
    expectRefused(await call("tokens.lookupSelf", {}, { token }), 403, "permission denied");
    const shown = await done("tokens.lookupSelf", {}, { token, address });
    expect(shown["bound_cidrs"]).toEqual(["10.0.0.0/8", "fd00::/8"]);
    expect((await call("tokens.lookupSelf", {}, { token, address: "fd00::1" })).status).toBe(200);
  });
});
