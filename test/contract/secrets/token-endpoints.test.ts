import { describe, expect, it } from "vitest";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { type Answer, doors, type Fields, type OperationName } from "../driver.ts";
import { expectData, expectDone, expectNothingChanged, expectRefused } from "../expectations.ts";

// decisions-secrets-core.md, A.7 and D.7: the endpoints of auth/token.

const SYSTEM = 2_764_800;
const MAKER = 'path "auth/token/*" { capabilities = ["create", "update", "read", "list"] }';
const SUDO = 'path "auth/token/*" { capabilities = ["create", "update", "read", "list", "sudo"] }';

interface World {
  readonly sim: Simulator;
  /** May make tokens, without sudo. */
  readonly maker: string;
  readonly sudoer: string;
}

function world(): World {
  const sim = createSimulator({ seed: 14 });
  const main = sim.secrets.cluster("main");
  main.writePolicy("maker", MAKER);
  main.writePolicy("sudoer", SUDO);
  const maker = main.createToken({ policies: ["maker", "a", "b"], entityId: "e-1" }).token;
  return { sim, maker, sudoer: main.createToken({ policies: ["sudoer"] }).token };
}

interface Auth {
  readonly client_token: string;
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly lease_duration: number;
  readonly [name: string]: unknown;
}

function authIn(answer: Answer): Auth {
  expect({ status: answer.status, errors: answer.errors }).toEqual({ status: 200, errors: undefined });
  const { auth, data } = answer.body as { readonly auth: Auth; readonly data: unknown };
  expect(data).toBeNull();
  return auth;
}

const warningsIn = (answer: Answer): unknown => (answer.body as { readonly warnings: unknown }).warnings;

