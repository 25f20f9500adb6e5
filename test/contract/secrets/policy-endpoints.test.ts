import { describe, expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { doors } from "../driver.ts";
import {
  expectData,
  expectDone,
  expectEnvelope,
  expectNotFound,
  expectNothingChanged,
  expectRefused,
} from "../expectations.ts";

// decisions-secrets-core.md, D.1 and D.3.

const READ = 'path "kv/*" { capabilities = ["read"] }';

describe.each(doors())("access policies through %s", (_, { open }) => {
  it("are written, read as they were sent, listed and deleted", async () => {
    const sim = createSimulator();
    const door = open(sim);
    expectDone(await door.call("policies.write", { name: "reader", policy: btoa(READ) }));
    expect(expectData(await door.call("policies.read", { name: "Reader" }))).toEqual({ name: "reader", policy: READ });
    expect(expectData(await door.call("policies.list"))).toEqual({ keys: ["default", "reader", "root"] });
    expect(expectData(await door.call("policies.read", { name: "root" }))).toEqual({ name: "root", policy: "" });
    expectDone(await door.call("policies.delete", { name: "reader" }));
    expectNotFound(await door.call("policies.read", { name: "reader" }));
    await expectNothingChanged(sim, async () => expectDone(await door.call("policies.delete", { name: "reader" })));
  });

  it("whose name had to be lower-cased are 200 with one warning", async () => {
    const { warnings } = expectEnvelope(
      await open(createSimulator()).call("policies.write", { name: "A", policy: READ }),
    );
    expect(warnings).toHaveLength(1);
  });

  it("take effect on the next request of tokens that are there", async () => {
    const sim = createSimulator();
    const door = open(sim);
    const { token } = sim.secrets.cluster("main").createToken({ policies: ["reader"] });
    expectDone(await door.call("kv.write", { path: "a", v: 1 }));
    expectRefused(await door.call("kv.read", { path: "a" }, { token }), 403, "permission denied");
    expectDone(await door.call("policies.write", { name: "reader", policy: READ }));
    expectData(await door.call("kv.read", { path: "a" }, { token }));
    expectDone(await door.call("policies.delete", { name: "reader" }));
    expectRefused(await door.call("kv.read", { path: "a" }, { token }), 403, "permission denied");
  });

  it.each([
    ["root", READ, "cannot update"],
    ["Response-Wrapping", READ, "cannot update"],
    ["p", undefined, "policy"],
    ["p", "", "policy"],
    ["p", 'path "x" {', "parse"],
    ["p", 'path "x" { capabilities = ["reed"] }', "invalid capability"],
    ["p", 'path "x" { mfa_methods = ["x"] }', "invalid key"],
    ["p", 'path "x/+*" { capabilities = ["read"] }', "+*"],
  ])("of the name %s with %j are refused", async (name, policy, piece) => {
    const sim = createSimulator();
    await expectNothingChanged(sim, async () => {
      expectRefused(await open(sim).call("policies.write", { name, policy }), 400, piece);
    });
  });

  it.each(["default", "root", "response-wrapping", "ROOT"])("cannot be deleted: %s", async (name) => {
    expectRefused(await open(createSimulator()).call("policies.delete", { name }), 400, "cannot delete");
  });

  it("are each namespace's own; root is in the root namespace only", async () => {
    const sim = createSimulator();
    sim.secrets.cluster("main").createNamespace("team");
    const door = open(sim);
    const there = { namespace: "team" };
    expectDone(await door.call("policies.write", { name: "p", policy: READ }, there));
    expect(expectData(await door.call("policies.list", {}, there))).toEqual({ keys: ["default", "p"] });
    expectNotFound(await door.call("policies.read", { name: "p" }));
    expectNotFound(await door.call("policies.read", { name: "root" }, there));
  });
});

describe.each(doors())("capabilities of oneself through %s", (_, { open }) => {
  it("are told by path, sorted; one path also by itself", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    main.writePolicy("p", 'path "kv/*" { capabilities = ["update", "read"] } path "kv/no" { capabilities = ["deny"] }');
    const { token } = main.createToken({ policies: ["p"] });
    const answer = await open(sim).call(
      "policies.capabilitiesSelf",
      { paths: ["kv/a", "/kv/a", "kv/no", "x"] },
      { token },
    );
    const expected = { "kv/a": ["read", "update"], "/kv/a": ["read", "update"], "kv/no": ["deny"], x: ["deny"] };
    expect(answer.body).toMatchObject({ ...expected, data: expected });
    expect(Object.keys((answer.body as { data: object }).data).sort()).toEqual(Object.keys(expected).sort());
    const one = await open(sim).call("policies.capabilitiesSelf", { path: "kv/a" }, { token });
    expect(one.body).toMatchObject({ capabilities: ["read", "update"], data: { capabilities: ["read", "update"] } });
    const root = await open(sim).call("policies.capabilitiesSelf", { paths: "anything" });
    expect(root.body).toMatchObject({ data: { anything: ["root"] } });
  });

  it("of no path are 400", async () => {
    expectRefused(await open(createSimulator()).call("policies.capabilitiesSelf"), 400, "paths must be supplied");
  });
});

