import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createSimulator, Rejection, rehearse, replay, type Simulator } from "../../../src/index.ts";
import { type Answer, doors, type Fields, type OperationName, send } from "../driver.ts";
import {
  ENVELOPE_KEYS,
  expectData,
  expectDone,
  expectEnvelope,
  expectNotFound,
  expectNothingChanged,
  expectRefused,
} from "../expectations.ts";

// src/services/secrets/kv2/README.md.

const PAGE = readFileSync(new URL("../../../src/services/secrets/kv2/README.md", import.meta.url), "utf8");
const START = "2026-01-01T00:00:00Z";

function world(): Simulator {
  const sim = createSimulator({ seed: 11 });
  sim.secrets.cluster("main").mount("kv2", { type: "kv-v2" });
  return sim;
}

const path = "app/db";

/** 404 with the body of a success. */
function expectGone(answer: Answer): void {
  expect({ status: answer.status, code: answer.code }).toEqual({ status: 404, code: "secret_version_gone" });
  if (answer.body !== undefined) expect(Object.keys(answer.body as object).sort()).toEqual(ENVELOPE_KEYS);
}

/** The rows of a table of the page, without its head. */
function tableBelow(heading: string, columns: string): readonly (readonly string[])[] {
  const section = PAGE.slice(PAGE.indexOf(`## ${heading}`));
  const rows = section.slice(section.indexOf(`| ${columns} `)).split("\n\n")[0] ?? "";
  const cells = rows.split("\n").map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return cells.slice(2);
}

const FIELDS: { readonly [call: string]: Fields } = {
  write: { data: { b: 2 } },
  patch: { data: { b: 2 } },
  deleteVersions: { versions: [1] },
  undelete: { versions: [1] },
  destroy: { versions: [1] },
  "metadata.write": { max_versions: 3 },
  "metadata.patch": { max_versions: 3 },
};

const STATES = ["nothing", "metadata only", "available", "deleted", "destroyed"] as const;

