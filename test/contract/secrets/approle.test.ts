import { describe, expect, it } from "vitest";
import { doors, type Fields, type OperationName } from "../driver.ts";
import { expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";
import { type AuthWorld, authOf, authWorld } from "./auth-world.ts";

// src/services/secrets/auth/approle/README.md: each test names the rules that it holds.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const WEB = { role_name: "web" };

async function roleId({ done }: AuthWorld, role_name = "web"): Promise<string> {
  return String((await done("approle.roleId.read", { role_name }))["role_id"]);
}

async function secretId({ done }: AuthWorld, fields: Fields = {}): Promise<{ id: string; accessor: string }> {
  const issued = await done("approle.secretIds.generate", { ...WEB, ...fields });
  return { id: String(issued["secret_id"]), accessor: String(issued["secret_id_accessor"]) };
}

describe.each(doors())("roles through %s", (_, subject) => {
  it("1.1, 1.2, 1.5: are written, read, listed and deleted by names in lower case", async () => {
    const { sim, done, call } = await authWorld(subject, "approle");
    expectNotFound(await call("approle.list"));
    const fields = {
      bind_secret_id: false,
      secret_id_bound_cidrs: ["10.0.0.0/8"],
      secret_id_num_uses: 3,
      secret_id_ttl: "1h",
      local_secret_ids: true,
      token_policies: "dev",
      period: "10m",
    };
    expectDone(await call("approle.write", { role_name: "Web", ...fields }));
    expectDone(await call("approle.write", { role_name: "WEB", secret_id_num_uses: 4 }));
    expect(await done("approle.list")).toEqual({ keys: ["web"] });
    expect(await done("approle.read", WEB)).toEqual({
      ...fields,
      secret_id_num_uses: 4,
      secret_id_ttl: 3600,
      period: 600,
      token_policies: ["dev"],
      token_period: 600,
      token_bound_cidrs: [],
      token_explicit_max_ttl: 0,
      token_max_ttl: 0,
      token_no_default_policy: false,
      token_num_uses: 0,
      token_ttl: 0,
      token_type: "default",
    });
    await done("approle.write", { role_name: "plain" });
    expect(await done("approle.read", { role_name: "plain" })).toMatchObject({
      bind_secret_id: true,
      secret_id_bound_cidrs: null,
    });
    expectDone(await call("approle.delete", { role_name: "WEB" }));
    expectNotFound(await call("approle.read", WEB));
    await expectNothingChanged(sim, async () => expectDone(await call("approle.delete", WEB)));
  });

  it.each<[rule: string, fields: Fields, status: number, piece: string]>([
    ["1.3: blocks that are none", { secret_id_bound_cidrs: "10.0.0.0/99" }, 400, "invalid CIDR blocks"],
    ["1.3: an empty role id", { role_id: "" }, 400, "invalid role_id supplied"],
    ["1.3: the role id of another role", { role_id: "taken" }, 500, "role_id already in use"],
    ["1.3: no constraint", { bind_secret_id: false }, 500, "at least one constraint should be enabled on the role"],
    ["1.3: a TTL above its maximum", { token_ttl: 2, token_max_ttl: 1 }, 400, "token_max_ttl"],
  ])("%s is refused", async (_rule, fields, status, piece) => {
    const { sim, done, call } = await authWorld(subject, "approle");
    await done("approle.write", { role_name: "other", role_id: "taken" });
    await expectNothingChanged(sim, async () => {
      expectRefused(await call("approle.write", { ...WEB, ...fields }), status, piece);
    });
  });

  it("1.3, 1.8: where secret ids lie is said at the creation, and not again", async () => {
    const { done, call } = await authWorld(subject, "approle");
    await done("approle.write", { ...WEB, local_secret_ids: true });
    expectRefused(
      await call("approle.write", { ...WEB, local_secret_ids: false }),
      400,
      "only be modified during role",
    );
    expect(await done("approle.fields.read", { ...WEB, field: "local-secret-ids" })).toEqual({
      local_secret_ids: true,
    });
  });

  it("1.4: are warned of what comes to something else", async () => {
    const { call } = await authWorld(subject, "approle");
    const warnings = async (fields: Fields) =>
      ((await call("approle.write", { ...WEB, ...fields })).body as { warnings: string[] }).warnings;
    expect(await warnings({ token_max_ttl: "1000h" })).toEqual([expect.stringContaining("will be truncated")]);
    expect(await warnings({ token_max_ttl: 0, token_type: "default-batch" })).toEqual([
      "default-batch has no useful meaning; adjusting to batch",
    ]);
  });

  it("1.6: show and change their role ids", async () => {
    const made = await authWorld(subject, "approle");
    const { done, call } = made;
    await done("approle.write", WEB);
    expect(await roleId(made)).toMatch(UUID);
    expectDone(await call("approle.roleId.write", { ...WEB, role_id: "mine" }));
    expect(await roleId(made)).toBe("mine");
    expectRefused(await call("approle.roleId.write", WEB), 400, "missing role_id");
    expectRefused(await call("approle.roleId.write", { role_name: "none", role_id: "x" }), 404, "unsupported path");
    expectNotFound(await call("approle.roleId.read", { role_name: "none" }));
  });

  it.each<[field: string, given: Fields, shown: Fields, initially: Fields]>([
    ["policies", { token_policies: "a,b" }, { token_policies: ["a", "b"] }, { token_policies: [] }],
    ["policies", { policies: "a" }, { token_policies: ["a"], policies: ["a"] }, { token_policies: [] }],
    ["period", { token_period: 5 }, { token_period: 5 }, { token_period: 0 }],
    ["secret-id-num-uses", { secret_id_num_uses: 5 }, { secret_id_num_uses: 5 }, { secret_id_num_uses: 0 }],
    ["secret-id-ttl", { secret_id_ttl: "5m" }, { secret_id_ttl: 300 }, { secret_id_ttl: 0 }],
    ["token-ttl", { token_ttl: 5 }, { token_ttl: 5 }, { token_ttl: 0 }],
    ["token-max-ttl", { token_max_ttl: 5 }, { token_max_ttl: 5 }, { token_max_ttl: 0 }],
    ["token-num-uses", { token_num_uses: 5 }, { token_num_uses: 5 }, { token_num_uses: 0 }],
    ["token-bound-cidrs", { token_bound_cidrs: "::1" }, { token_bound_cidrs: ["::1"] }, { token_bound_cidrs: [] }],
    [
      "secret-id-bound-cidrs",
      { secret_id_bound_cidrs: "::1" },
      { secret_id_bound_cidrs: ["::1"] },
      { secret_id_bound_cidrs: null },
    ],
    ["bound-cidr-list", { bound_cidr_list: "::1" }, { bound_cidr_list: ["::1"] }, { bound_cidr_list: null }],
    ["bind-secret-id", { bind_secret_id: false }, { bind_secret_id: false }, { bind_secret_id: true }],
  ])("1.7: the field %s is written, read and set back: %o", async (field, given, shown, initially) => {
    const { sim, done, call } = await authWorld(subject, "approle");
    // Something is asked for, whatever is set back.
    await done("approle.write", { ...WEB, token_bound_cidrs: "10.0.0.1" });
    await done("approle.write", {
      ...WEB,
      ...(field === "token-bound-cidrs" ? {} : { token_bound_cidrs: "10.0.0.1" }),
    });
    const named = { ...WEB, field };
    expectRefused(await call("approle.fields.write", named), 400, `missing ${field.replaceAll("-", "_")}`);
    expectDone(await call("approle.fields.write", { ...named, ...given }));
    expect(await done("approle.fields.read", named)).toEqual(shown);
    expectDone(await call("approle.fields.delete", named));
    expect(await done("approle.fields.read", named)).toEqual(initially);
    const none = { role_name: "none", field };
    expectNotFound(await call("approle.fields.read", none));
    expectRefused(await call("approle.fields.write", { ...none, ...given }), 404, "unsupported path");
    await expectNothingChanged(sim, async () => expectDone(await call("approle.fields.delete", none)));
  });
});

describe.each(doors())("secret ids through %s", (_, subject) => {
  it("2.1: are made, and shown by themselves and by their accessors", async () => {
    const made = await authWorld(subject, "approle");
    const { sim, done } = made;
    await done("approle.write", { ...WEB, secret_id_ttl: "1h", secret_id_num_uses: 5 });
    const metadata = '{"team":"ops"}';
    const issued = await done("approle.secretIds.generate", { ...WEB, metadata, num_uses: 2, cidr_list: "10.0.0.1" });
    expect(issued).toEqual({
      secret_id: expect.stringMatching(UUID),
      secret_id_accessor: expect.stringMatching(UUID),
      secret_id_num_uses: 2,
      secret_id_ttl: 3600,
    });
    const { secret_id, secret_id_accessor } = issued;
    const shown = await done("approle.secretIds.lookup", { ...WEB, secret_id });
    const now = sim.clock.now();
    expect(shown).toEqual({
      cidr_list: ["10.0.0.1"],
      creation_time: new Date(now).toISOString().replace(".000", ""),
      expiration_time: new Date(now + 3_600_000).toISOString().replace(".000", ""),
      last_updated_time: new Date(now).toISOString().replace(".000", ""),
      metadata: { team: "ops" },
      secret_id_accessor,
      secret_id_num_uses: 2,
      secret_id_ttl: 3600,
      token_bound_cidrs: [],
    });
    expect(await done("approle.secretIds.lookupByAccessor", { ...WEB, secret_id_accessor })).toEqual(shown);
  });

  it("2.1: can be the caller's own", async () => {
    const { done, call } = await authWorld(subject, "approle");
    await done("approle.write", WEB);
    expect(await done("approle.secretIds.custom", { ...WEB, secret_id: "mine" })).toMatchObject({ secret_id: "mine" });
    expect(await done("approle.secretIds.lookup", { ...WEB, secret_id: "mine" })).toMatchObject({
      expiration_time: "0001-01-01T00:00:00Z",
    });
    expectRefused(await call("approle.secretIds.custom", WEB), 400, "missing secret_id");
    expectRefused(await call("approle.secretIds.custom", { ...WEB, secret_id: "mine" }), 500, "already registered");
    await done("approle.write", { role_name: "other" });
    await done("approle.secretIds.custom", { role_name: "other", secret_id: "mine" });
  });

  it.each<[rule: string, fields: Fields, status: number, piece: string]>([
    ["2.2: metadata that is no JSON", { metadata: "{" }, 400, "failed to parse metadata"],
    ["2.2: metadata that is no text", { metadata: '{"a":1}' }, 400, "failed to parse metadata"],
    ["2.2: metadata without names", { metadata: "a" }, 400, "failed to parse metadata"],
    ["2.3: more uses than the role's", { num_uses: 6 }, 400, "num_uses cannot be higher"],
    ["2.3: uses without end", { num_uses: 0 }, 400, "num_uses cannot be higher"],
    ["2.3: a longer TTL than the role's", { ttl: "2h" }, 400, "ttl cannot be longer"],
    ["2.3: a TTL without end", { ttl: 0 }, 400, "ttl cannot be longer"],
    ["2.4: what is no block", { cidr_list: "x" }, 400, "failed to validate CIDR blocks"],
    ["2.4: what is no block of a token", { token_bound_cidrs: "x" }, 400, "failed to validate token CIDR blocks"],
    ["2.4: addresses beyond the role's", { cidr_list: "11.0.0.1" }, 500, "failed to verify subset"],
    ["2.4: a token's addresses beyond the role's", { token_bound_cidrs: "11.0.0.1" }, 500, "failed to verify subset"],
    ["2.6: a role that is not there", { role_name: "none" }, 404, 'role "none" does not exist'],
    ["2.6: a role without secret ids", { role_name: "open" }, 400, "bind_secret_id is not set on the role"],
  ])("%s is refused", async (_rule, fields, status, piece) => {
    const { sim, done, call } = await authWorld(subject, "approle");
    const cidrs = { secret_id_bound_cidrs: "10.0.0.0/8", token_bound_cidrs: "10.0.0.0/8" };
    await done("approle.write", { ...WEB, secret_id_ttl: "1h", secret_id_num_uses: 5, ...cidrs });
    await done("approle.write", { role_name: "open", bind_secret_id: false, ...cidrs });
    await expectNothingChanged(sim, async () => {
      expectRefused(await call("approle.secretIds.generate", { ...WEB, ...fields }), status, piece);
    });
  });

  it("2.2, 2.5: take a list as metadata, and no more time than the method has", async () => {
    const made = await authWorld(subject, "approle");
    const { done } = made;
    await done("auth.tune", { path: "approle", max_lease_ttl: "1h" });
    await done("approle.write", WEB);
    const issued = await done("approle.secretIds.generate", { ...WEB, ttl: "2h", metadata: "a=b, c = d" });
    expect(issued["secret_id_ttl"]).toBe(3600);
    const { secret_id } = issued;
    expect(await done("approle.secretIds.lookup", { ...WEB, secret_id })).toMatchObject({
      secret_id_ttl: 7200,
      metadata: { a: "b", c: "d" },
    });
  });

  it("2.7, 2.8: are listed by their accessors, and destroyed", async () => {
    const made = await authWorld(subject, "approle");
    const { sim, done, call } = made;
    await done("approle.write", WEB);
    await done("approle.write", { role_name: "other" });
    expectNotFound(await call("approle.secretIds.list", WEB));
    const [one, two] = [await secretId(made), await secretId(made)];
    expect(await done("approle.secretIds.list", WEB)).toEqual({ keys: [one.accessor, two.accessor].sort() });
    expectRefused(await call("approle.secretIds.list", { role_name: "none" }), 400, "does not exist");
    expectDone(await call("approle.secretIds.destroy", { ...WEB, secret_id: one.id }));
    expectDone(await call("approle.secretIds.destroyByAccessor", { ...WEB, secret_id_accessor: two.accessor }));
    expectNotFound(await call("approle.secretIds.list", WEB));
    const known = await secretId(made);
    await expectNothingChanged(sim, async () => {
      expectDone(await call("approle.secretIds.destroy", { ...WEB, secret_id: one.id }));
      expectDone(await call("approle.secretIds.lookup", { ...WEB, secret_id: one.id }));
      const text = "failed to find accessor entry";
      for (const gone of [
        { ...WEB, secret_id_accessor: two.accessor },
        { role_name: "other", secret_id_accessor: known.accessor },
      ]) {
        expectRefused(await call("approle.secretIds.lookupByAccessor", gone), 404, text);
        expectRefused(await call("approle.secretIds.destroyByAccessor", gone), 500, text);
      }
      for (const verb of ["lookup", "destroy"] as const) {
        const operation: OperationName = `approle.secretIds.${verb}`;
        expectRefused(await call(operation, WEB), 400, "missing secret_id");
        expectRefused(await call(`${operation}ByAccessor`, WEB), 400, "missing secret_id_accessor");
        expectRefused(await call(operation, { role_name: "none", secret_id: "x" }), 500, "does not exist");
      }
    });
  });

  it("2.9, 2.10: end at their instants, and nothing is left to be tidied", async () => {
    const made = await authWorld(subject, "approle");
    const { sim, done, call, login } = made;
    await done("approle.write", { ...WEB, secret_id_ttl: "2h" });
    const [early, late] = [await secretId(made, { ttl: "1h" }), await secretId(made)];
    expect(sim.clock.pending().filter(({ command }) => command === "timer.secretIdExpiry")).toHaveLength(1);
    sim.clock.advance(3_599_999);
    const role_id = await roleId(made);
    authOf(await login("approle.login", { role_id, secret_id: early.id }));
    sim.clock.advance(1);
    expectRefused(await login("approle.login", { role_id, secret_id: early.id }), 400, "invalid role or secret ID");
    expect(await done("approle.secretIds.list", WEB)).toEqual({ keys: [late.accessor] });
    await expectNothingChanged(sim, async () => {
      expect(await call("approle.tidy")).toMatchObject({ status: 202 });
    });
    sim.clock.advance("1h");
    expectNotFound(await call("approle.secretIds.list", WEB));
    expect(sim.clock.pending().filter(({ command }) => command === "timer.secretIdExpiry")).toEqual([]);
  });

  it("1.5: go with their role, and with the method", async () => {
    const made = await authWorld(subject, "approle");
    const { sim, done, call } = made;
    const expiries = () => sim.clock.pending().filter(({ command }) => command === "timer.secretIdExpiry");
    await done("approle.write", { ...WEB, secret_id_ttl: "2h" });
    await secretId(made);
    await done("approle.delete", WEB);
    expect(expiries()).toEqual([]);
    await done("approle.write", { ...WEB, secret_id_ttl: "2h" });
    expectNotFound(await call("approle.secretIds.list", WEB));
    await secretId(made);
    expect(expiries()).toHaveLength(1);
    await done("auth.disable", { path: "approle" });
    expect(expiries()).toEqual([]);
  });
});

describe.each(doors())("logins of approles through %s", (_, subject) => {
  it("3.1, 3.5: know role id and secret id", async () => {
    const made = await authWorld(subject, "approle");
    const { done, login, lookup } = made;
    await done("approle.write", { ...WEB, token_policies: "dev" });
    await done("approle.write", { role_name: "other" });
    const [role_id, other] = [await roleId(made), await roleId(made, "other")];
    const { id: secret_id } = await secretId(made, { metadata: "team=ops" });
    const auth = authOf(await login("approle.login", { role_id: ` ${role_id} `, secret_id: `${secret_id}\n` }));
    expect(auth).toMatchObject({ policies: ["default", "dev"], metadata: { role_name: "web", team: "ops" } });
    expect(lookup(auth.client_token)).toMatchObject({ display_name: "approle", path: "auth/approle/login" });
    expect(await done("identity.entities.read", { id: auth.entity_id })).toMatchObject({
      aliases: [{ name: role_id, metadata: { role_name: "web", team: "ops" } }],
    });
    expectRefused(await login("approle.login", { secret_id }), 400, "missing role_id");
    expectRefused(await login("approle.login", { role_id }), 400, "missing secret_id");
    const wrong = "invalid role or secret ID";
    expectRefused(await login("approle.login", { role_id: "none", secret_id }), 400, wrong);
    expectRefused(await login("approle.login", { role_id, secret_id: "none" }), 400, wrong);
    expectRefused(await login("approle.login", { role_id: other, secret_id }), 400, wrong);
  });

  it("3.1, 3.3: of a role without secret ids come from its addresses", async () => {
    const made = await authWorld(subject, "approle");
    const { done, login } = made;
    await done("approle.write", { ...WEB, bind_secret_id: false, secret_id_bound_cidrs: "10.0.0.0/8" });
    const role_id = await roleId(made);
    const text = 'source address "127.0.0.1" unauthorized by CIDR restrictions on the role';
    expectRefused(await login("approle.login", { role_id }), 400, text);
    expect(authOf(await login("approle.login", { role_id }, { address: "10.0.0.1" })).metadata).toEqual({
      role_name: "web",
    });
  });

  it("3.2: spend a use of a limited secret id, whatever comes next", async () => {
    const made = await authWorld(subject, "approle");
    const { sim, done, login, call } = made;
    await done("approle.write", { ...WEB, secret_id_num_uses: 3 });
    const role_id = await roleId(made);
    const { id: secret_id, accessor } = await secretId(made, { cidr_list: "10.0.0.1" });
    const left = async () =>
      (await done("approle.secretIds.lookupByAccessor", { ...WEB, secret_id_accessor: accessor }))[
        "secret_id_num_uses"
      ];
    expectRefused(await login("approle.login", { role_id, secret_id }), 400, "restrictions on the secret ID");
    expect(await left()).toBe(2);
    const from = { address: "10.0.0.1" };
    authOf(await login("approle.login", { role_id, secret_id }, from));
    expect(await left()).toBe(1);
    authOf(await login("approle.login", { role_id, secret_id }, from));
    expectNotFound(await call("approle.secretIds.list", WEB));
    expectRefused(await login("approle.login", { role_id, secret_id }, from), 400, "invalid role or secret ID");
    await done("approle.write", { ...WEB, secret_id_num_uses: 0 });
    const unlimited = await secretId(made, { cidr_list: "10.0.0.1" });
    await expectNothingChanged(sim, async () => {
      expectRefused(await login("approle.login", { role_id, secret_id: unlimited.id }), 400, "on the secret ID");
    });
  });

  it("3.3: end where the role's addresses have become narrower", async () => {
    const made = await authWorld(subject, "approle");
    const { done, login } = made;
    await done("approle.write", WEB);
    const { id: secret_id } = await secretId(made, { cidr_list: "10.0.0.0/8" });
    await done("approle.write", { ...WEB, secret_id_bound_cidrs: "10.1.0.0/16" });
    const asked = { role_id: await roleId(made), secret_id };
    expectRefused(await login("approle.login", asked, { address: "10.1.0.1" }), 500, "failed to verify subset");
  });

  it("3.4: bind the token to the secret id's addresses, or else the role's", async () => {
    const made = await authWorld(subject, "approle");
    const { done, login, lookup, call } = made;
    await done("approle.write", { ...WEB, token_bound_cidrs: "10.0.0.0/8" });
    const role_id = await roleId(made);
    const bound = async (fields: Fields) => {
      const { id } = await secretId(made, fields);
      const { client_token: token } = authOf(await login("approle.login", { role_id, secret_id: id }));
      expectRefused(await call("tokens.lookupSelf", {}, { token }), 403, "permission denied");
      return lookup(token)["bound_cidrs"];
    };
    expect(await bound({})).toEqual(["10.0.0.0/8"]);
    expect(await bound({ token_bound_cidrs: "10.1.0.0/16" })).toEqual(["10.1.0.0/16"]);
  });

  it("3.6: are not renewed once the role is gone", async () => {
    const made = await authWorld(subject, "approle");
    const { done, login, call } = made;
    await done("approle.write", WEB);
    const { id: secret_id } = await secretId(made);
    const { client_token: token } = authOf(await login("approle.login", { role_id: await roleId(made), secret_id }));
    authOf(await call("tokens.renewSelf", {}, { token }));
    await done("approle.delete", WEB);
    expectRefused(await call("tokens.renewSelf", {}, { token }), 500, 'role "web" does not exist during renewal');
  });
});
