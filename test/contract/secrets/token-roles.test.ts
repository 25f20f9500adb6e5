import { describe, expect, it } from "vitest";
import { createSimulator } from "../../support/checked.ts";
import { type Answer, doors, type Fields, type OperationName, type Subject } from "../driver.ts";
import { expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";
import { authOf } from "./auth-world.ts";

// src/services/secrets/tokens/README.md: each test names the rules that it holds.

const MAKER = 'path "auth/token/*" { capabilities = ["create", "update", "read", "list", "delete"] }';

function world({ open }: Subject) {
  const sim = createSimulator({ seed: 21 });
  const main = sim.secrets.cluster("main");
  main.writePolicy("maker", MAKER);
  const maker = main.createToken({ policies: ["maker", "a"], entityId: "e-1" }).token;
  const door = open(sim);
  const call = (name: OperationName, fields: Fields = {}, token?: string): Promise<Answer> =>
    door.call(name, fields, token === undefined ? {} : { token });
  return {
    sim,
    maker,
    call,
    role: async (fields: Fields) => expectDone(await call("tokens.roles.write", { role_name: "ci", ...fields })),
    against: (fields: Fields = {}) => call("tokens.createAgainst", { role_name: "ci", ...fields }, maker),
    lookup: (token: string) => ({ ...main.as(main.rootToken).tokens.lookup({ token }).data }),
  };
}

const dataOf = (answer: Answer) => (answer.body as { readonly data: Record<string, unknown> }).data;

describe.each(doors())("tokens through %s", (_, subject) => {
  it("1.1, 1.2, 1.3: are looked up, renewed and revoked by their accessors, and are not told", async () => {
    const { sim, call, lookup } = world(subject);
    const { client_token: token, accessor } = authOf(await call("tokens.create", { ttl: "1h" })) as never;
    expect(dataOf(await call("tokens.lookupAccessor", { accessor }))).toEqual({ ...lookup(token), id: "" });
    sim.clock.advance("10m");
    const renewed = authOf(await call("tokens.renewAccessor", { accessor, increment: "2h" }));
    expect(renewed).toMatchObject({ client_token: "", accessor, lease_duration: 7200 });
    expectDone(await call("tokens.revokeAccessor", { accessor }));
    expectRefused(await call("tokens.lookup", { token }), 403, "bad token");
  });

  it.each(["lookupAccessor", "renewAccessor", "revokeAccessor"] as const)(
    "1.4: %s wants a known accessor",
    async (name) => {
      const { sim, call } = world(subject);
      await expectNothingChanged(sim, async () => {
        expectRefused(await call(`tokens.${name}`), 400, "missing accessor");
        const unknown = await call(`tokens.${name}`, { accessor: "none" });
        if (name !== "revokeAccessor") expectRefused(unknown, 403, "invalid accessor");
        else expect(unknown.body).toMatchObject({ data: null, warnings: ["No token found with this accessor"] });
      });
    },
  );

  it("2.1: revoked alone, leave those that they made as orphans", async () => {
    const { sim, call, maker, lookup } = world(subject);
    const { client_token: child } = authOf(await call("tokens.create", { policies: ["maker"] }, maker));
    const { client_token: grandchild } = authOf(await call("tokens.create", {}, child));
    expectDone(await call("tokens.revokeOrphan", { token: maker }));
    expect(lookup(child)).toMatchObject({ orphan: true });
    expect(lookup(grandchild)).toMatchObject({ orphan: false });
    expectRefused(await call("tokens.lookup", { token: maker }), 403, "bad token");
    expectDone(await call("tokens.revoke", { token: child }));
    expectRefused(await call("tokens.lookup", { token: grandchild }), 403, "bad token");
    expect(sim.state.secrets["main"]?.local.tokensByParent.size).toBe(0);
  });

  it("2.2: are revoked alone by whoever has sudo", async () => {
    const { sim, call, maker } = world(subject);
    const { client_token: batch } = authOf(await call("tokens.create", { type: "batch", policies: ["a"] }));
    await expectNothingChanged(sim, async () => {
      expectRefused(await call("tokens.revokeOrphan", { token: batch }, maker), 400, "sudo");
      expectRefused(await call("tokens.revokeOrphan"), 400, "missing token ID");
      expectRefused(await call("tokens.revokeOrphan", { token: "none" }), 400, "token to revoke not found");
      expectRefused(await call("tokens.revokeOrphan", { token: batch }), 400, "batch tokens cannot be revoked");
    });
  });
});

const SHOWN = {
  allowed_entity_aliases: [],
  allowed_policies: [],
  allowed_policies_glob: [],
  disallowed_policies: [],
  disallowed_policies_glob: [],
  explicit_max_ttl: 0,
  name: "ci",
  orphan: false,
  path_suffix: "",
  period: 0,
  renewable: true,
  token_explicit_max_ttl: 0,
  token_no_default_policy: false,
  token_period: 0,
  token_type: "default-service",
};

describe.each(doors())("roles of tokens through %s", (_, subject) => {
  it("3.1, 3.2: are written, read, listed and deleted", async () => {
    const { sim, call, role } = world(subject);
    expectNotFound(await call("tokens.roles.list"));
    expectNotFound(await call("tokens.roles.read", { role_name: "ci" }));
    await role({});
    expect(dataOf(await call("tokens.roles.read", { role_name: "ci" }))).toEqual(SHOWN);
    await role({ allowed_policies: "b,A", token_bound_cidrs: ["10.0.0.0/8"], token_num_uses: 3, period: "1h" });
    await role({ explicit_max_ttl: 60, token_explicit_max_ttl: 120, path_suffix: "of-ours" });
    expect(dataOf(await call("tokens.roles.read", { role_name: "ci" }))).toEqual({
      ...SHOWN,
      allowed_policies: ["a", "b"],
      bound_cidrs: ["10.0.0.0/8"],
      token_bound_cidrs: ["10.0.0.0/8"],
      token_num_uses: 3,
      period: 3600,
      token_period: 3600,
      explicit_max_ttl: 120,
      token_explicit_max_ttl: 120,
      path_suffix: "of-ours",
    });
    expect(dataOf(await call("tokens.roles.list"))).toEqual({ keys: ["ci"] });
    expectDone(await call("tokens.roles.delete", { role_name: "ci" }));
    await expectNothingChanged(sim, async () => expectDone(await call("tokens.roles.delete", { role_name: "ci" })));
  });

  it.each<[what: string, fields: Fields, piece: string]>([
    ["a type that there is not", { token_type: "big" }, "invalid 'token_type' value \"big\""],
    ["what is no block", { token_bound_cidrs: "10.0.0.0/33" }, '"10.0.0.0/33"'],
    ["a suffix with slashes", { path_suffix: "a/b" }, "invalid characters"],
    ["batch tokens with a parent", { token_type: "batch" }, "non-orphan tokens"],
    ["periodic batch tokens", { token_type: "batch", orphan: true, token_period: 1 }, "periodic tokens"],
    ["renewable batch tokens", { token_type: "batch", orphan: true }, "renewable tokens"],
    [
      "batch tokens with a maximum",
      { token_type: "batch", orphan: true, renewable: false, explicit_max_ttl: 1 },
      "explicit max TTL",
    ],
  ])("3.3: are refused with %s", async (_what, fields, piece) => {
    const { sim, call } = world(subject);
    const write = { role_name: "ci", ...fields };
    await expectNothingChanged(sim, async () => expectRefused(await call("tokens.roles.write", write), 400, piece));
  });

  it("3.4: lie in their namespace", async () => {
    const { sim, call, role } = world(subject);
    sim.secrets.cluster("main").createNamespace("team");
    await role({});
    const team = sim.secrets.cluster("main").as(sim.secrets.cluster("main").rootToken, { namespace: "team" });
    expect(() => team.tokens.createAgainst({ role_name: "ci" })).toThrow("unknown role ci");
    expect(dataOf(await call("tokens.roles.list"))).toEqual({ keys: ["ci"] });
  });
});

describe.each(doors())("tokens against a role through %s", (_, subject) => {
  it("4.1: want a role that is there", async () => {
    const { sim, against } = world(subject);
    await expectNothingChanged(sim, async () => expectRefused(await against(), 400, "unknown role ci"));
  });

  it.each<[role: Fields, asked: Fields, policies: readonly string[] | string]>([
    [{}, {}, ["a", "default", "maker"]],
    [{}, { policies: ["z"] }, "child policies must be subset of parent"],
    [{ allowed_policies: "x,y" }, {}, ["default", "x", "y"]],
    [{ allowed_policies: "x,y" }, { policies: ["y"] }, ["default", "y"]],
    [{ allowed_policies: "x,y" }, { policies: ["y"], no_default_policy: true }, ["y"]],
    [{ allowed_policies: "x", token_no_default_policy: true }, {}, ["x"]],
    [{ allowed_policies: "x" }, { policies: ["a"] }, "must be subset of the role's allowed policies"],
    [{ allowed_policies_glob: "dev-*" }, { policies: ["dev-1"] }, ["default", "dev-1"]],
    [{ allowed_policies_glob: "dev-*" }, { policies: ["ops"] }, "must be subset of the role's allowed policies"],
    [{ disallowed_policies: "ops" }, {}, ["a", "default", "maker"]],
    [{ disallowed_policies: "ops" }, { policies: ["x"] }, ["default", "x"]],
    [{ disallowed_policies: "default" }, { policies: ["x"] }, ["x"]],
    [{ disallowed_policies: "ops" }, { policies: ["ops"] }, 'token policy "ops" is disallowed by this role'],
    [{ disallowed_policies_glob: "op*" }, { policies: ["ops"] }, 'token policy "ops" is disallowed by this role'],
    [{ disallowed_policies: "x" }, { policies: ["root"] }, "root tokens may not be created"],
  ])("4.2, 4.3: of %j, asked for %j, have their policies", async (fields, asked, policies) => {
    const { against, role } = world(subject);
    await role(fields);
    const answer = await against(asked);
    if (typeof policies === "string") expectRefused(answer, 400, policies);
    else expect(authOf(answer).policies).toEqual(policies);
  });

  it("4.4: are limited by it", async () => {
    const { against, role, lookup } = world(subject);
    await role({ orphan: true, renewable: false, token_num_uses: 5, token_explicit_max_ttl: "2h" });
    const limited = authOf(await against({ explicit_max_ttl: "3h", num_uses: 9, no_parent: false }));
    expect(limited).toMatchObject({ orphan: true, renewable: false, num_uses: 5, lease_duration: 7200, entity_id: "" });
    expect(authOf(await against({ explicit_max_ttl: "1h", num_uses: 2 }))).toMatchObject({
      num_uses: 2,
      lease_duration: 3600,
    });
    await role({ orphan: false, token_period: "30m" });
    const { client_token } = authOf(await against());
    expect(lookup(client_token)).toMatchObject({ orphan: false, period: 1800, ttl: 1800, entity_id: "e-1" });
  });

  it.each([
    ["default-service", undefined, "service"],
    ["default-service", "batch", "batch"],
    ["default-batch", undefined, "batch"],
    ["default-batch", "service", "service"],
    ["service", "batch", "service"],
    ["batch", "service", "batch"],
  ])("4.5: of a role with %s, asked for %s, are %s tokens", async (token_type, type, expected) => {
    const { against, role } = world(subject);
    await role({ token_type, orphan: true, renewable: false });
    expect(authOf(await against(type === undefined ? {} : { type })).token_type).toBe(expected);
  });

  it("4.6: say where they are from", async () => {
    const { against, role, lookup } = world(subject);
    await role({ path_suffix: "of-ours", token_bound_cidrs: "10.0.0.0/8" });
    const { client_token } = authOf(await against());
    const told = { path: "auth/token/create/ci/of-ours", role: "ci", bound_cidrs: ["10.0.0.0/8"] };
    expect(lookup(client_token)).toMatchObject(told);
  });

  it("4.7: are renewed by the period that it has now", async () => {
    const { call, against, role } = world(subject);
    await role({ token_period: "30m" });
    const { client_token: token } = authOf(await against());
    await role({ token_period: "1h" });
    expect(authOf(await call("tokens.renew", { token })).lease_duration).toBe(3600);
    expectDone(await call("tokens.roles.delete", { role_name: "ci" }));
    expectRefused(await call("tokens.renew", { token }), 500, 'original token role "ci" could not be found');
  });

  it("4.8: are for whom an alias leads to", async () => {
    const { sim, call, against, role } = world(subject);
    expectRefused(await call("tokens.create", { entity_alias: "web" }), 400, "in combination with token role");
    await role({ allowed_entity_aliases: "web-*", orphan: true });
    expectRefused(await against({ entity_alias: "ops" }), 400, "invalid 'entity_alias' value");
    const { entity_id } = authOf(await against({ entity_alias: "Web-1" }));
    expect(
      sim.secrets.cluster("main").as(sim.secrets.cluster("main").rootToken).identity.entities.read({ id: entity_id })
        .data,
    ).toMatchObject({ aliases: [{ name: "Web-1", mount_accessor: expect.stringMatching(/^auth_token_/) }] });
    expect(authOf(await against({ entity_alias: "Web-1" })).entity_id).toBe(entity_id);
  });
});

it.each(doors())("5.1: tidying is started, and changes nothing, through %s", async (_, { open }) => {
  const sim = createSimulator();
  await expectNothingChanged(sim, async () => {
    const answer = await open(sim).call("tokens.tidy");
    expect(answer).toMatchObject({ status: 202, body: { data: null, warnings: [expect.any(String)] } });
  });
});