describe.each(doors())("values with versions through %s", (_, { open }) => {
  async function having(state: (typeof STATES)[number]): Promise<Simulator> {
    const sim = world();
    const door = open(sim);
    if (state === "metadata only") await door.call("kv2.metadata.write", { path, max_versions: 5 });
    if (["available", "deleted", "destroyed"].includes(state)) await door.call("kv2.write", { path, data: { a: 1 } });
    if (state === "deleted") await door.call("kv2.delete", { path });
    if (state === "destroyed") await door.call("kv2.destroy", { path, versions: [1] });
    return sim;
  }

  const rows = tableBelow("What each call answers", "Call").flatMap(([call = "", ...statuses]) =>
    statuses.map((status, index) => [call, STATES[index] ?? expect.fail("a column too many"), status] as const),
  );

  it("have a table of answers", () => expect(rows).toHaveLength(60));

  it.each(rows)("%s, where there is %s, answers %s", async (call, state, status) => {
    const answer = await open(await having(state)).call(`kv2.${call}` as OperationName, { path, ...FIELDS[call] });
    if (status === "404+") expectGone(answer);
    else if (status === "404") expectNotFound(answer);
    else expect({ status: `${answer.status}`, errors: answer.errors }).toEqual({ status, errors: undefined });
  });

  it("are read as they were written, the current one unless another is asked for", async () => {
    const door = open(world());
    const written = { created_time: START, custom_metadata: null, deletion_time: "", destroyed: false };
    expect(expectData(await door.call("kv2.write", { path, data: { a: [1, { b: null }] } }))).toEqual({
      ...written,
      version: 1,
    });
    await door.call("kv2.write", { path, data: { c: 2 } });
    expect(expectData(await door.call("kv2.read", { path }))).toEqual({
      data: { c: 2 },
      metadata: { ...written, version: 2 },
    });
    expect(expectData(await door.call("kv2.read", { path, version: 1 }))).toEqual({
      data: { a: [1, { b: null }] },
      metadata: { ...written, version: 1 },
    });
    expect(expectData(await door.call("kv2.read", { path, version: 0 }))["data"]).toEqual({ c: 2 });
    expectNotFound(await door.call("kv2.read", { path, version: 3 }));
  });

  it("keep an empty object, and take no data for none", async () => {
    const sim = world();
    const door = open(sim);
    expect(expectData(await door.call("kv2.write", { path, data: {} }))["version"]).toBe(1);
    expect(expectData(await door.call("kv2.read", { path }))["data"]).toEqual({});
    await expectNothingChanged(sim, async () => {
      expectRefused(await door.call("kv2.write", { path }), 400, "no data provided");
      expectRefused(await door.call("kv2.patch", { path }), 400, "no data provided");
      expectRefused(await door.call("kv2.write", { path, data: "x" }), 400, "Field validation failed");
      expectRefused(await door.call("kv2.write", { path, data: '{"x":1}' }), 400, "Field validation failed");
      expectRefused(await door.call("kv2.write", { path, data: [1] }), 400, "Field validation failed");
    });
  });

  it.each<[cas: number | undefined, required: "path" | "engine" | "nowhere", piece: string | undefined]>([
    [1, "nowhere", undefined],
    [undefined, "nowhere", undefined],
    [0, "nowhere", "check-and-set parameter did not match the current version"],
    [2, "path", "check-and-set parameter did not match the current version"],
    [undefined, "path", "check-and-set parameter required for this call"],
    [undefined, "engine", "check-and-set parameter required for this call"],
    [1, "engine", undefined],
  ])("with cas %s, required by %s: %s", async (cas, required, piece) => {
    const sim = world();
    const door = open(sim);
    expect(expectData(await door.call("kv2.write", { path, data: { a: 1 }, options: { cas: 0 } }))["version"]).toBe(1);
    // The current version counts, also when it is deleted.
    await door.call("kv2.delete", { path });
    if (required === "engine") expectDone(await door.call("kv2.config.write", { cas_required: true }));
    if (required === "path") expectDone(await door.call("kv2.metadata.write", { path, cas_required: true }));
    const fields = { path, data: { a: 2 }, ...(cas === undefined ? {} : { options: { cas } }) };
    if (piece === undefined) {
      expect(expectData(await door.call("kv2.write", fields))["version"]).toBe(2);
      return;
    }
    await expectNothingChanged(sim, async () => {
      expectRefused(await door.call("kv2.write", fields), 400, piece);
      // It is checked before the version is looked at.
      expectRefused(await door.call("kv2.patch", fields), 400, piece);
    });
  });

  it("are patched as RFC 7396 says, into the next version", async () => {
    const door = open(world());
    await door.call("kv2.write", { path, data: { keep: 1, drop: 2, deep: { keep: 1, drop: 2 }, list: [1] } });
    const patch = { drop: null, deep: { drop: null, more: { x: null, y: 1 } }, list: [2], added: "x" };
    expect(expectData(await door.call("kv2.patch", { path, data: patch, options: { cas: 1 } }))["version"]).toBe(2);
    expect(expectData(await door.call("kv2.read", { path }))["data"]).toEqual({
      keep: 1,
      deep: { keep: 1, more: { y: 1 } },
      list: [2],
      added: "x",
    });
    expect(expectData(await door.call("kv2.read", { path, version: 1 }))["data"]).toHaveProperty("drop", 2);
  });

  it("are deleted, undeleted and destroyed one by one; what cannot be is passed over", async () => {
    const sim = world();
    const door = open(sim);
    for (const a of [1, 2, 3]) await door.call("kv2.write", { path, data: { a } });
    expectDone(await door.call("kv2.deleteVersions", { path, versions: [1, 2, 9] }));
    expectDone(await door.call("kv2.destroy", { path, versions: [2] }));
    sim.clock.advance("1m");
    expectGone(await door.call("kv2.read", { path, version: 1 }));
    await expectNothingChanged(sim, async () => {
      expectDone(await door.call("kv2.deleteVersions", { path, versions: [1, 2] }));
      expectDone(await door.call("kv2.undelete", { path, versions: [2, 9] }));
      expectDone(await door.call("kv2.destroy", { path, versions: [2, 9] }));
      for (const call of ["deleteVersions", "undelete", "destroy"] as const) {
        expectRefused(await door.call(`kv2.${call}`, { path, versions: [] }), 400, "No version number provided");
      }
    });
    expectDone(await door.call("kv2.undelete", { path, versions: "1,2" }));
    expect(expectData(await door.call("kv2.read", { path, version: 1 }))["data"]).toEqual({ a: 1 });
    const { versions } = expectData(await door.call("kv2.metadata.read", { path }));
    expect(versions).toEqual({
      1: { created_time: START, deletion_time: "", destroyed: false },
      2: { created_time: START, deletion_time: START, destroyed: true },
      3: { created_time: START, deletion_time: "", destroyed: false },
    });
  });

  it.each<[engine: number, ofPath: number, kept: number]>([
    [0, 0, 10],
    [3, 0, 3],
    [0, 2, 2],
    [3, 2, 3],
    [2, 4, 4],
  ])(
    "beyond max_versions of the engine, %i, and of the path, %i, are dropped: %i stay",
    async (engine, ofPath, kept) => {
      const door = open(world());
      await door.call("kv2.config.write", { max_versions: engine });
      await door.call("kv2.metadata.write", { path, max_versions: ofPath });
      for (let a = 1; a < kept; a++) await door.call("kv2.write", { path, data: { a } });
      expect(expectData(await door.call("kv2.metadata.read", { path }))).toMatchObject({
        current_version: kept - 1,
        oldest_version: 0,
      });
      for (let a = kept; a <= kept + 2; a++) await door.call("kv2.write", { path, data: { a } });
      const { versions, ...others } = expectData(await door.call("kv2.metadata.read", { path }));
      expect(others).toMatchObject({ current_version: kept + 2, oldest_version: 3 });
      expect(Object.keys(versions as object)).toHaveLength(kept);
      expectNotFound(await door.call("kv2.read", { path, version: 2 }));
      expect(expectData(await door.call("kv2.read", { path, version: 3 }))["data"]).toEqual({ a: 3 });
    },
  );

  it.each<[engine: string | number | undefined, ofPath: string | number, afterSeconds: number | undefined]>([
    ["1h", 0, 3600],
    [undefined, "90s", 90],
    ["1h", "90s", 90],
    [60, "1h", 60],
    [-1, "90s", undefined],
    ["-1s", 0, undefined],
  ])("with delete_version_after %s of the engine and %s of the path end after %s s", async (engine, ofPath, after) => {
    const sim = world();
    const door = open(sim);
    if (engine !== undefined) expectDone(await door.call("kv2.config.write", { delete_version_after: engine }));
    await door.call("kv2.metadata.write", { path, delete_version_after: ofPath });
    const { deletion_time } = expectData(await door.call("kv2.write", { path, data: { a: 1 } }));
    expect(sim.clock.pending()).toEqual([]);
    const dueMs = Date.parse(START) + (after ?? 0) * 1000;
    expect(deletion_time).toBe(after === undefined ? "" : new Date(dueMs).toISOString().replace(".000", ""));
    sim.clock.advanceTo(after === undefined ? Date.parse(START) + 1e9 : dueMs - 1);
    expect(expectData(await door.call("kv2.read", { path }))["data"]).toEqual({ a: 1 });
    if (after === undefined) return;
    sim.clock.advance("1ms");
    expectGone(await door.call("kv2.read", { path }));
    // It is put off by as long again.
    expectDone(await door.call("kv2.undelete", { path, versions: [1] }));
    sim.clock.advance(after * 1000 - 1);
    expect(expectData(await door.call("kv2.read", { path }))["data"]).toEqual({ a: 1 });
    sim.clock.advance("1ms");
    expectGone(await door.call("kv2.read", { path }));
  });

  it("have settings, of the engine and of each path", async () => {
    const sim = world();
    const door = open(sim);
    const unset = { max_versions: 0, cas_required: false, delete_version_after: "0s" };
    expect(expectData(await door.call("kv2.config.read"))).toEqual(unset);
    await expectNothingChanged(sim, async () => {
      expectDone(await door.call("kv2.config.write"));
      expectDone(await door.call("kv2.metadata.write", { path }));
      expectNotFound(await door.call("kv2.metadata.read", { path }));
      expectRefused(await door.call("kv2.config.write", { max_versions: -1 }), 400, "Field validation failed");
      expectRefused(await door.call("kv2.metadata.write", { path, delete_version_after: "-1s" }), 400, "validation");
    });
    expectDone(await door.call("kv2.config.write", { delete_version_after: "3h25m19s", max_versions: 4 }));
    expectDone(await door.call("kv2.config.write", { cas_required: "true" }));
    expect(expectData(await door.call("kv2.config.read"))).toEqual({
      max_versions: 4,
      cas_required: true,
      delete_version_after: "3h25m19s",
    });
    const { warnings } = expectEnvelope(await door.call("kv2.metadata.write", { path, cas_required: false }));
    expect(warnings).toEqual([expect.stringContaining("cas_required")]);
    expectDone(
      await door.call("kv2.metadata.write", { path, delete_version_after: 3600, custom_metadata: { a: "b" } }),
    );
    expect(expectData(await door.call("kv2.metadata.read", { path }))).toEqual({
      ...unset,
      delete_version_after: "1h0m0s",
      custom_metadata: { a: "b" },
      created_time: START,
      updated_time: START,
      current_version: 0,
      oldest_version: 0,
      versions: {},
    });
  });

  it("have custom metadata: a write replaces it, a patch merges it", async () => {
    const door = open(world());
    await door.call("kv2.write", { path, data: { a: 1 } });
    expectDone(await door.call("kv2.metadata.write", { path, custom_metadata: { a: "1", b: 2 } }));
    expectDone(await door.call("kv2.metadata.patch", { path, custom_metadata: { a: null, c: "3" } }));
    const merged = { b: "2", c: "3" };
    expect(expectData(await door.call("kv2.read", { path }))["metadata"]).toMatchObject({ custom_metadata: merged });
    expectDone(await door.call("kv2.metadata.write", { path, max_versions: 3 }));
    expectDone(await door.call("kv2.metadata.patch", { path, max_versions: 4 }));
    const { custom_metadata, max_versions } = expectData(await door.call("kv2.metadata.read", { path }));
    expect({ custom_metadata, max_versions }).toEqual({ custom_metadata: merged, max_versions: 4 });
    expectDone(await door.call("kv2.metadata.write", { path, custom_metadata: {} }));
    expect(expectData(await door.call("kv2.metadata.read", { path }))["custom_metadata"]).toEqual({});
  });

  it.each<[fault: string, metadata: { readonly [name: string]: string }]>([
    ["an empty name", { "": "x" }],
    ["a name of 129 bytes", { [`${"é".repeat(64)}x`]: "x" }],
    ["an empty value", { a: "" }],
    ["a value of 513 bytes", { a: "x".repeat(513) }],
    ["unprintable characters in a name", { "a\tb": "x" }],
    ["unprintable characters in a value", { a: "x\u00a0" }],
    ["65 names", Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`n${n}`, "x"]))],
  ])("refuse custom metadata with %s", async (_fault, custom_metadata) => {
    const sim = world();
    const door = open(sim);
    await door.call("kv2.write", { path, data: { a: 1 } });
    await expectNothingChanged(sim, async () => {
      const piece = "custom_metadata validation failed";
      expectRefused(await door.call("kv2.metadata.write", { path, custom_metadata }), 400, piece);
      expectRefused(await door.call("kv2.metadata.patch", { path, custom_metadata }), 400, piece);
    });
  });

  it("are gone with their metadata, and begin with 1 again", async () => {
    const door = open(world());
    await door.call("kv2.write", { path, data: { a: 1 } });
    await door.call("kv2.write", { path, data: { a: 2 } });
    expectDone(await door.call("kv2.metadata.delete", { path }));
    expectNotFound(await door.call("kv2.read", { path }));
    expect(expectData(await door.call("kv2.write", { path, data: { a: 3 } }))["version"]).toBe(1);
  });

  it("are listed by their metadata, one level at a time", async () => {
    const door = open(world());
    for (const each of ["a", "a/b", "a/c/d", "z/y"]) await door.call("kv2.write", { path: each, data: { v: 1 } });
    await door.call("kv2.delete", { path: "a" });
    await door.call("kv2.metadata.write", { path: "m", max_versions: 1 });
    expect(expectData(await door.call("kv2.metadata.list"))).toEqual({ keys: ["a", "a/", "m", "z/"] });
    expect(expectData(await door.call("kv2.metadata.list", { prefix: "a" }))).toEqual({ keys: ["b", "c/"] });
    expectNotFound(await door.call("kv2.metadata.list", { prefix: "nowhere" }));
  });

  it("show their keys alone", async () => {
    const door = open(world());
    await door.call("kv2.write", { path, data: { a: 1, b: { c: "x", d: { e: 1 }, none: {} }, list: [{ f: 1 }] } });
    const subkeys = async (fields: Fields) => expectData(await door.call("kv2.subkeys", { path, ...fields }));
    expect(await subkeys({})).toMatchObject({
      metadata: { version: 1 },
      subkeys: { a: null, b: { c: null, d: { e: null }, none: null }, list: null },
    });
    expect((await subkeys({ depth: 1 }))["subkeys"]).toEqual({ a: null, b: null, list: null });
    expect((await subkeys({ depth: 2 }))["subkeys"]).toMatchObject({ b: { c: null, d: null } });
    expect((await subkeys({ depth: 101 }))["subkeys"]).toMatchObject({ b: { d: { e: null } } });
  });

  it.each<[capability: string, on: string, call: OperationName, fields: Fields, isAllowed: boolean]>([
    ["read", "kv2/data/app/*", "kv2.read", {}, true],
    ["read", "kv2/app/*", "kv2.read", {}, false],
    ["read", "kv2/metadata/app/*", "kv2.metadata.read", {}, true],
    ["update", "kv2/data/app/*", "kv2.write", { data: { a: 2 } }, true],
    ["create", "kv2/data/app/*", "kv2.write", { data: { a: 2 } }, false],
    ["create", "kv2/data/app/*", "kv2.write", { path: "app/new", data: { a: 2 } }, true],
    ["update", "kv2/data/app/*", "kv2.write", { path: "app/new", data: { a: 2 } }, false],
    ["create", "kv2/metadata/app/*", "kv2.metadata.write", { path: "app/new", max_versions: 2 }, true],
    ["patch", "kv2/data/app/*", "kv2.patch", { data: { a: 2 } }, true],
    ["update", "kv2/data/app/*", "kv2.patch", { data: { a: 2 } }, false],
    ["patch", "kv2/metadata/app/*", "kv2.metadata.patch", { max_versions: 2 }, true],
    ["delete", "kv2/data/app/*", "kv2.delete", {}, true],
    ["delete", "kv2/data/app/*", "kv2.deleteVersions", { versions: [1] }, false],
    ["update", "kv2/delete/app/*", "kv2.deleteVersions", { versions: [1] }, true],
    ["update", "kv2/undelete/+/db", "kv2.undelete", { versions: [1] }, true],
    ["update", "kv2/destroy/app/db", "kv2.destroy", { versions: [1] }, true],
    ["read", "kv2/subkeys/app/db", "kv2.subkeys", {}, true],
    ["list", "kv2/metadata/*", "kv2.metadata.list", { prefix: "app" }, true],
    ["update", "kv2/config", "kv2.config.write", { max_versions: 2 }, true],
  ])("%s on %s: %s %j is allowed: %s", async (capability, on, call, fields, isAllowed) => {
    const sim = world();
    const main = sim.secrets.cluster("main");
    main.writePolicy("p", `path "${on}" { capabilities = ["${capability}"] }`);
    const { token } = main.createToken({ policies: ["p"] });
    await open(sim).call("kv2.write", { path, data: { a: 1 } });
    const pathless = ["kv2.metadata.list", "kv2.config.write"].includes(call) ? {} : { path };
    const { status } = await open(sim).call(call, { ...pathless, ...fields }, { token });
    expect(status === 403).toBe(!isAllowed);
  });
});

