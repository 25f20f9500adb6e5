import { describe, expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { reach } from "../transports.ts";
import { doors } from "./driver.ts";
import { regionsWorld, UNKNOWN_UUID } from "./regions-world.ts";

// decisions-scheduler-acl.md, sections 3 to 6.

describe.each(doors())("through %s", (_, open) => {
  const world = () => {
    const made = regionsWorld();
    return { ...made, door: open(made.sim, "eu") };
  };

  describe("a policy", () => {
    it.each(["under_score", "dot.ted", "a b", "ä", "x".repeat(129), "a,b"])("cannot be named %j", async (Name) => {
      const { door, root, sim } = world();
      const refused = await door.call("policies.write", root, { Name, Rules: "" });
      expect(refused).toMatchObject({ status: 400, code: "policy_invalid" });
      expect(refused.text).toContain(`policy 0 invalid: 1 error occurred:\n\t* invalid name '${Name}'`);
      expect(await door.call("policies.delete", root, { policy_name: Name })).toMatchObject({ status: 200 });
      expect(sim.scheduler.region("eu").as(root).policies.list()).toEqual([]);
    });

    it.each(["a", "-", "A-9", "constructor", "toString", "hasOwnProperty", "x".repeat(128)])(
      "can be named %j",
      async (Name) => {
        const { door, root } = world();
        expect(await door.call("policies.write", root, { Name, Rules: "" })).toMatchObject({ status: 200 });
        expect((await door.call("policies.read", root, { policy_name: Name })).body.Name).toBe(Name);
      },
    );

    it("has all its faults told at once, in their order", async () => {
      const { door, root } = world();
      const argument = { Name: "a b", Rules: "nonsense", Description: "ü".repeat(129) };
      const { text } = await door.call("policies.write", root, argument);
      expect(text).toMatch(
        /policy 0 invalid: 3 errors occurred:\n\t\* .*invalid name 'a b'.*\n\t\* failed to parse rules.*\n\t\* .*description longer than 256/,
      );
      const fits = { Name: "ab", Rules: "", Description: "ü".repeat(128) };
      expect((await door.call("policies.write", root, fits)).status).toBe(200);
    });

    it("keeps its rules byte for byte", async () => {
      const { door, sim, root } = world();
      const Rules = '  # ünïcödé \u{1f511} \r\n\tnamespace "a" { policy = "read" }\u0000'.replace("\u0000", "\n\n");
      await door.call("policies.write", root, { Name: "p", Rules });
      sim.settle();
      for (const region of ["eu", "us"]) {
        expect((await door.call("policies.read", root, { policy_name: "p" }, {}, region)).body.Rules).toBe(Rules);
      }
    });

    it("is listed without its rules, by byte order, by a case-sensitive prefix, and to a client only if it is its own", async () => {
      const { door, root, policy, client } = world();
      for (const name of ["b", "B", "a-1", "a", "Z"]) policy(name);
      const listed = async (token: string | undefined, argument = {}) =>
        (await door.call("policies.list", token, argument)).body.map(({ Name }: { Name: string }) => Name);
      expect(await listed(root)).toEqual(["B", "Z", "a", "a-1", "b"]);
      expect(await listed(root, { prefix: "a" })).toEqual(["a", "a-1"]);
      expect(await listed(client(["b", "missing", "Z", "b"]).secret)).toEqual(["Z", "b"]);
      expect(await listed(client(["b", "Z"]).secret, { prefix: "Z" })).toEqual(["Z"]);
      expect(Object.keys((await door.call("policies.list", root)).body[0])).toEqual([
        "Name",
        "Description",
        "CreateIndex",
        "ModifyIndex",
      ]);
    });

    it("that is deleted leaves its name on tokens, which work still", async () => {
      const { door, root, policy, client } = world();
      policy("p", 'agent { policy = "read" }');
      const { secret } = client(["p"]);
      await door.call("policies.delete", root, { policy_name: "p" });
      expect((await door.call("tokens.self", secret)).body.Policies).toEqual(["p"]);
      expect(await door.call("policies.list", secret)).toMatchObject({ status: 200, body: [] });
      expect(await door.call("policies.read", secret, { policy_name: "p" })).toMatchObject({ status: 404 });
    });
  });

  describe("a token", () => {
    it.each<[string, object, string]>([
      ["without a type", {}, "token type must be client or management"],
      ["of another type", { Type: "Client" }, "token type must be client or management"],
      ["of a client without policies", { Type: "client" }, "client token missing policies"],
      ["of a client with none", { Type: "client", Policies: [] }, "client token missing policies"],
      ["of a client with null", { Type: "client", Policies: null }, "client token missing policies"],
      [
        "of a manager with policies",
        { Type: "management", Policies: ["p"] },
        "management token cannot be associated with policies",
      ],
      ["with a long name", { Type: "management", Name: "ü".repeat(129) }, "token name too long"],
    ])("%s is refused", async (__, argument, text) => {
      const { door, root } = world();
      const refused = await door.call("tokens.create", root, { ...argument });
      expect(refused).toMatchObject({ status: 400, code: "token_invalid" });
      expect(refused.text).toContain(`token 0 invalid: 1 error occurred:\n\t* ${text}`);
    });

    it("has its name's fault told first", async () => {
      const { door, root } = world();
      const { text } = await door.call("tokens.create", root, { Name: "n".repeat(257) });
      expect(text).toMatch(/2 errors occurred:\n\t\* token name too long\n\t\* token type must be/);
    });

    it("shows nine fields, and a list one less", async () => {
      const { door, root } = world();
      const { body } = await door.call("tokens.create", root, { Name: "n", Type: "management", Policies: [] });
      expect(body).toEqual({
        AccessorID: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
        SecretID: expect.stringMatching(/^[\da-f-]{36}$/),
        Name: "n",
        Type: "management",
        Policies: null,
        Global: false,
        CreateTime: "2026-01-01T00:00:00.100000000Z",
        CreateIndex: 3,
        ModifyIndex: 3,
      });
      const { SecretID: __, ...stub } = body;
      expect((await door.call("tokens.list", root)).body[1]).toEqual(stub);
      expect((await door.call("tokens.read", root, { accessor_id: body.AccessorID.toUpperCase() })).body).toEqual(body);
    });

    it("is updated by a create whose body names it", async () => {
      const { door, root, client } = world();
      const { accessor: AccessorID } = client(["a"]);
      const updated = await door.call("tokens.create", root, { AccessorID, Type: "management", Name: "new" });
      expect(updated.body).toMatchObject({
        AccessorID,
        Type: "management",
        Name: "new",
        CreateIndex: 3,
        ModifyIndex: 4,
      });
      const missing = await door.call("tokens.create", root, { AccessorID: UNKNOWN_UUID, Type: "management" });
      expect(missing).toMatchObject({ status: 404 });
    });

    it("stays global or local: to say it again is fine, to say otherwise is not", async () => {
      const { door, root, client } = world();
      const { accessor: AccessorID } = client(["a"], { Global: true });
      const update = (more: object) =>
        door.call("tokens.update", root, {
          accessor_id: AccessorID,
          AccessorID,
          Type: "client",
          Policies: ["b"],
          ...more,
        });
      expect((await update({ Global: true })).body.Global).toBe(true);
      expect((await update({ Global: null })).body.Global).toBe(true);
      expect((await update({})).body.Global).toBe(true);
      const refused = await update({ Global: false });
      expect(refused).toMatchObject({ status: 400, code: "global_mode_fixed" });
      expect(refused.text).toContain(`cannot toggle global mode of ${AccessorID}`);
    });

    it.each(["x", "00000000-0000-4000-8000-00000000000", "zzzzzzzz-0000-4000-8000-000000000000"])(
      "with the accessor %j cannot be looked up",
      async (accessor_id) => {
        const { door, root, client, sim } = world();
        const read = await door.call("tokens.read", client(["a"]).secret, { accessor_id });
        expect(read).toMatchObject({ status: 500, code: "accessor_unreadable" });
        const argument = { accessor_id, AccessorID: accessor_id, Type: "management" };
        expect(await door.call("tokens.update", root, argument)).toMatchObject({
          status: 400,
          code: "accessor_invalid",
        });
        expect(await door.call("tokens.delete", root, { accessor_id })).toMatchObject({ status: 400 });
        expect(await door.call("tokens.delete", undefined, { accessor_id })).toMatchObject({ status: 403 });
        expect(sim.scheduler.region("eu").as(root).tokens.list()).toHaveLength(2);
      },
    );

    it("may delete itself: the next request with it is refused", async () => {
      const { door, root, rootAccessor, eu } = world();
      expect(await door.call("tokens.delete", root, { accessor_id: rootAccessor })).toMatchObject({ status: 200 });
      expect(await door.call("tokens.self", root)).toMatchObject({ status: 403 });
      expect(await door.call("acl.bootstrap", undefined)).toMatchObject({ status: 400 });
      eu.setBootstrapResetIndex(2);
      expect(await door.call("acl.bootstrap", "bogus")).toMatchObject({ status: 200 });
    });

    it("is read by its holder, and by nobody else but managers", async () => {
      const { door, root, client } = world();
      const { secret, accessor: accessor_id } = client(["a"]);
      expect((await door.call("tokens.read", secret, { accessor_id })).body.SecretID).toBe(secret);
      expect((await door.call("tokens.read", root, { accessor_id })).body.SecretID).toBe(secret);
      expect(await door.call("tokens.read", undefined, { accessor_id })).toMatchObject({ status: 403 });
      expect(await door.call("tokens.self", undefined)).toMatchObject({ status: 403, code: "permission_denied" });
    });
  });

  describe("an update through another region", () => {
    it("goes to the authoritative region when it says global, or when the region's copy is", async () => {
      const { door, sim, root, client } = world();
      const { accessor: AccessorID } = client(["a"], { Global: true });
      const local = client(["a"], { region: "us" }).accessor;
      const update = (accessor: string, more: object) =>
        door.call(
          "tokens.update",
          root,
          { accessor_id: accessor, AccessorID: accessor, Type: "client", Policies: ["b"], ...more },
          {},
          "us",
        );
      expect(await update(AccessorID, {})).toMatchObject({ status: 404 });
      expect(await update(AccessorID, { Global: true })).toMatchObject({ status: 200, body: { ModifyIndex: 4 } });
      sim.settle();
      expect(await update(AccessorID, {})).toMatchObject({ status: 200, body: { ModifyIndex: 5 } });
      expect(await update(AccessorID, { Global: false })).toMatchObject({ status: 400, code: "global_mode_fixed" });
      expect(await update(local, { Global: true })).toMatchObject({ status: 404 });
      expect(await update(local, {})).toMatchObject({ status: 200, body: { Global: false, Policies: ["b"] } });
    });
  });

  describe("a local token", () => {
    it("is created where the query says", async () => {
      const { door, root, us } = world();
      const { body } = await door.call("tokens.create", root, { Type: "management", region: "us" });
      expect(us.as(root).tokens.read({ accessor_id: body.AccessorID })).toEqual(body);
      expect(await door.call("tokens.self", body.SecretID)).toMatchObject({ status: 403 });
      expect(await door.call("tokens.delete", root, { accessor_id: body.AccessorID, region: "us" })).toMatchObject({
        status: 200,
      });
    });
  });

  describe("a bootstrap", () => {
    it("makes a management token of the authoritative region, whichever is asked", async () => {
      const sim = createSimulator({ scheduler: { regions: ["eu", "us"] } });
      const door = open(sim, "eu");
      sim.scheduler.region("us").setBootstrapResetIndex(7);
      sim.scheduler.region("eu").setBootstrapResetIndex(7);
      const { body } = await door.call("acl.bootstrap", "bogus", {}, {}, "us");
      expect(body).toMatchObject({
        Name: "Bootstrap Token",
        Type: "management",
        Policies: null,
        Global: true,
        CreateIndex: 2,
        ModifyIndex: 2,
      });
      expect(await door.call("tokens.self", body.SecretID)).toMatchObject({ status: 200 });
      expect(await door.call("tokens.self", body.SecretID, {}, {}, "us")).toMatchObject({ status: 403 });
      sim.settle();
      expect(await door.call("tokens.self", body.SecretID, {}, {}, "us")).toMatchObject({ status: 200 });
    });

    it("takes a secret that is a UUID; another one does not bootstrap", async () => {
      const sim = createSimulator();
      const door = open(sim, "global");
      const refused = await door.call("acl.bootstrap", undefined, { BootstrapSecret: "password" });
      expect(refused).toMatchObject({ status: 400, code: "bootstrap_secret_invalid" });
      expect(refused.text).toContain("invalid acl token");
      expect(sim.position).toBe(0);
      const { body } = await door.call("acl.bootstrap", undefined, { bootstrapsecret: UNKNOWN_UUID });
      expect(body.SecretID).toBe(UNKNOWN_UUID);
      expect(await door.call("acl.bootstrap", undefined, { BootstrapSecret: "password" })).toMatchObject({
        code: "bootstrap_done",
      });
    });

    it("ignores a reset index of 0", async () => {
      const { door, eu } = world();
      eu.setBootstrapResetIndex(0);
      expect(await door.call("acl.bootstrap", undefined)).toMatchObject({ code: "bootstrap_done" });
      eu.setBootstrapResetIndex(9);
      expect(await door.call("acl.bootstrap", undefined)).toMatchObject({ code: "bootstrap_reset_invalid" });
      for (const wrong of [-1, 1.5, Number.NaN, "2", null]) {
        expect(() => eu.setBootstrapResetIndex(wrong as never)).toThrow(TypeError);
      }
    });
  });
});

describe("a list of tokens", () => {
  it("comes by CreateIndex, with a prefix by accessor, and in pages", async () => {
    const { get, root, manager } = regionsWorld();
    const accessors = Array.from({ length: 6 }, () => manager().accessor);
    const all = (await get("/v1/acl/tokens", root)).json.map(({ AccessorID }: { AccessorID: string }) => AccessorID);
    expect(all.slice(1)).toEqual(accessors);
    const paged: string[] = [];
    let next: string | null = "";
    do {
      const page = await get(`/v1/acl/tokens?per_page=3&next_token=${next}`, root);
      expect(page.json.length).toBeLessThanOrEqual(3);
      paged.push(...page.json.map(({ AccessorID }: { AccessorID: string }) => AccessorID));
      next = page.headers.get("X-Scheduler-NextToken");
    } while (next !== null);
    expect(paged).toEqual(all);
    expect((await get("/v1/acl/tokens?per_page=7", root)).headers.get("X-Scheduler-NextToken")).toBeNull();
    expect((await get(`/v1/acl/tokens?next_token=4.${UNKNOWN_UUID}`, root)).json).toHaveLength(5);
    expect((await get("/v1/acl/tokens?next_token=nonsense", root)).json).toEqual([]);
    const prefix = (accessors[0] as string).slice(0, 2);
    const some = (await get(`/v1/acl/tokens?prefix=${prefix}`, root)).json;
    expect(some.map(({ AccessorID }: { AccessorID: string }) => AccessorID)).toEqual(
      all.filter((accessor: string) => accessor.startsWith(prefix)).sort(),
    );
  });

  // amendments.md, N11.
  it("with a page of a negative size is empty, and names its first item", async () => {
    const { get, root, rootAccessor } = regionsWorld();
    const page = await get("/v1/acl/tokens?per_page=-1", root);
    expect(page.json).toEqual([]);
    expect(page.headers.get("X-Scheduler-NextToken")).toBe(`2.${rootAccessor}`);
  });

  it("begins a page at the first item whose name is no less as text", async () => {
    const { get, root, manager, rootAccessor } = regionsWorld();
    const accessors = Array.from({ length: 9 }, () => manager().accessor);
    // "2." comes after "11.", and is first by its number.
    const page = await get(`/v1/acl/tokens?next_token=11.${accessors.at(-1)}`, root);
    expect(page.json[0].AccessorID).toBe(rootAccessor);
    expect((await get("/v1/acl/tokens?next_token=3.", root)).json[0].AccessorID).toBe(accessors[0]);
    const [prefix] = rootAccessor;
    const upper = `${prefix}${"G".repeat(7)}`;
    const some = (await get(`/v1/acl/tokens?prefix=${rootAccessor.slice(0, 2)}&next_token=${upper}`, root)).json;
    expect(some.map(({ AccessorID }: { AccessorID: string }) => AccessorID)).toEqual(
      [rootAccessor, ...accessors].filter((one) => one.startsWith(rootAccessor.slice(0, 2)) && one >= upper).sort(),
    );
  });
});

describe("a bootstrap's body", () => {
  it.each([
    ["{", 400],
    ["[]", 400],
    ['{"BootstrapSecret":5}', 400],
    ["{}x", 400],
    ["null", 200],
    ["{}", 200],
    [undefined, 200],
  ])("%s: %i", async (body, status) => {
    const sim = createSimulator();
    const { url } = sim.scheduler.region("global");
    const response = await reach(sim)(`${url}/v1/acl/bootstrap`, {
      method: "POST",
      ...(body === undefined ? {} : { body }),
    });
    expect(response.status).toBe(status);
    if (status === 400) expect(await response.text()).toContain("failed to decode request body");
  });
});

describe("the typed door", () => {
  it("says which argument is wrong", () => {
    const { eu, root } = regionsWorld();
    const door = eu.as(root);
    expect(() => door.policies.read({} as never)).toThrow("policy_name is undefined");
    expect(() => door.policies.list({ prefixx: "a" } as never)).toThrow("prefixx is unknown here");
    expect(() => door.policies.list({}, { wait: 10 } as never)).toThrow("wait is 10");
    expect(() => door.policies.list({}, { stale: "yes" } as never)).toThrow("stale");
    expect(() => door.policies.list([] as never)).toThrow("the argument is an array");
    expect(() => door.policies.delete({ policy_name: "p", extra: 1 } as never)).toThrow("extra is unknown");
    expect(() => door.policies.write({ Name: "p", Rules: (() => "") as never })).toThrow(TypeError);
    expect(() => eu.as(5 as never)).toThrow("5 is no token");
  });

  it("given an index, it always gives a promise, of errors too", async () => {
    const { eu, root } = regionsWorld();
    await expect(eu.as(root).policies.list({}, { index: 0 })).resolves.toEqual([]);
    await expect(eu.as("bogus").policies.list({}, { index: 0 })).rejects.toThrow("ACL token not found");
    await expect(eu.as(root).policies.list({}, { index: -1 })).rejects.toMatchObject({
      code: "index_invalid",
      status: 400,
    });
  });
});