describe.each(doors())("a token created through %s", (_, { open }) => {
  it("is shown as auth, with nothing else", async () => {
    const { sim, maker } = world();
    const fields = { policies: ["B", "a", "a"], ttl: "1h", meta: { team: "x" }, display_name: "ci", num_uses: 3 };
    expect(authIn(await open(sim).call("tokens.create", fields, { token: maker }))).toEqual({
      client_token: expect.stringMatching(/^scs\.\w{24}$/),
      accessor: expect.stringMatching(/^\w{24}$/),
      policies: ["a", "b", "default"],
      token_policies: ["a", "b", "default"],
      metadata: { team: "x" },
      lease_duration: 3600,
      renewable: true,
      entity_id: "e-1",
      token_type: "service",
      orphan: false,
      num_uses: 3,
    });
  });

  it.each<[fields: Fields, policies: readonly string[]]>([
    [{}, ["a", "b", "default", "maker"]],
    [{ no_default_policy: true }, ["a", "b", "maker"]],
    [{ policies: [] }, ["a", "b", "default", "maker"]],
    [{ policies: ["a"] }, ["a", "default"]],
    [{ policies: "a" }, ["a", "default"]],
    [{ policies: ["a"], no_default_policy: true }, ["a"]],
    [{ policies: ["default"] }, ["default"]],
    [{ policies: ["default", "a"], no_default_policy: true }, ["a"]],
    [{ policies: [" A ", "", "b"] }, ["a", "b", "default"]],
  ])("with %j has its policies", async (fields, policies) => {
    const { sim, maker } = world();
    expect(authIn(await open(sim).call("tokens.create", fields, { token: maker })).policies).toEqual(policies);
  });

  it.each<[rule: string, fields: Fields, piece: string]>([
    ["policies that its parent lacks", { policies: ["c"] }, "child policies must be subset of parent"],
    ["one string that names two policies", { policies: "a,b" }, "child policies must be subset of parent"],
    ["policy root", { policies: ["root"] }, "root"],
    ["the policy of wrapping tokens", { policies: ["response-wrapping"] }, "cannot assign"],
    ["a period", { period: "1h" }, "sudo"],
    ["no parent", { no_parent: true }, "sudo"],
    ["an id", { id: "mine" }, "sudo"],
    ["negative uses", { num_uses: -1 }, "Field validation failed"],
    ["a negative ttl", { ttl: -1 }, "Field validation failed"],
    ["a ttl in weeks", { ttl: "1w" }, "Field validation failed"],
    ["an id with a dot", { id: "s.mine" }, "dots"],
    ["meta without a value", { meta: "x" }, "Field validation failed"],
    ["meta with a list", { meta: { a: [1] } }, "Field validation failed"],
    ["an unknown type", { type: "big" }, "type"],
    ["a batch token's explicit maximum", { type: "batch", explicit_max_ttl: "1h" }, "batch"],
    ["a batch token's uses", { type: "batch", num_uses: 1 }, "batch"],
  ])("without sudo is refused with %s", async (_rule, fields, piece) => {
    const { sim, maker } = world();
    await expectNothingChanged(sim, async () => {
      expectRefused(await open(sim).call("tokens.create", fields, { token: maker }), 400, piece);
    });
  });

  it("with sudo has any policies, a period, no parent, an id", async () => {
    const { sim, sudoer } = world();
    const fields = { policies: ["any"], period: "20d", no_parent: true, id: "mine" };
    const answer = await open(sim).call("tokens.create", fields, { token: sudoer });
    expect(authIn(answer)).toMatchObject({ client_token: "mine", orphan: true, lease_duration: 1_728_000 });
    expect(warningsIn(answer)).toEqual([expect.stringContaining("id"), expect.stringContaining('"any"')]);
    expectRefused(await open(sim).call("tokens.create", { id: "mine" }, { token: sudoer }), 400, "duplicate");
    expectRefused(await open(sim).call("tokens.create", { policies: ["root"] }, { token: sudoer }), 400, "root");
    const batch = { type: "batch", period: "1h" };
    expectRefused(await open(sim).call("tokens.create", batch, { token: sudoer }), 400, "batch");
  });

  it("of type batch takes no id, and says so", async () => {
    const { sim, sudoer } = world();
    const answer = await open(sim).call("tokens.create", { type: "batch", id: "mine" }, { token: sudoer });
    expect(authIn(answer).client_token).toMatch(/^b\./);
    expect(warningsIn(answer)).toEqual([expect.stringContaining("id")]);
  });

  it("has root alone where it is asked for among others", async () => {
    const { sim } = world();
    expect(authIn(await open(sim).call("tokens.create", { policies: ["a", "Root"] })).policies).toEqual(["root"]);
  });

  it.each([
    ["a=b", { a: "b" }],
    [["a=b", "c=d"], { a: "b", c: "d" }],
  ])("takes meta as %j", async (meta, expected) => {
    const { sim, maker } = world();
    const auth = authIn(await open(sim).call("tokens.create", { meta }, { token: maker }));
    expect(auth["metadata"]).toEqual(expected);
  });

  it("ends with nobody on the path of orphans, which asks for no sudo", async () => {
    const { sim, maker } = world();
    expect(authIn(await open(sim).call("tokens.createOrphan", {}, { token: maker }))["orphan"]).toBe(true);
  });

  it("is called by letters, digits and hyphens", async () => {
    const { sim, maker } = world();
    const door = open(sim);
    const { client_token: token } = authIn(
      await door.call("tokens.create", { display_name: "sp ace/x.y!" }, { token: maker }),
    );
    const shown = expectData(await door.call("tokens.lookup", { token }, { token: maker }));
    expect(shown["display_name"]).toBe("token-sp-ace-x-y");
  });

  it("ends after less than a second where its TTL says so", async () => {
    const { sim, maker } = world();
    const door = open(sim);
    const auth = authIn(await door.call("tokens.create", { ttl: "500ms" }, { token: maker }));
    expect(auth.lease_duration).toBe(0);
    const token = auth.client_token;
    sim.clock.advance(499);
    expect(expectData(await door.call("tokens.lookupSelf", {}, { token }))).toMatchObject({ ttl: 0, creation_ttl: 0 });
    sim.clock.advance(1);
    expectRefused(await door.call("tokens.lookupSelf", {}, { token }), 403, "permission denied");
  });

  it("by root does not outlive a root that ends, and is no root of another namespace", async () => {
    const { sim } = world();
    const main = sim.secrets.cluster("main");
    const door = open(sim);
    const { token } = main.createToken({ policies: ["root"], ttl: "1h" });
    expectRefused(await door.call("tokens.create", {}, { token }), 400, "non-expiring");
    expect(authIn(await door.call("tokens.create", { ttl: "2h" }, { token })).policies).toEqual(["root"]);
    main.createNamespace("team");
    const asking = { namespace: "team" };
    expectRefused(await door.call("tokens.create", { ttl: "1h" }, asking), 400, "parent namespace");
    expectRefused(await door.call("tokens.create", { policies: ["root"] }, asking), 400, "parent namespace");
  });

  it("has the policies of its entity beside its own", async () => {
    const { sim } = world();
    const main = sim.secrets.cluster("main");
    const door = open(sim);
    const { id } = main.createEntity({ name: "ann", policies: ["B", "maker"] });
    const token = main.createToken({ policies: ["a"], entityId: id }).token;
    expect(authIn(await door.call("tokens.create", { policies: ["a"] }, { token }))).toMatchObject({
      policies: ["a", "b", "default", "maker"],
      token_policies: ["a", "default"],
      identity_policies: ["b", "maker"],
    });
    expect(expectData(await door.call("tokens.lookupSelf", {}, { token }))).toMatchObject({
      policies: ["a", "default"],
      identity_policies: ["b", "maker"],
      external_namespace_policies: {},
    });
  });

  it.each<[fields: Fields, seconds: number, capped: boolean]>([
    [{}, SYSTEM, false],
    [{ ttl: "40d" }, SYSTEM, true],
    [{ ttl: "2h", explicit_max_ttl: "1h" }, 3600, true],
    [{ explicit_max_ttl: "1h" }, 3600, false],
    [{ ttl: 60 }, 60, false],
    [{ type: "batch", ttl: "1h" }, 3600, false],
  ])("with %j lives for %i seconds; capped: %s", async (fields, seconds, capped) => {
    const { sim, maker } = world();
    const answer = await open(sim).call("tokens.create", fields, { token: maker });
    expect(authIn(answer).lease_duration).toBe(seconds);
    const unknown = ["a", "b"].map((name) => expect.stringContaining(`"${name}"`) as unknown);
    const cut = capped ? [expect.stringContaining("max_ttl") as unknown] : [];
    expect(warningsIn(answer)).toEqual([...cut, ...unknown]);
  });

  it("by root without a TTL never expires, and inherits root", async () => {
    const { sim } = world();
    const door = open(sim);
    const auth = authIn(await door.call("tokens.create"));
    expect(auth).toMatchObject({ policies: ["root"], lease_duration: 0, renewable: false });
    expect(expectData(await door.call("tokens.lookupSelf", {}, { token: auth.client_token }))).toMatchObject({
      expire_time: null,
      ttl: 0,
    });
  });

  it("is refused to batch tokens and to tokens of so many uses", async () => {
    const { sim } = world();
    const main = sim.secrets.cluster("main");
    const door = open(sim);
    const batch = main.createToken({ policies: ["maker"], type: "batch" }).token;
    expectRefused(await door.call("tokens.create", {}, { token: batch }), 400, "batch");
    const limited = main.createToken({ policies: ["maker"], numUses: 2 }).token;
    expectRefused(await door.call("tokens.create", {}, { token: limited }), 400, "token");
  });

  it("below a namespace is that namespace's", async () => {
    const { sim } = world();
    sim.secrets.cluster("main").createNamespace("team");
    const door = open(sim);
    const { client_token: token } = authIn(
      await door.call("tokens.create", { policies: ["x"] }, { namespace: "team" }),
    );
    expectRefused(await door.call("tokens.lookupSelf", {}, { token }), 403, "permission denied");
    expectData(await door.call("tokens.lookupSelf", {}, { token, namespace: "team" }));
    expect(expectData(await door.call("tokens.accessors", {}, { namespace: "team" }))["keys"]).toHaveLength(1);
  });
});