describe("a mount of version 2", () => {
  it.each([
    ["an option", { type: "kv", options: { version: "2" } }],
    ["its type", { type: "kv-v2" }],
  ])("is made by %s, and shows as kv", (_, fields) => {
    const main = createSimulator().secrets.cluster("main");
    const door = main.as(main.rootToken);
    door.mounts.write({ path: "secret", ...fields });
    expect(door.mounts.read({ path: "secret" }).data).toMatchObject({ type: "kv", options: { version: "2" } });
    expect(door.mounts.read({ path: "secret" }).data.accessor).toMatch(/^kv_/);
    expect(door.at("secret").kv2.write({ path, data: { a: 1 } }).data.version).toBe(1);
  });

  it("is there from the start where that is wanted, and survives its log", () => {
    const sim = createSimulator({ seed: 3, secrets: { kv: 2, clusters: ["main"] } });
    const late = sim.secrets.addCluster("late");
    for (const cluster of [sim.secrets.cluster("main"), late]) {
      const { kv2, mounts } = cluster.as(cluster.rootToken);
      kv2.write({ path, data: { a: 1 } });
      expect(mounts.read({ path: "kv" }).data.options).toEqual({ version: "2" });
    }
    const again = replay(sim.log.toNdjson());
    expect(again.stateHash()).toBe(sim.stateHash());
    expect(again.secrets.cluster("late").as(late.rootToken).kv2.read({ path }).data.data).toEqual({ a: 1 });
    expect(() => createSimulator({ secrets: { kv: 3 as 2 } })).toThrow(/kv is 1 or 2/);
  });

  it("is made of one of version 1, with what is stored there, and stays", async () => {
    const sim = createSimulator({ seed: 5 });
    const main = sim.secrets.cluster("main");
    const { kv, kv2, mounts } = main.as(main.rootToken);
    kv.write({ path: "a/b", v: 1 });
    await send(sim, "POST", "/v1/kv/big", { body: '{"n":12345678901234567890}' });
    sim.clock.advance("1h");
    const accessor = mounts.read({ path: "kv" }).data.accessor;
    expect(mounts.tune({ path: "kv", options: { version: "2", other: "x" } })?.warnings).toEqual([
      expect.stringContaining("upgrading"),
    ]);
    expect(mounts.read({ path: "kv" }).data).toMatchObject({ accessor, options: { version: "2", other: "x" } });
    expect(kv2.read({ path: "a/b" }).data).toMatchObject({ data: { v: 1 }, metadata: { version: 1 } });
    expect(kv2.metadata.read({ path: "a/b" }).data.created_time).toBe("2026-01-01T01:00:00Z");
    expect((await send(sim, "GET", "/v1/kv/data/big")).status).toBe(200);
    expect(kv2.metadata.list().data.keys).toEqual(["a/", "big"]);
    expect(mounts.tune({ path: "kv", options: { version: "2", other: "" } })).toBeUndefined();
    expect(mounts.read({ path: "kv" }).data.options).toEqual({ version: "2" });
    for (const version of ["1", ""]) {
      expect(() => mounts.tune({ path: "kv", options: { version } })).toThrow(
        expect.objectContaining({ code: "kv_downgrade", status: 400 }),
      );
    }
    expect(() => mounts.tune({ path: "kv", options: { version: "3" } })).toThrow(/kv_version_unsupported/);
    expect(() => kv.read({ path: "a/b" })).toThrow(Rejection);
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
    expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
  });

  it("keeps another engine's option of that name for what it is", () => {
    const main = createSimulator().secrets.cluster("main");
    const { mounts } = main.as(main.rootToken);
    expect(mounts.tune({ path: "ldap", options: { version: "7" } })).toBeUndefined();
    expect(mounts.tuning({ path: "ldap" }).data.options).toEqual({ version: "7" });
  });

  it.each<[method: string, path: string]>([
    ["GET", "kv2/app/db"],
    ["POST", "kv2/app/db"],
    ["DELETE", "kv2/app/db"],
    ["PATCH", "kv2/app/db"],
    ["LIST", "kv2/app"],
    ["LIST", "kv2"],
    ["GET", "kv2"],
    ["GET", "kv2/data"],
    ["POST", "kv2/metadata"],
    ["LIST", "kv2/data/app"],
  ])("has no %s %s, and says so in the body of a success", async (method, at) => {
    const sim = world();
    await expectNothingChanged(sim, async () => {
      const headers = { "Content-Type": "application/merge-patch+json" };
      const sent = ["POST", "PATCH"].includes(method) ? { body: '{"a":1}', headers } : {};
      const answer = await send(sim, method, `/v1/${at}`, sent);
      expect({ status: answer.status, code: answer.code }).toEqual({ status: 404, code: "kv2_path_invalid" });
      expect(answer.body).toMatchObject({
        data: null,
        warnings: [expect.stringContaining("Invalid path for a versioned K/V secrets engine")],
      });
      expect((await send(sim, method, `/v1/${at}`, { ...sent, asking: { token: "scs.nobody" } })).status).toBe(403);
    });
  });

  it("answers 405 where it has a path with another method", async () => {
    expect((await send(world(), "DELETE", "/v1/kv2/subkeys/x")).status).toBe(405);
    expect((await send(world(), "GET", "/v1/kv2/destroy/x")).status).toBe(405);
  });

  it("refuses paths that climb, and PATCH of another content type", async () => {
    const main = world().secrets.cluster("main");
    const { kv2 } = main.as(main.rootToken).at("kv2");
    expect(() => kv2.write({ path: "a/../b", data: {} })).toThrow(expect.objectContaining({ code: "path_relative" }));
    expect((await send(world(), "PATCH", "/v1/kv2/data/x", { body: "{}" })).status).toBe(415);
  });

  it("tells whoever calls of a version that is gone", () => {
    const main = world().secrets.cluster("main");
    const { kv2 } = main.as(main.rootToken).at("kv2");
    kv2.write({ path, data: { a: 1 } });
    kv2.delete({ path });
    expect(() => kv2.read({ path })).toThrow(
      expect.objectContaining({
        status: 404,
        code: "secret_version_gone",
        data: { member: "data", metadata: expect.objectContaining({ version: 1, deletion_time: START }) },
      }),
    );
    expect(() => kv2.patch({ path, data: {} })).toThrow(expect.objectContaining({ status: 404 }));
  });

  it("is reported with its secrets when it is lost, and goes whole with its mount", () => {
    const sim = world();
    const main = sim.secrets.cluster("main");
    const { kv2 } = main.as(main.rootToken).at("kv2");
    kv2.write({ path, data: { a: 1 } });
    const before = sim.position;
    kv2.write({ path, data: { a: 2 } });
    const at = sim.secrets.addCluster("other");
    const report = sim.lossReport(main, at);
    expect(report.find(({ position }) => position === before + 1)?.objects).toEqual([
      { kind: "secret", path: "kv2/app/db", change: "changed", fate: "missing" },
    ]);
    main.as(main.rootToken).mounts.delete({ path: "kv2" });
    main.mount("kv2", { type: "kv-v2" });
    expect(() => kv2.read({ path })).toThrow(expect.objectContaining({ code: "not_found" }));
  });
});
