import { describe, expect, it } from "vitest";
import { replay } from "../../../src/index.ts";
import { doors } from "./driver.ts";
import { progress, regionsWorld, UNKNOWN_UUID } from "./regions-world.ts";

// src/services/scheduler/roles/README.md.

const READ = 'namespace "default" { policy = "read" }';

describe.each(doors())("through %s", (_name, open) => {
  const world = () => {
    const made = regionsWorld();
    made.policy("readers", READ);
    made.policy("writers", 'namespace "default" { policy = "write" }');
    const door = open(made.sim, "eu");
    const create = (fields: object = {}) =>
      door.call("roles.create", made.root, { Name: "team", Policies: [{ Name: "readers" }], ...fields });
    const member = async (fields: object) =>
      (await door.call("tokens.create", made.root, { Type: "client", ...fields })).body;
    return { ...made, door, create, member };
  };

  it("a role is made, read by id and by name, and listed", async () => {
    const { create, door, root } = world();
    const { status, body } = await create({
      Description: "all of us",
      Policies: [{ Name: "readers" }, { name: "readers" }],
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        ID: expect.stringMatching(/^[\da-f-]{36}$/),
        Name: "team",
        Description: "all of us",
        Policies: [{ Name: "readers" }],
        CreateIndex: body.ModifyIndex,
        ModifyIndex: expect.any(Number),
      },
    });
    expect((await door.call("roles.read", root, { role_id: body.ID })).body).toEqual(body);
    expect((await door.call("roles.readByName", root, { role_name: "team" })).body).toEqual(body);
    expect((await door.call("roles.list", root)).body).toEqual([body]);
    expect((await door.call("roles.list", root, { prefix: body.ID.slice(0, 3) })).body).toEqual([body]);
    expect((await door.call("roles.list", root, { prefix: "x" })).body).toEqual([]);
  });

  it.each([
    [{ Name: "a_b" }, "role_invalid", "invalid name 'a_b'"],
    [{ Name: "" }, "role_invalid", "invalid name ''"],
    [{ Description: "x".repeat(257) }, "role_invalid", "description longer than 256"],
    [{ Policies: [] }, "role_invalid", "at least one policy should be specified"],
    [{ Policies: null }, "role_invalid", "at least one policy should be specified"],
    [{ Policies: [{ Name: "none" }] }, "policy_missing", "cannot find policy none"],
    [{ ID: UNKNOWN_UUID }, "role_missing", `cannot find role ${UNKNOWN_UUID}`],
    [{ Policies: ["readers"] }, "body_malformed", "Policies"],
    [{ Policies: [{ Name: 1 }] }, "body_malformed", "Policies"],
  ])("a role of %j is refused: %s", async (fields, code, told) => {
    const { create, sim } = world();
    const before = sim.position;
    const answer = await create(fields);
    expect(answer).toMatchObject({ status: 400, code });
    expect(answer.text).toContain(told);
    expect(sim.position).toBe(before);
  });

  it("names are taken once", async () => {
    const { create, door, root } = world();
    const { body: team } = await create();
    expect(await create()).toMatchObject({ status: 400, code: "role_exists" });
    const { body: other } = await create({ Name: "other" });
    const renamed = { role_id: other.ID, ...other, Name: "team" };
    expect(await door.call("roles.update", root, renamed)).toMatchObject({ status: 500, code: "role_name_taken" });
    expect(await door.call("roles.update", root, { role_id: team.ID, ...team, Name: "crew" })).toMatchObject({
      status: 200,
      body: { ID: team.ID, Name: "crew", CreateIndex: team.CreateIndex },
    });
    expect(await door.call("roles.readByName", root, { role_name: "team" })).toMatchObject({ status: 404 });
    expect(await create()).toMatchObject({ status: 200 });
  });

  it("an update that changes nothing keeps the indexes, and one for another id is refused", async () => {
    const { create, door, root } = world();
    const { body } = await create();
    expect(await door.call("roles.update", root, { role_id: body.ID, ...body })).toMatchObject({ status: 200, body });
    expect(await door.call("roles.update", "bogus", { role_id: UNKNOWN_UUID, ...body })).toMatchObject({
      status: 400,
      code: "role_id_mismatch",
    });
  });

  it("a token may do what its roles say, as they are when it asks", async () => {
    const { create, door, root, member, eu } = world();
    const { body: role } = await create();
    const { SecretID: secret, ...token } = await member({ Roles: [{ Name: "team" }, { ID: role.ID }] });
    expect(token).toMatchObject({ Policies: null, Roles: [{ ID: role.ID, Name: "team" }] });
    const may = () => eu.as(secret).capabilities("namespace", "default");
    expect(may()).toContain("read-job");
    expect(may()).not.toContain("submit-job");
    expect((await door.call("policies.list", secret)).body).toMatchObject([{ Name: "readers" }]);
    expect(await door.call("policies.read", secret, { policy_name: "readers" })).toMatchObject({ status: 200 });
    expect(await door.call("policies.read", secret, { policy_name: "writers" })).toMatchObject({ status: 403 });
    const changed = { role_id: role.ID, ID: role.ID, Name: "crew", Policies: [{ Name: "writers" }] };
    await door.call("roles.update", root, changed);
    expect(may()).toContain("submit-job");
    expect((await door.call("tokens.self", secret)).body.Roles).toEqual([{ ID: role.ID, Name: "crew" }]);
    await door.call("policies.delete", root, { policy_name: "writers" });
    expect(may()).toEqual([]);
    expect(await door.call("policies.read", secret, { policy_name: "writers" })).toMatchObject({ status: 403 });
    await door.call("roles.delete", root, { role_id: role.ID });
    expect((await door.call("tokens.self", secret)).body.Roles).toEqual([]);
  });

  it.each([
    [{ Type: "client" }, "token_invalid", "client token missing policies or roles"],
    [{ Type: "management", Roles: [{ Name: "team" }] }, "token_invalid", "cannot be associated with policies or roles"],
    [{ Type: "client", Roles: [{ Name: "none" }] }, "role_missing", "cannot find role none"],
    [{ Type: "client", Roles: [{ ID: UNKNOWN_UUID }] }, "role_missing", `cannot find role ${UNKNOWN_UUID}`],
    [{ Type: "client", Roles: ["team"] }, "body_malformed", "Roles"],
  ])("a token of %j is refused: %s", async (fields, code, told) => {
    const { create, door, root } = world();
    await create();
    const answer = await door.call("tokens.create", root, fields);
    expect(answer).toMatchObject({ status: 400, code });
    expect(answer.text).toContain(told);
  });

  it("an update replaces the roles of a token", async () => {
    const { create, door, root, member } = world();
    const { body: role } = await create();
    const { AccessorID } = await member({ Roles: [{ ID: role.ID }] });
    const update = { accessor_id: AccessorID, AccessorID, Type: "client", Policies: ["readers"] };
    const { body } = await door.call("tokens.update", root, update);
    expect(body).not.toHaveProperty("Roles");
    expect(body.Policies).toEqual(["readers"]);
  });

  it("roles are seen by managers, and by whoever has them", async () => {
    const { create, door, member, client, root } = world();
    const { body: role } = await create();
    await create({ Name: "other" });
    const { SecretID: own } = await member({ Roles: [{ ID: role.ID }] });
    const { secret: foreign } = client(["readers"]);
    expect((await door.call("roles.list", own)).body).toEqual([role]);
    expect((await door.call("roles.list", foreign)).body).toEqual([]);
    expect((await door.call("roles.list", undefined)).body).toEqual([]);
    expect(await door.call("roles.read", own, { role_id: role.ID })).toMatchObject({ status: 200 });
    expect(await door.call("roles.readByName", own, { role_name: "team" })).toMatchObject({ status: 200 });
    for (const token of [foreign, undefined]) {
      expect(await door.call("roles.read", token, { role_id: role.ID })).toMatchObject({ status: 403 });
      expect(await door.call("roles.readByName", token, { role_name: "team" })).toMatchObject({ status: 403 });
    }
    expect(await door.call("roles.read", own, { role_id: UNKNOWN_UUID })).toMatchObject({ status: 403 });
    expect(await door.call("roles.read", root, { role_id: UNKNOWN_UUID })).toMatchObject({ status: 404 });
    expect(await door.call("roles.create", own, { Name: "n", Policies: [{ Name: "readers" }] })).toMatchObject({
      status: 403,
    });
    expect(await door.call("roles.delete", own, { role_id: role.ID })).toMatchObject({ status: 403 });
    expect(await door.call("roles.delete", root, { role_id: UNKNOWN_UUID })).toMatchObject({
      status: 500,
      code: "role_nonexistent",
    });
  });
});

