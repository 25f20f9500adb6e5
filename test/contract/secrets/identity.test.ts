import { describe, expect, it } from "vitest";
import { createSimulator, Rejection } from "../../../src/index.ts";
import { byRule, doors, type Fields, type OperationName } from "../driver.ts";
import { expectData, expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";

// decisions-oidc.md, 3: entities, aliases and groups, through both doors and by control calls.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

interface Refusal {
  readonly rule: string;
  readonly call: readonly [OperationName, Fields];
}

/** All are 400 in a world with the entity `ann` (id `e-ann`), `bob`, the groups `inner` in `outer`, and the external `ext`. */
const REFUSALS: readonly Refusal[] = [
  { rule: "an entity of an unknown id", call: ["identity.entities.write", { id: "nobody" }] },
  { rule: "an entity with the policy root", call: ["identity.entities.write", { name: "x", policies: ["Root"] }] },
  {
    rule: "the policy root for one that is there",
    call: ["identity.entities.write", { name: "ann", policies: "a,root" }],
  },
  { rule: "the name of another entity", call: ["identity.entities.write", { id: "e-ann", name: "bob" }] },
  { rule: "an alias without a name", call: ["identity.aliases.write", { mount_accessor: "acc" }] },
  { rule: "an alias without an accessor", call: ["identity.aliases.write", { name: "ann" }] },
  {
    rule: "an alias of nobody",
    call: ["identity.aliases.write", { name: "x", mount_accessor: "acc", canonical_id: "no" }],
  },
  {
    rule: "a second alias on an accessor",
    call: ["identity.aliases.write", { name: "x", mount_accessor: "acc-1", canonical_id: "e-ann" }],
  },
  { rule: "a group of an unknown id", call: ["identity.groups.write", { id: "none" }] },
  { rule: "a group of an unknown type", call: ["identity.groups.write", { name: "x", type: "y" }] },
  { rule: "another type of a group", call: ["identity.groups.write", { name: "outer", type: "external" }] },
  {
    rule: "members of an external group",
    call: ["identity.groups.write", { name: "ext", member_entity_ids: ["e-ann"] }],
  },
  {
    rule: "members of a new external group",
    call: ["identity.groups.write", { name: "x", type: "external", member_group_ids: ["g-inner"] }],
  },
  { rule: "an unknown member", call: ["identity.groups.write", { name: "x", member_entity_ids: ["e-none"] }] },
  { rule: "an unknown group in a group", call: ["identity.groups.write", { name: "x", member_group_ids: ["g-none"] }] },
  { rule: "a group in itself", call: ["identity.groups.write", { id: "g-outer", member_group_ids: ["g-outer"] }] },
  {
    rule: "a group in one that is in it",
    call: ["identity.groups.write", { id: "g-inner", member_group_ids: ["g-outer"] }],
  },
  { rule: "a group with the policy root", call: ["identity.groups.write", { name: "x", policies: ["root"] }] },
];

function opened() {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  main.createEntity({
    id: "e-ann",
    name: "ann",
    metadata: { team: "ops" },
    aliases: [{ name: "ann@corp", mountAccessor: "acc-1", metadata: { org: "corp" }, customMetadata: { desk: "7" } }],
  });
  main.createEntity({ id: "e-bob", name: "bob" });
  main.createGroup({ id: "g-inner", name: "inner", memberEntityIds: ["e-ann"] });
  main.createGroup({ id: "g-outer", name: "outer", memberGroupIds: ["g-inner"] });
  main.createGroup({ id: "g-ext", name: "ext", type: "external" });
  return { sim, main };
}

describe.each(doors())("identity through %s", (_, { open }) => {
  it.each(byRule(REFUSALS))("refuses %s", async (__, { call }) => {
    const { sim } = opened();
    const door = open(sim);
    await expectNothingChanged(sim, async () => expectRefused(await door.call(...call), 400, ""));
  });

  it("shows an entity by its id and by its name, with its groups", async () => {
    const { sim } = opened();
    const door = open(sim);
    const shown = expectData(await door.call("identity.entities.read", { id: "e-ann" }));
    expect(shown).toEqual({
      id: "e-ann",
      name: "ann",
      metadata: { team: "ops" },
      policies: [],
      disabled: false,
      aliases: [
        {
          id: expect.stringMatching(UUID),
          canonical_id: "e-ann",
          name: "ann@corp",
          mount_accessor: "acc-1",
          // No method has this accessor (identity/README.md, 2.4).
          mount_path: "",
          mount_type: "",
          local: false,
          merged_from_canonical_ids: null,
          metadata: { org: "corp" },
          custom_metadata: { desk: "7" },
          creation_time: "2026-01-01T00:00:00Z",
          last_update_time: "2026-01-01T00:00:00Z",
        },
      ],
      direct_group_ids: ["g-inner"],
      inherited_group_ids: ["g-outer"],
      group_ids: ["g-inner", "g-outer"],
      namespace_id: "root",
      creation_time: "2026-01-01T00:00:00Z",
      last_update_time: "2026-01-01T00:00:00Z",
      merged_entity_ids: [],
    });
    expect(expectData(await door.call("identity.entities.readByName", { name: "ann" }))).toEqual(shown);
    expectNotFound(await door.call("identity.entities.readByName", { name: "none" }));
    expectNotFound(await door.call("identity.groups.read", { id: "none" }));
  });

  it("answers a new entity or group with 200, and an update with 204", async () => {
    const sim = createSimulator();
    const door = open(sim);
    const made = expectData(await door.call("identity.entities.write", { name: "a/b", metadata: { k: "v" } }));
    expect(made).toEqual({ id: expect.stringMatching(UUID), name: "a/b", aliases: null });
    sim.clock.advance("5s");
    expectDone(await door.call("identity.entities.write", { name: "a/b", disabled: true }));
    expect(expectData(await door.call("identity.entities.read", { id: made["id"] }))).toMatchObject({
      metadata: { k: "v" },
      disabled: true,
      creation_time: "2026-01-01T00:00:00Z",
      last_update_time: "2026-01-01T00:00:05Z",
    });
    const unnamed = expectData(await door.call("identity.entities.write", {}));
    expect(unnamed["name"]).not.toBe("");
    const group = expectData(await door.call("identity.groups.write", { name: "g" }));
    expect(group).toEqual({ id: expect.stringMatching(UUID), name: "g" });
    expectDone(await door.call("identity.groups.write", { name: "g", member_entity_ids: made["id"] }));
    expect(expectData(await door.call("identity.groups.readByName", { name: "g" }))).toMatchObject({
      type: "internal",
      member_entity_ids: [made["id"]],
      member_group_ids: null,
    });
    expect(expectData(await door.call("identity.groups.list"))["keys"]).toEqual([group["id"]]);
    expectDone(await door.call("identity.groups.delete", { id: group["id"] }));
    expectDone(await door.call("identity.groups.deleteByName", { name: "g" }));
    expectNotFound(await door.call("identity.groups.list"));
  });

  it("knows names in any case, and tells of all in a listing by ids", async () => {
    const { sim } = opened();
    const door = open(sim);
    expect(expectData(await door.call("identity.entities.readByName", { name: "ANN" }))["id"]).toBe("e-ann");
    expectDone(await door.call("identity.entities.write", { name: "ANN", policies: [" P ", ""] }));
    const ann = expectData(await door.call("identity.entities.readByName", { name: "ann" }));
    expect(ann).toMatchObject({ name: "ANN", policies: ["p"] });
    expectDone(await door.call("identity.groups.write", { name: "OUTER" }));
    expect(expectData(await door.call("identity.entities.list"))["key_info"]).toMatchObject({
      "e-ann": { name: "ANN", aliases: [{ name: "ann@corp", mount_accessor: "acc-1" }] },
      "e-bob": { name: "bob" },
    });
    expect(expectData(await door.call("identity.groups.list"))["key_info"]).toMatchObject({
      "g-inner": { name: "inner", num_member_entities: 1, num_parent_groups: 1 },
      "g-outer": { name: "OUTER", num_member_entities: 0, num_parent_groups: 0 },
    });
  });

  it("counts the changes of a group, shows nothing noted as null, and takes notes as a list", async () => {
    const { sim } = opened();
    const door = open(sim);
    const shown = async () => expectData(await door.call("identity.groups.read", { id: "g-inner" }));
    // Once for its own making, once for getting into another one.
    expect(await shown()).toMatchObject({ alias: {}, modify_index: 2, metadata: null });
    expectDone(await door.call("identity.groups.write", { id: "g-inner", metadata: ["a=b", "c=d"] }));
    expect(await shown()).toMatchObject({ modify_index: 3, metadata: { a: "b", c: "d" } });
    expectDone(await door.call("identity.groups.write", { id: "g-outer", member_group_ids: [] }));
    expect(await shown()).toMatchObject({ modify_index: 4 });
  });

  it("writes an alias that would stay as it is not again", async () => {
    const { sim } = opened();
    const alias = { name: "ann@corp", mount_accessor: "acc-1", canonical_id: "e-ann" };
    await expectNothingChanged(sim, async () => expectDone(await open(sim).call("identity.aliases.write", alias)));
  });

  it("makes an entity for an alias that names none, and keeps the alias of a login", async () => {
    const sim = createSimulator();
    const door = open(sim);
    const alias = { name: "x", mount_accessor: "any accessor" };
    const made = expectData(await door.call("identity.aliases.write", alias));
    expect(made).toEqual({ id: expect.stringMatching(UUID), canonical_id: expect.stringMatching(UUID) });
    const again = await door.call("identity.aliases.write", { ...alias, custom_metadata: { k: "v" } });
    expect(expectData(again)).toEqual(made);
    expect(expectData(await door.call("identity.entities.read", { id: made["canonical_id"] }))["aliases"]).toEqual([
      expect.objectContaining({ custom_metadata: { k: "v" } }),
    ]);
  });

  it("takes a deleted entity out of its groups, and tells its id from one that never was", async () => {
    const { sim, main } = opened();
    const door = open(sim);
    const tokens = ["e-ann", "never-was"].map((entityId) => main.createToken({ policies: [], entityId }).token);
    expectDone(await door.call("identity.entities.deleteByName", { name: "ann" }));
    expectDone(await door.call("identity.entities.delete", { id: "e-ann" }));
    expect(expectData(await door.call("identity.groups.read", { id: "g-inner" }))["member_entity_ids"]).toBeNull();
    const lookup = (token = "") => door.call("tokens.lookupSelf", {}, { token });
    expectRefused(await lookup(tokens[0]), 403, "permission denied");
    expectData(await lookup(tokens[1]));
    main.createEntity({ id: "e-ann", name: "ann" });
    expectData(await lookup(tokens[0]));
  });

  it("lets the policies of an entity and of its groups join those of its tokens, at each use", async () => {
    const { sim, main } = opened();
    const door = open(sim);
    for (const path of ["own", "inner", "outer"]) {
      main.writePolicy(path, `path "kv/${path}" { capabilities = ["read"] }`);
      await door.call("kv.write", { path, v: path });
    }
    const { token } = main.createToken({ policies: [], entityId: "e-ann" });
    const readable = async () => {
      const statuses: number[] = [];
      for (const path of ["own", "inner", "outer"]) {
        statuses.push((await door.call("kv.read", { path }, { token, mount: "kv" })).status);
      }
      return statuses;
    };
    expect(await readable()).toEqual([403, 403, 403]);
    await door.call("identity.entities.write", { name: "ann", policies: ["OWN"] });
    expect(await readable()).toEqual([200, 403, 403]);
    await door.call("identity.groups.write", { name: "outer", policies: ["outer"] });
    await door.call("identity.groups.write", { name: "inner", policies: ["inner"] });
    expect(await readable()).toEqual([200, 200, 200]);
    const capabilities = await door.call("policies.capabilitiesSelf", { paths: ["kv/outer"] }, { token });
    expect(capabilities.body).toMatchObject({ data: { "kv/outer": ["read"] } });
    await door.call("identity.groups.write", { name: "outer", member_group_ids: [] });
    expect(await readable()).toEqual([200, 200, 403]);
    await door.call("identity.groups.deleteByName", { name: "inner" });
    expect(await readable()).toEqual([200, 403, 403]);
    await door.call("identity.entities.write", { name: "ann", disabled: true });
    expectRefused(await door.call("tokens.lookupSelf", {}, { token }), 403, "permission denied");
  });

  it("keeps the people of each namespace apart", async () => {
    const { sim, main } = opened();
    main.createNamespace("team");
    const door = open(sim);
    const ask = { namespace: "team" };
    expectNotFound(await door.call("identity.entities.list", {}, ask));
    expectData(await door.call("identity.entities.write", { name: "ann" }, ask));
    expect(expectData(await door.call("identity.entities.listByName", {}, ask))["keys"]).toHaveLength(1);
    expectNotFound(await door.call("identity.entities.read", { id: "e-ann" }, ask));
  });
});

describe("control calls of identity", () => {
  const rejected = (work: () => unknown): string => {
    try {
      work();
    } catch (error) {
      if (error instanceof Rejection) return error.code;
      throw error;
    }
    return "nothing";
  };

  it("take ids as they are, and refuse what the state forbids", () => {
    const { main } = opened();
    expect(rejected(() => main.createEntity({ id: "e-ann" }))).toBe("entity_exists");
    expect(rejected(() => main.createEntity({ name: "ann" }))).toBe("entity_name_taken");
    expect(rejected(() => main.createGroup({ id: "g-inner" }))).toBe("group_exists");
    expect(rejected(() => main.createGroup({ name: "inner" }))).toBe("group_name_taken");
    expect(rejected(() => main.createGroup({ memberEntityIds: ["none"] }))).toBe("member_unknown");
    expect(rejected(() => main.createEntity({ namespace: "none" }))).toBe("namespace_not_found");
    expect(main.createEntity().id).toMatch(UUID);
  });

  it("say which argument is wrong, and do nothing", () => {
    const { sim, main } = opened();
    const { position } = sim;
    const wrong = (options: object) => () => main.createEntity(options);
    expect(wrong({ name: 7 })).toThrow(/createEntity: name is 7/);
    expect(wrong({ policies: ["root"] })).toThrow(/policies/);
    expect(wrong({ metadata: { a: 1 } })).toThrow(/metadata/);
    expect(wrong({ nope: 1 })).toThrow(/nope: no such option/);
    expect(wrong({ aliases: [{ name: "x" }] })).toThrow(/mountAccessor/);
    expect(() => main.createGroup({ type: "other" as never })).toThrow(/type/);
    expect(sim.position).toBe(position);
  });

  it("leave nothing behind when an alias cannot be made", () => {
    const { sim, main } = opened();
    const { position } = sim;
    const aliases = [
      { name: "a", mountAccessor: "m" },
      { name: "b", mountAccessor: "m" },
    ];
    expect(rejected(() => main.createEntity({ name: "carol", aliases }))).toBe("alias_on_accessor_exists");
    expect(sim.position).toBe(position);
  });
});

describe.each(["entities", "groups"] as const)("names that are drawn for %s", (kind) => {
  /** The name that the second commit draws, where the first one writes another name. */
  const secondAfter = (name: string): string => {
    const sim = createSimulator({ seed: 7 });
    const main = sim.secrets.cluster("main");
    const { identity } = main.as(main.rootToken);
    identity[kind].write({ name });
    return identity[kind].write({})?.data.name ?? "";
  };

  it("are free ones", () => {
    const drawn = secondAfter("another");
    expect(drawn).toMatch(/^(entity|group)_[0-9a-f]{8}$/);
    const other = secondAfter(drawn);
    expect(other).toMatch(/^(entity|group)_[0-9a-f]{8}$/);
    expect(other).not.toBe(drawn);
  });
});