describe.each(doors())("a look-up through %s", (_, { open }) => {
  it("tells all of a token, by itself and by others", async () => {
    const { sim, maker } = world();
    const door = open(sim);
    const fields = { policies: ["a"], ttl: "1h", explicit_max_ttl: "2h", display_name: "ci", num_uses: 5 };
    const { client_token: token, accessor } = authIn(await door.call("tokens.create", fields, { token: maker }));
    sim.clock.advance("90500ms");
    const expected = {
      accessor,
      creation_time: 1_767_225_600,
      creation_ttl: 3600,
      display_name: "token-ci",
      entity_id: "e-1",
      expire_time: "2026-01-01T01:00:00Z",
      explicit_max_ttl: 7200,
      id: token,
      issue_time: "2026-01-01T00:00:00Z",
      meta: null,
      num_uses: 5,
      orphan: false,
      path: "auth/token/create",
      policies: ["a", "default"],
      renewable: true,
      ttl: 3509,
      type: "service",
    };
    expect(expectData(await door.call("tokens.lookup", { token }, { token: maker }))).toEqual(expected);
    expect(expectData(await door.call("tokens.lookupRead", { token }, { token: maker }))).toEqual(expected);
    expect(expectData(await door.call("tokens.lookupSelf", {}, { token }))).toEqual({ ...expected, num_uses: 4 });
  });

  it("of a token that is unknown or has expired is 403", async () => {
    const { sim, maker } = world();
    const door = open(sim);
    const { token } = sim.secrets.cluster("main").createToken({ policies: [], ttl: "1s" });
    expectRefused(await door.call("tokens.lookup", { token: "nobody" }, { token: maker }), 403, "bad token");
    sim.clock.advance("1s");
    expectRefused(await door.call("tokens.lookup", { token }, { token: maker }), 403, "bad token");
  });
});

