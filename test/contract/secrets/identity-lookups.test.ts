import { describe, expect, it } from "vitest";
import { createSimulator } from "../../support/checked.ts";
import { doors, type Fields, type Subject } from "../driver.ts";
import { expectData, expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";

// src/services/secrets/identity/README.md: each test names the rules that it holds.

function world({ open }: Subject) {
  const sim = createSimulator({ seed: 22 });
  const main = sim.secrets.cluster("main");
  main.createEntity({ id: "e-ann", name: "ann", aliases: [{ name: "ann@corp", mountAccessor: "acc-1" }] });
  main.createEntity({ id: "e-bob", name: "bob", aliases: [{ name: "bob@corp", mountAccessor: "acc-1" }] });
  main.createGroup({ id: "g-ops", name: "ops" });
  const { identity } = main.as(main.rootToken);
  const alias = identity.entities.read({ name: "ann" }).data.aliases[0]?.id ?? expect.fail("no alias");
  return { sim, main, door: open(sim), alias };
}

describe.each(doors())("identity through %s", (_, subject) => {
  it("1.1: finds an entity in each way", async () => {
    const { door, alias } = world(subject);
    const ways = [
      { id: "e-ann" },
      { name: "ANN" },
      { alias_id: alias },
      { alias_name: "ann@corp", alias_mount_accessor: "acc-1" },
    ];
    const ann = expectData(await door.call("identity.entities.read", { id: "e-ann" }));
    for (const way of ways) expect(expectData(await door.call("identity.entities.lookup", way))).toEqual(ann);
    const none = { alias_name: "ann@corp", alias_mount_accessor: "acc-2" };
    for (const way of [{ id: "e" }, { name: "e" }, { alias_id: "e" }, none]) {
      expectDone(await door.call("identity.entities.lookup", way));
    }
  });

  it("1.2: finds a group", async () => {
    const { door, alias } = world(subject);
    const ops = expectData(await door.call("identity.groups.read", { id: "g-ops" }));
    for (const way of [{ id: "g-ops" }, { name: "Ops" }]) {
      expect(expectData(await door.call("identity.groups.lookup", way))).toEqual(ops);
    }
    for (const way of [{ id: "g" }, { alias_id: alias }]) expectDone(await door.call("identity.groups.lookup", way));
  });

  it.each<[fields: Fields, piece: string]>([
    [{}, "query parameters not supplied"],
    [{ id: "e-ann", name: "ann" }, "query parameter conflict"],
    [{ id: "e-ann", alias_name: "ann" }, "query parameter conflict"],
    [{ alias_name: "ann" }, "both alias_name and alias_mount_accessor"],
    [{ alias_mount_accessor: "acc-1" }, "both alias_name and alias_mount_accessor"],
  ])("1.3: looks for nothing by %j", async (fields, piece) => {
    const { door } = world(subject);
    expectRefused(await door.call("identity.entities.lookup", fields), 400, piece);
    expectRefused(await door.call("identity.groups.lookup", fields), 400, piece);
  });

  it("2.1: shows aliases by their ids", async () => {
    const { door, alias } = world(subject);
    const told = { canonical_id: "e-ann", mount_accessor: "acc-1", name: "ann@corp" };
    const { keys, key_info } = expectData(await door.call("identity.aliases.list"));
    expect(keys).toHaveLength(2);
    expect(key_info).toMatchObject({ [alias]: told });
    expect(expectData(await door.call("identity.aliases.read", { id: alias }))).toMatchObject({ id: alias, ...told });
    expectNotFound(await door.call("identity.aliases.read", { id: "none" }));
  });

  it("2.4: shows the method of an alias", async () => {
    const { main, door } = world(subject);
    main.as(main.rootToken).auth.enable({ path: "people", type: "userpass", local: true });
    const { accessor } = main.as(main.rootToken).auth.list().data["people/"] ?? expect.fail("no method");
    const write = { name: "ann", mount_accessor: accessor, canonical_id: "e-ann" };
    const { id } = expectData(await door.call("identity.aliases.write", write));
    const told = {
      mount_path: "auth/people/",
      mount_type: "userpass",
      local: true,
      metadata: null,
      custom_metadata: {},
    };
    expect(expectData(await door.call("identity.aliases.read", { id }))).toEqual({
      id,
      canonical_id: "e-ann",
      name: "ann",
      mount_accessor: accessor,
      ...told,
      merged_from_canonical_ids: null,
      creation_time: "2026-01-01T00:00:00Z",
      last_update_time: "2026-01-01T00:00:00Z",
      namespace_id: "root",
    });
    expect(expectData(await door.call("identity.aliases.list"))["key_info"]).toMatchObject({ [String(id)]: told });
    const unknown = { mount_path: "", mount_type: "", local: false };
    const { aliases } = expectData(await door.call("identity.entities.read", { id: "e-bob" }));
    expect(aliases).toEqual([expect.objectContaining(unknown)]);
  });

  it("2.2: changes aliases by their ids", async () => {
    const { sim, door, alias } = world(subject);
    const made = expectData(await door.call("identity.aliases.update", { id: alias, name: "ann@home" }));
    expect(made).toEqual({ id: alias, canonical_id: "e-ann" });
    await door.call("identity.aliases.update", { id: alias, custom_metadata: { k: "v" } });
    expect(expectData(await door.call("identity.aliases.read", { id: alias }))).toMatchObject({
      name: "ann@home",
      mount_accessor: "acc-1",
      custom_metadata: { k: "v" },
    });
    await expectNothingChanged(sim, async () => {
      const refused = async (fields: Fields, piece: string) =>
        expectRefused(await door.call("identity.aliases.update", { id: alias, ...fields }), 400, piece);
      await refused({ id: "none" }, "invalid alias ID");
      await refused({ canonical_id: "none" }, "");
      await refused({ name: "bob@corp" }, "already exists");
      await refused({ canonical_id: "e-bob" }, "");
    });
  });

  it("2.3: takes aliases from their entities", async () => {
    const { sim, main, door, alias } = world(subject);
    expectDone(await door.call("identity.aliases.delete", { id: alias }));
    expect(expectData(await door.call("identity.entities.read", { id: "e-ann" }))["aliases"]).toEqual([]);
    await expectNothingChanged(sim, async () => expectDone(await door.call("identity.aliases.delete", { id: alias })));
    const { identity } = main.as(main.rootToken);
    const again = identity.aliases.write({ name: "ann@corp", mount_accessor: "acc-1" });
    expect(again?.data.canonical_id).not.toBe("e-ann");
  });

  it("3.1, 3.2: keeps the type of a group, and shows no members as null", async () => {
    const { sim, door } = world(subject);
    await expectNothingChanged(sim, async () => {
      const other = await door.call("identity.groups.write", { name: "ops", type: "external" });
      expectRefused(other, 400, "group type cannot be changed");
    });
    expect(expectData(await door.call("identity.groups.read", { id: "g-ops" }))).toMatchObject({
      member_entity_ids: null,
      member_group_ids: null,
      parent_group_ids: [],
    });
  });
});