describe("roles in regions", () => {
  it("are written in the authoritative one, and copied to the others, with what tokens may do by them", () => {
    const { sim, eu, us, root, policy } = regionsWorld();
    policy("readers", READ);
    const role = us.as(root).roles.create({ Name: "team", Policies: [{ Name: "readers" }] });
    const { SecretID } = us.as(root).tokens.create({ Type: "client", Roles: [{ Name: "team" }], Global: true });
    expect(us.as(root).roles.list()).toHaveLength(0);
    sim.settle();
    expect(us.as(root).roles.read({ role_id: role.ID })).toMatchObject({ Name: "team" });
    expect(us.as(SecretID).capabilities("namespace", "default")).toContain("read-job");
    sim.network.cut(eu, us);
    eu.as(root).roles.update({ ...role, Name: "crew" });
    eu.as(root).roles.create({ Name: "team", Policies: [{ Name: "readers" }] });
    sim.network.heal();
    sim.clock.advance("30s");
    expect(us.as(root).roles.readByName({ role_name: "crew" }).ID).toBe(role.ID);
    expect(us.as(root).roles.readByName({ role_name: "team" }).ID).not.toBe(role.ID);
    eu.as(root).roles.delete({ role_id: role.ID });
    sim.settle();
    expect(
      us
        .as(root)
        .roles.list()
        .map(({ Name }) => Name),
    ).toEqual(["team"]);
    expect(sim.clock.pending()).toEqual([]);
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
  });

  it("wake whoever waits for them", async () => {
    const { eu, root, policy } = regionsWorld();
    policy("readers", READ);
    const role = eu.as(root).roles.create({ Name: "team", Policies: [{ Name: "readers" }] });
    const { index } = eu.as(root).roles.list();
    const one = eu.as(root).roles.read({ role_id: role.ID }, { index });
    const named = eu.as(root).roles.readByName({ role_name: "team" }, { index });
    const missing = eu.as(root).roles.readByName({ role_name: "crew" }, { index });
    const all = eu.as(root).roles.list({}, { index });
    eu.as(root).roles.update(role);
    expect(await progress(all)).toBe("waits");
    eu.as(root).roles.update({ ...role, Name: "crew" });
    expect([await one, await missing]).toMatchObject([{ Name: "crew" }, { Name: "crew" }]);
    expect(await all).toHaveLength(1);
    await expect(named).rejects.toMatchObject({ code: "role_not_found" });
  });
});

describe("paths of roles", () => {
  it("lack an id, or are for another method", async () => {
    const { send, root } = regionsWorld();
    expect(await send("eu", "GET", "/v1/acl/role/")).toMatchObject({ status: 400, text: "missing ACL role ID" });
    expect(await send("eu", "GET", "/v1/acl/role", { token: root })).toMatchObject({ status: 405 });
    expect(await send("eu", "POST", "/v1/acl/role/name/x", { token: root })).toMatchObject({ status: 405 });
    const missing = await send("eu", "GET", "/v1/acl/role/none", { token: root });
    expect(missing).toMatchObject({ status: 404, text: "ACL role not found", index: 0 });
  });
});