describe.each(doors())("a renewal through %s", (_, { open }) => {
  it("counts from now, and can shorten", async () => {
    const { sim } = world();
    const door = open(sim);
    const { token } = sim.secrets.cluster("main").createToken({ policies: [], ttl: "2h" });
    sim.clock.advance("1h");
    expect(authIn(await door.call("tokens.renewSelf", { increment: "10m" }, { token })).lease_duration).toBe(600);
    sim.clock.advance("599s");
    // Without an increment it is what was granted last.
    expect(authIn(await door.call("tokens.renew", { token })).lease_duration).toBe(600);
    expect(expectData(await door.call("tokens.lookupSelf", {}, { token }))).toMatchObject({
      last_renewal: "2026-01-01T01:09:59Z",
      last_renewal_time: 1_767_229_799,
    });
    sim.clock.advance("10m");
    expectRefused(await door.call("tokens.renewSelf", {}, { token }), 403, "permission denied");
    expect(sim.clock.pending().filter(({ dueAtMs }) => dueAtMs <= sim.clock.now())).toEqual([]);
  });

  it("never passes the maximum, counted from the creation", async () => {
    const { sim } = world();
    const door = open(sim);
    const { token } = sim.secrets.cluster("main").createToken({ policies: [], ttl: "1h", explicitMaxTtl: "90m" });
    sim.clock.advance("45m");
    const answer = await door.call("tokens.renewSelf", { increment: "1h" }, { token });
    expect(authIn(answer).lease_duration).toBe(2700);
    expect(warningsIn(answer)).toEqual([expect.stringContaining("max_ttl")]);
  });

  it("with the last use of the token is refused, as nothing else is", async () => {
    const { sim } = world();
    const door = open(sim);
    const { token } = sim.secrets.cluster("main").createToken({ policies: [], numUses: 2 });
    expect(expectData(await door.call("tokens.lookupSelf", {}, { token }))["num_uses"]).toBe(1);
    expectRefused(await door.call("tokens.renewSelf", {}, { token }), 400, "token not found");
    expectRefused(await door.call("tokens.lookupSelf", {}, { token }), 403, "permission denied");
    const other = sim.secrets.cluster("main").createToken({ policies: [], numUses: 1 }).token;
    expect(expectData(await door.call("tokens.lookupSelf", {}, { token: other }))["num_uses"]).toBe(-1);
  });

  it("of a periodic token never gives more than the system's maximum, and warns", async () => {
    const { sim } = world();
    const door = open(sim);
    const { token } = sim.secrets.cluster("main").createToken({ policies: [], period: "40d" });
    const answer = await door.call("tokens.renewSelf", {}, { token });
    expect(authIn(answer).lease_duration).toBe(SYSTEM);
    expect(warningsIn(answer)).toEqual([expect.stringContaining("max_ttl")]);
    expect(expectData(await door.call("tokens.lookupSelf", {}, { token }))["period"]).toBe(3_456_000);
  });

  it("of a periodic token gives its period again, whenever that is", async () => {
    const { sim } = world();
    const door = open(sim);
    const { token } = sim.secrets.cluster("main").createToken({ policies: [], period: "20d" });
    for (let round = 0; round < 3; round++) {
      sim.clock.advance("19d");
      const answer = await door.call("tokens.renewSelf", { increment: "1h" }, { token });
      expect(authIn(answer).lease_duration).toBe(1_728_000);
    }
  });

  it.each<[rule: string, options: object]>([
    ["that is not renewable", { renewable: false }],
    ["of type batch", { type: "batch" }],
    ["of root without an end", { policies: ["root"] }],
  ])("of a token %s is 400", async (_rule, options) => {
    const { sim } = world();
    const { token } = sim.secrets.cluster("main").createToken({ policies: ["default"], ...options });
    await expectNothingChanged(sim, async () => {
      expectRefused(await open(sim).call("tokens.renewSelf", {}, { token }), 400, "not renewable");
    });
  });

  it("of no token, or of an unknown one, is 400", async () => {
    const { sim } = world();
    expectRefused(await open(sim).call("tokens.renew", {}), 400, "missing");
    expectRefused(await open(sim).call("tokens.renew", { token: "nobody" }), 400, "not found");
  });
});

