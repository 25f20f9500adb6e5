import { describe, expect, it } from "vitest";
import { rehearse, replay } from "../../../src/index.ts";
import { createSimulator } from "../../support/checked.ts";
import { doors, type Fields, type Subject } from "../driver.ts";
import { expectData, expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";

// src/services/secrets/identity/README.md, 4 and 5: each test names the rules that it holds.

/** A directory in which ann is in the groups that are given, and a method that asks it. */
async function world({ open }: Subject, groups: readonly string[] = ["ops"]) {
  const sim = createSimulator({ seed: 30 });
  const main = sim.secrets.cluster("main");
  const door = open(sim);
  const ann = "cn=ann,dc=corp";
  sim.directory.addEntry("cn=bind,dc=corp", { cn: "bind", userPassword: "secret" });
  sim.directory.addEntry(ann, { cn: "ann", userPassword: "secret" });
  for (const name of groups)
    sim.directory.addEntry(`cn=${name},ou=groups,dc=corp`, { cn: name, objectClass: "group", member: ann });
  const { auth, ldap } = main.as(main.rootToken);
  auth.enable({ path: "ldap", type: "ldap" });
  ldap.config.write({
    binddn: "cn=bind,dc=corp",
    bindpass: "secret",
    userdn: "dc=corp",
    groupdn: "ou=groups,dc=corp",
    userattr: "cn",
  });
  const methods = auth.list().data as { readonly [path: string]: { readonly accessor: string } };
  const accessor = methods["ldap/"]?.accessor ?? expect.fail("no method");
  main.writePolicy("for-ops", 'path "kv/ops" { capabilities = ["read"] }');
  const login = () => main.as().ldap.login({ username: "ann", password: "secret" }).auth;
  const membersOf = async (id: string) =>
    expectData(await door.call("identity.groups.read", { id }))["member_entity_ids"];
  return { sim, main, door, accessor, login, membersOf };
}

describe.each(doors())("aliases of groups through %s", (_, subject) => {
  it("4.1, 4.3: are written, read, listed and deleted", async () => {
    const { main, door, accessor } = await world(subject);
    main.createGroup({ id: "g1", name: "operators", type: "external" });
    const { id, canonical_id } = expectData(
      await door.call("identity.groupAliases.write", { name: "ops", mount_accessor: accessor, canonical_id: "g1" }),
    );
    expect(canonical_id).toBe("g1");
    const told = {
      canonical_id: "g1",
      name: "ops",
      mount_accessor: accessor,
      mount_path: "auth/ldap/",
      mount_type: "ldap",
    };
    expect(expectData(await door.call("identity.groupAliases.read", { id: String(id) }))).toMatchObject({
      id,
      ...told,
    });
    expect(expectData(await door.call("identity.groupAliases.list"))).toMatchObject({
      keys: [id],
      key_info: { [String(id)]: told },
    });
    const group = expectData(await door.call("identity.groups.read", { id: "g1" }));
    expect(group["alias"]).toMatchObject({ id, ...told });
    for (const way of [{ alias_id: id }, { alias_name: "ops", alias_mount_accessor: accessor }]) {
      expect(expectData(await door.call("identity.groups.lookup", way as Fields))).toEqual(group);
    }
    expectDone(await door.call("identity.groupAliases.delete", { id: String(id) }));
    expectNotFound(await door.call("identity.groupAliases.read", { id: String(id) }));
    expectNotFound(await door.call("identity.groupAliases.list"));
    expect(expectData(await door.call("identity.groups.read", { id: "g1" }))["alias"]).toEqual({});
  });

  it("4.1: without a group make one, and are one for a name", async () => {
    const { door, accessor } = await world(subject);
    const first = expectData(await door.call("identity.groupAliases.write", { name: "ops", mount_accessor: accessor }));
    const again = expectData(await door.call("identity.groupAliases.write", { name: "ops", mount_accessor: accessor }));
    expect(again).toEqual(first);
    const group = expectData(await door.call("identity.groups.read", { id: String(first["canonical_id"]) }));
    expect(group).toMatchObject({ type: "external", alias: { name: "ops" } });
    const other = expectData(
      await door.call("identity.groupAliases.write", {
        name: "dev",
        mount_accessor: accessor,
        canonical_id: group["id"],
      }),
    );
    expect(expectData(await door.call("identity.groups.read", { id: String(group["id"]) }))["alias"]).toMatchObject({
      id: other["id"],
      name: "dev",
    });
    expectNotFound(await door.call("identity.groupAliases.read", { id: String(first["id"]) }));
  });

  it.each<[fields: Fields, piece: string]>([
    [{ mount_accessor: "acc" }, "name"],
    [{ name: "x" }, "missing mount_accessor"],
    [{ name: "x", mount_accessor: "acc", canonical_id: "none" }, "none"],
    [{ name: "x", mount_accessor: "acc", canonical_id: "inner" }, "only on external groups"],
    [{ id: "none", name: "x", mount_accessor: "acc" }, "invalid alias ID"],
  ])("4.2: are refused with %j", async (fields, piece) => {
    const { sim, main, door } = await world(subject);
    main.createGroup({ id: "inner", name: "inner" });
    await expectNothingChanged(sim, async () =>
      expectRefused(await door.call("identity.groupAliases.write", fields), 400, piece),
    );
  });

  it("4.2: cannot take the name of another one", async () => {
    const { door, accessor } = await world(subject);
    const make = async (name: string) =>
      String(expectData(await door.call("identity.groupAliases.write", { name, mount_accessor: accessor }))["id"]);
    await make("ops");
    const id = await make("dev");
    expectRefused(await door.call("identity.groupAliases.update", { id, name: "ops" }), 400, "ops");
    expectData(await door.call("identity.groupAliases.update", { id, name: "test" }));
    expect(expectData(await door.call("identity.groupAliases.read", { id }))["name"]).toBe("test");
  });

  it("4.4, 4.5: a login makes members of external groups, and their policies count at once; the next one takes them back", async () => {
    const { sim, main, door, accessor, login, membersOf } = await world(subject, ["ops"]);
    main.createGroup({ id: "g1", name: "operators", type: "external", policies: ["for-ops"] });
    main.createGroup({ id: "g2", name: "developers", type: "external" });
    for (const [name, canonical_id] of [
      ["ops", "g1"],
      ["dev", "g2"],
    ]) {
      await door.call("identity.groupAliases.write", { name, mount_accessor: accessor, canonical_id });
    }
    const { entity_id, identity_policies } = login();
    expect([await membersOf("g1"), await membersOf("g2")]).toEqual([[entity_id], null]);
    expect(identity_policies).toEqual(["for-ops"]);
    const index = async () => expectData(await door.call("identity.groups.read", { id: "g1" }))["modify_index"];
    const before = Number(await index());
    login();
    expect(await index()).toBe(before);
    sim.directory.removeEntry("cn=ops,ou=groups,dc=corp");
    const second = login();
    expect([await membersOf("g1"), second.identity_policies]).toEqual([null, undefined]);
    expect(await index()).toBe(before + 1);
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
    expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
  });

  it("4.4: a renewal does so, too", async () => {
    const { main, door, accessor, login, membersOf } = await world(subject);
    const { client_token, entity_id } = login();
    main.createGroup({ id: "g1", name: "operators", type: "external" });
    await door.call("identity.groupAliases.write", { name: "ops", mount_accessor: accessor, canonical_id: "g1" });
    expect(await membersOf("g1")).toBeNull();
    main.as(client_token).tokens.renewSelf();
    expect(await membersOf("g1")).toEqual([entity_id]);
  });

  it("4.6: a group keeps its members when its alias goes", async () => {
    const { main, door, accessor, login, membersOf } = await world(subject);
    main.createGroup({ id: "g1", name: "operators", type: "external" });
    const alias = { name: "ops", mount_accessor: accessor, canonical_id: "g1" };
    const { id } = expectData(await door.call("identity.groupAliases.write", alias));
    const { entity_id } = login();
    expectDone(await door.call("identity.groupAliases.delete", { id: String(id) }));
    login();
    expect(await membersOf("g1")).toEqual([entity_id]);
  });

  it("4.4: other methods, and groups of other accessors, are left alone", async () => {
    const { main, door, login, membersOf } = await world(subject);
    main.createGroup({ id: "g1", name: "operators", type: "external" });
    await door.call("identity.groupAliases.write", { name: "ops", mount_accessor: "another", canonical_id: "g1" });
    login();
    expect(await membersOf("g1")).toBeNull();
  });
});

describe.each(doors())("merged entities through %s", (_, subject) => {
  async function people() {
    const made = await world(subject);
    const { main, accessor, sim } = made;
    main.createEntity({
      id: "e-ann",
      name: "ann",
      policies: ["for-ops"],
      aliases: [{ name: "ann@home", mountAccessor: "acc-1" }],
    });
    main.createEntity({ id: "e-bob", name: "bob", aliases: [{ name: "bob", mountAccessor: accessor }] });
    main.createEntity({ id: "e-cid", name: "cid", aliases: [{ name: "cid@home", mountAccessor: "acc-1" }] });
    main.createGroup({ id: "g1", name: "ops", memberEntityIds: ["e-bob"] });
    sim.settle();
    return made;
  }

  it("5.1, 5.2: are one with aliases and groups of all, and tokens of the others are its own", async () => {
    const { sim, main, door, membersOf } = await people();
    const { token } = main.createToken({ policies: ["default"], entityId: "e-bob" });
    expectDone(await door.call("identity.entities.merge", { from_entity_ids: ["e-bob"], to_entity_id: "e-ann" }));
    const ann = expectData(await door.call("identity.entities.read", { id: "e-ann" }));
    expect(ann).toMatchObject({ merged_entity_ids: ["e-bob"], group_ids: ["g1"], policies: ["for-ops"] });
    const aliases = ann["aliases"] as readonly { readonly name: string; readonly merged_from_canonical_ids: unknown }[];
    expect(new Map(aliases.map((one) => [one.name, one.merged_from_canonical_ids]))).toEqual(
      new Map([
        ["ann@home", null],
        ["bob", ["e-bob"]],
      ]),
    );
    expect(await membersOf("g1")).toEqual(["e-ann"]);
    expectNotFound(await door.call("identity.entities.read", { id: "e-bob" }));
    expect(main.as(token).policies.capabilitiesSelf({ paths: ["kv/ops"] }).data).toMatchObject({ "kv/ops": ["read"] });
    expectData(await door.call("identity.entities.write", { name: "bob" }));
    await door.call("identity.entities.delete", { id: "e-ann" });
    expect(await door.call("kv.read", { path: "ops" }, { token })).toMatchObject({ status: 403 });
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
    expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
  });

  it("5.2: one that others were merged into may be merged", async () => {
    const { main, door } = await people();
    const { token } = main.createToken({ policies: ["default"], entityId: "e-bob" });
    main.createEntity({ id: "e-dan", name: "dan" });
    expectDone(await door.call("identity.entities.merge", { from_entity_ids: ["e-bob"], to_entity_id: "e-dan" }));
    expectDone(await door.call("identity.entities.merge", { from_entity_ids: ["e-dan"], to_entity_id: "e-ann" }));
    expect(expectData(await door.call("identity.entities.read", { id: "e-ann" }))["merged_entity_ids"]).toEqual([
      "e-dan",
      "e-bob",
    ]);
    expect(main.as(token).policies.capabilitiesSelf({ paths: ["kv/ops"] }).data).toMatchObject({ "kv/ops": ["read"] });
  });

  it.each<[fields: Fields, piece: string]>([
    [{ from_entity_ids: ["e-bob"] }, "missing entity id to merge to"],
    [{ to_entity_id: "e-ann" }, "missing entity ids to merge from"],
    [{ from_entity_ids: ["e-bob", "e-ann"], to_entity_id: "e-ann" }, "should not be present"],
    [{ from_entity_ids: ["none"], to_entity_id: "e-ann" }, "none"],
    [{ from_entity_ids: ["e-bob"], to_entity_id: "none" }, "none"],
    [{ from_entity_ids: ["e-cid"], to_entity_id: "e-ann" }, "clashes: acc-1"],
    [{ from_entity_ids: ["e-cid"], to_entity_id: "e-ann", conflicting_alias_ids_to_keep: ["none"] }, "clashes: acc-1"],
  ])("5.3: are refused with %j", async (fields, piece) => {
    const { sim, door } = await people();
    await expectNothingChanged(sim, async () =>
      expectRefused(await door.call("identity.entities.merge", fields), 400, piece),
    );
  });

  it("5.4: force changes nothing", async () => {
    const { sim, door } = await people();
    const clash = { from_entity_ids: ["e-cid"], to_entity_id: "e-ann", force: true };
    await expectNothingChanged(sim, async () =>
      expectRefused(await door.call("identity.entities.merge", clash), 400, "clashes: acc-1"),
    );
    expectDone(await door.call("identity.entities.merge", { ...clash, from_entity_ids: ["e-bob"] }));
  });

  it("5.3: of two aliases on one accessor the one that is named is kept", async () => {
    const { main, door } = await people();
    const aliasOf = (name: string) =>
      main.as(main.rootToken).identity.entities.read({ name }).data.aliases[0]?.id ?? "";
    const keep = aliasOf("cid");
    const merge = { from_entity_ids: ["e-cid"], to_entity_id: "e-ann", conflicting_alias_ids_to_keep: [keep] };
    expectDone(await door.call("identity.entities.merge", merge));
    const { aliases } = expectData(await door.call("identity.entities.read", { id: "e-ann" }));
    expect(aliases).toMatchObject([{ id: keep, name: "cid@home", canonical_id: "e-ann" }]);
  });
});