describe.each(doors())("namespaces through %s", (_, { open }) => {
  it("are written, read and listed with what is noted of them", async () => {
    const door = open(createSimulator());
    const custom_metadata = { owner: "ann" };
    const data = expectData(await door.call("namespaces.write", { name: "team", custom_metadata }));
    expect(data).toEqual({ id: expect.stringMatching(/^\w{6}$/), path: "team/", custom_metadata });
    const again = expectData(await door.call("namespaces.write", { name: "team" }));
    expect(again).toEqual({ ...data, custom_metadata: {} });
    const child = expectData(await door.call("namespaces.write", { name: "dev" }, { namespace: "team" }));
    expect(child["path"]).toBe("team/dev/");
    expect(expectData(await door.call("namespaces.list"))).toEqual({ keys: ["team/"], key_info: { "team/": again } });
    const below = expectData(await door.call("namespaces.list", {}, { namespace: "team" }));
    expect(below).toEqual({ keys: ["dev/"], key_info: { "dev/": child } });
    expect(expectData(await door.call("namespaces.read", { name: "team" }))).toEqual(again);
    expectNotFound(await door.call("namespaces.read", { name: "dev" }));
    expectNotFound(await door.call("namespaces.list", {}, { namespace: "team/dev" }));
  });

  it.each([
    ["sys", "reserved"],
    ["root", "reserved"],
    ["kv", "conflicts"],
    ["here", "conflicts"],
  ])("cannot be named %s", async (name, piece) => {
    const sim = createSimulator();
    sim.secrets.cluster("main").mount("here/kv", { type: "kv", local: true });
    await expectNothingChanged(sim, async () => {
      expectRefused(await open(sim).call("namespaces.write", { name }), 400, piece);
    });
  });

  it("go with all that is in them", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const door = open(sim);
    await door.call("namespaces.write", { name: "team" });
    const there = { namespace: "team" };
    await door.call("mounts.write", { path: "kv", type: "kv" }, there);
    await door.call("mounts.write", { path: "near", type: "kv", local: true }, there);
    const { token } = main.createToken({ policies: ["default"], namespace: "team" });
    const batch = main.createToken({ policies: ["default"], namespace: "team", type: "batch" }).token;
    const { warnings, data } = expectEnvelope(await door.call("namespaces.delete", { name: "team" }));
    expect({ warnings, data }).toEqual({ warnings: [expect.stringContaining("deletion")], data: null });
    expectRefused(await door.call("kv.list", {}, there), 404, "namespace not found");
    const local = sim.state.secrets["main"]?.local;
    expect([local?.tokens.has(token), local?.tokens.has(batch), local?.mounts.size]).toEqual([false, false, 0]);
    expect(sim.clock.pending()).toEqual([]);
    const missing = expectEnvelope(await door.call("namespaces.delete", { name: "team" }));
    expect(missing.warnings).toEqual([expect.stringContaining("does not exist")]);
    const { id } = sim.secrets.cluster("main").createNamespace("team");
    expect(id).toMatch(/^\w{6}$/);
    expectNotFound(await door.call("tokens.accessors", {}, there));
  });

  it("with children stay", async () => {
    const sim = createSimulator();
    for (const path of ["team", "team/dev", "teams"]) sim.secrets.cluster("main").createNamespace(path);
    expectRefused(await open(sim).call("namespaces.delete", { name: "team" }), 400, "child namespaces");
    expect((await open(sim).call("namespaces.delete", { name: "dev" }, { namespace: "team" })).status).toBe(200);
    expect((await open(sim).call("namespaces.delete", { name: "team" })).status).toBe(200);
  });
});