describe.each(doors())("a revocation through %s", (_, { open }) => {
  it("ends children and theirs in the same instant; orphans survive", async () => {
    const { sim, sudoer } = world();
    const door = open(sim);
    const make = async (operation: OperationName, token: string, fields: Fields = {}): Promise<string> =>
      authIn(await door.call(operation, fields, { token })).client_token;
    const child = await make("tokens.create", sudoer);
    const grandchild = await make("tokens.create", child);
    const batch = await make("tokens.create", child, { type: "batch" });
    const orphan = await make("tokens.createOrphan", child);
    const free = await make("tokens.create", child, { no_parent: true });
    const { position } = sim;
    expectDone(await door.call("tokens.revoke", { token: sudoer }));
    expect(sim.position).toBe(position + 1);
    const alive = [];
    for (const token of [sudoer, child, grandchild, batch, orphan, free]) {
      if ((await door.call("tokens.lookupSelf", {}, { token })).status === 200) alive.push(token);
    }
    expect(alive).toEqual([orphan, free]);
  });

  it("of oneself ends oneself; of what is unknown is 204; of none is 400; of a batch token is 400", async () => {
    const { sim, maker } = world();
    const door = open(sim);
    expectDone(await door.call("tokens.revokeSelf", {}, { token: maker }));
    expectRefused(await door.call("tokens.lookupSelf", {}, { token: maker }), 403, "permission denied");
    await expectNothingChanged(sim, async () => {
      expectDone(await door.call("tokens.revoke", { token: maker }));
      expectRefused(await door.call("tokens.revoke", {}), 400, "missing");
    });
    const { token } = sim.secrets.cluster("main").createToken({ policies: ["default"], type: "batch" });
    expectRefused(await door.call("tokens.revoke", { token }), 400, "batch");
    expectRefused(await door.call("tokens.revokeSelf", {}, { token }), 400, "batch");
  });

  it("by time ends children, too", async () => {
    const { sim } = world();
    const door = open(sim);
    const { token } = sim.secrets.cluster("main").createToken({ policies: ["maker"], ttl: "1m" });
    const child = authIn(await door.call("tokens.create", { ttl: "1h" }, { token })).client_token;
    sim.clock.advance("1m");
    expectRefused(await door.call("tokens.lookupSelf", {}, { token: child }), 403, "permission denied");
    expect(sim.clock.pending().filter(({ dueAtMs }) => dueAtMs < Date.UTC(2026, 0, 2))).toEqual([]);
  });
});

describe.each(doors())("accessors through %s", (_, { open }) => {
  it("are those of the namespace's service tokens", async () => {
    const { sim } = world();
    const main = sim.secrets.cluster("main");
    main.createToken({ policies: [], type: "batch" });
    const { accessor } = main.createToken({ policies: [] });
    const { keys } = expectData(await open(sim).call("tokens.accessors"));
    expect(keys).toHaveLength(4);
    expect(keys).toContain(accessor);
    expect(keys).toEqual([...(keys as string[])].sort());
  });
});
