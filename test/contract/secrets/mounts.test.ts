import { describe, expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { doors, type Fields, send } from "../driver.ts";
import { expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";
import { libraryWorld } from "./library-world.ts";

// decisions-secrets-core.md, D.2.

const dataIn = (answer: { readonly body: unknown }) => (answer.body as { data: Record<string, unknown> }).data;

describe.each(doors())("mounts through %s", (_, { open }) => {
  it("are there from the start: an engine under each name, and the system's own", async () => {
    const sim = createSimulator();
    sim.secrets.cluster("main").createNamespace("team");
    const door = open(sim);
    const body = (await door.call("mounts.list")).body as Record<string, unknown>;
    const data = dataIn({ body });
    expect(Object.keys(data)).toEqual(["cubbyhole/", "identity/", "kv/", "ldap/", "orchestrator/", "sys/"]);
    for (const path of Object.keys(data)) expect(body[path]).toEqual(data[path]);
    expect(data["kv/"]).toEqual({
      type: "kv",
      description: "",
      accessor: expect.stringMatching(/^kv_[0-9a-f]{8}$/),
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      local: false,
      options: null,
      config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false },
      seal_wrap: false,
      external_entropy_access: false,
      plugin_version: "",
      running_plugin_version: "v1.15.0+builtin",
      running_sha256: "",
      deprecation_status: "supported",
    });
    const child = dataIn(await door.call("mounts.list", {}, { namespace: "team" }));
    expect(Object.keys(child)).toEqual(["cubbyhole/", "identity/", "sys/"]);
    expect(child["sys/"]).toMatchObject({ running_plugin_version: "v1.15.0+builtin" });
    expect(child["sys/"]).not.toHaveProperty("deprecation_status");
    expect(child["sys/"]).not.toEqual(data["sys/"]);
  });

  it("of another engine have no such path, and where nothing is mounted there is no handler", async () => {
    const sim = createSimulator();
    const door = open(sim);
    await door.call("mounts.write", { path: "team-kv", type: "ldap" });
    expect(await door.call("kv.list", { prefix: "a" }, { mount: "team-kv" })).toMatchObject({
      status: 404,
      code: "unsupported_path",
    });
    expect(await door.call("kv.list", { prefix: "a" }, { mount: "nothing" })).toMatchObject({
      status: 404,
      code: "no_handler_for_route",
    });
  });

  it("are written, read and tuned", async () => {
    const sim = createSimulator();
    const door = open(sim);
    const config = { default_lease_ttl: "10m", max_lease_ttl: 3600 };
    const fields = { path: "teams/a", type: "kv", description: "ours", options: { version: 1 }, config };
    expectDone(await door.call("mounts.write", fields));
    expect((await door.call("mounts.read", { path: "teams/a" })).body).toMatchObject({
      type: "kv",
      description: "ours",
      options: { version: "1" },
      config: { default_lease_ttl: 600, max_lease_ttl: 3600 },
      data: { description: "ours" },
    });
    expect(dataIn(await door.call("mounts.tuning", { path: "teams/a" }))).toEqual({
      default_lease_ttl: 600,
      max_lease_ttl: 3600,
      description: "ours",
      force_no_cache: false,
      options: { version: "1" },
    });
    expectDone(await door.call("mounts.tune", { path: "teams/a", default_lease_ttl: "system", description: "" }));
    expect(dataIn(await door.call("mounts.tuning", { path: "teams/a" }))).toEqual({
      default_lease_ttl: 3600,
      max_lease_ttl: 3600,
      description: "",
      force_no_cache: false,
      options: { version: "1" },
    });
    expect(dataIn(await door.call("mounts.tuning", { path: "sys" }))).toEqual({
      default_lease_ttl: 2_764_800,
      max_lease_ttl: 2_764_800,
      description: "system endpoints used for control, policy and debugging",
      force_no_cache: false,
    });
  });

  it.each<[rule: string, fields: Fields, piece: string]>([
    ["no type", { path: "sys/x", config: { default_lease_ttl: "2h", max_lease_ttl: "1h" } }, "type"],
    [
      "a default above the maximum before all that follows",
      { path: "sys", type: "nothing", config: { default_lease_ttl: "2h", max_lease_ttl: "1h" } },
      "TTL",
    ],
    ["a default above the system's maximum", { path: "x", type: "kv", config: { default_lease_ttl: "33d" } }, "TTL"],
    ["kv of version 3", { path: "sys", type: "kv", options: { version: "3" } }, "version 3"],
    ["an unknown type", { path: "sys", type: "nothing" }, "plugin not found in the catalog"],
    ["a path of the system", { path: "identity/x", type: "kv" }, "cannot mount"],
    ["the path of another mount", { path: "kv", type: "kv" }, "already in use"],
    ["a path below another mount", { path: "kv/x", type: "kv" }, "already in use"],
    ["a path above another mount", { path: "deep", type: "kv" }, "already in use"],
    ["the path of a namespace", { path: "team", type: "kv" }, "already in use"],
    ["a path below a namespace", { path: "team/x", type: "kv" }, "already in use"],
    ["a path above a local mount", { path: "near", type: "kv" }, "already in use"],
    ["a duration that is none", { path: "x", type: "kv", config: { max_lease_ttl: "1w" } }, "Field validation failed"],
    ["a config that is none", { path: "x", type: "kv", config: "x" }, "Field validation failed"],
  ])("are refused with %s", async (_rule, fields, piece) => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    main.createNamespace("team");
    main.mount("deep/er", { type: "kv" });
    main.mount("near/by", { type: "kv", local: true });
    await expectNothingChanged(sim, async () => {
      expectRefused(await open(sim).call("mounts.write", fields), 400, piece);
    });
  });

  it("that are not there are 400 to read and to tune, and 204 to delete", async () => {
    const sim = createSimulator();
    const door = open(sim);
    await expectNothingChanged(sim, async () => {
      expectRefused(await door.call("mounts.read", { path: "x" }), 400, "No secret engine mount");
      expectRefused(await door.call("mounts.tuning", { path: "x" }), 400, "No secret engine mount");
      expectRefused(await door.call("mounts.tune", { path: "x" }), 400, "No secret engine mount");
      expectRefused(await door.call("mounts.tune", { path: "sys", description: "x" }), 400, "cannot tune");
      expectRefused(await door.call("mounts.tune", { path: "kv", default_lease_ttl: "33d" }), 400, "TTL");
      expectRefused(await door.call("mounts.delete", { path: "sys" }), 400, "cannot unmount");
      expectDone(await door.call("mounts.delete", { path: "x" }));
    });
  });

  it("go with their data", async () => {
    const sim = createSimulator();
    const door = open(sim);
    await door.call("kv.write", { path: "a", v: 1 });
    expectDone(await door.call("mounts.delete", { path: "kv" }));
    expectRefused(await door.call("kv.read", { path: "a" }), 404, "no handler for route");
    expectDone(await door.call("mounts.write", { path: "kv", type: "kv" }));
    expectNotFound(await door.call("kv.read", { path: "a" }));
  });

  it("go with their leases, and stay when one cannot be revoked", async () => {
    const { sim, set, lend, directoryUp, password } = libraryWorld();
    const door = open(sim);
    set("ops", ["svc-1"]);
    const { lease } = lend("ops");
    directoryUp(false);
    expectRefused(await door.call("mounts.delete", { path: "ldap" }), 400, "failed to revoke");
    expect((await door.call("library.read", { set_name: "ops" })).status).toBe(200);
    directoryUp(true);
    const before = password("svc-1");
    expectDone(await door.call("mounts.delete", { path: "ldap" }));
    expect(password("svc-1")).not.toBe(before);
    expectRefused(await door.call("leases.lookup", { lease_id: lease }), 400, "invalid lease");
    expect(sim.clock.pending()).toEqual([]);
  });

  it("that are local keep their data in the local part", async () => {
    const sim = createSimulator();
    const door = open(sim);
    expectDone(await door.call("mounts.write", { path: "here", type: "kv", local: true }));
    const { replicated } = sim.state.secrets["main"] ?? expect.fail();
    expectDone(await door.call("kv.write", { path: "a", v: 1 }, { mount: "here" }));
    expect(sim.state.secrets["main"]?.replicated).toBe(replicated);
    expect(dataIn(await door.call("kv.read", { path: "a" }, { mount: "here" }))).toEqual({ v: 1 });
    expect(dataIn(await door.call("mounts.read", { path: "here" }))["local"]).toBe(true);
    expectDone(await door.call("mounts.tune", { path: "here", description: "near" }));
    expect(dataIn(await door.call("mounts.list"))["here/"]).toMatchObject({ description: "near", local: true });
    expectDone(await door.call("mounts.delete", { path: "here" }));
    expect(sim.state.secrets["main"]?.local.mounts.size).toBe(0);
  });

  it("limit new leases by what they are tuned to", async () => {
    const { sim, set } = libraryWorld();
    const door = open(sim);
    set("ops", ["svc-1"], { ttl: 7200 });
    expectDone(await door.call("mounts.tune", { path: "ldap", max_lease_ttl: "1h" }));
    expect((await door.call("library.checkOut", { set_name: "ops" })).body).toMatchObject({ lease_duration: 3600 });
  });
});

describe("paths of mounts over HTTP", () => {
  it.each<[method: string, path: string, status: number]>([
    ["LIST", "/v1/sys/mounts", 404],
    ["LIST", "/v1/sys/mounts/kv", 405],
    ["DELETE", "/v1/sys/mounts", 405],
    ["POST", "/v1/sys/mounts/-x", 404],
    ["POST", "/v1/sys/mounts/a//b", 404],
    ["GET", "/v1/sys/mounts/kv/", 200],
    ["GET", "/v1/sys/mounts/kv//", 404],
    ["GET", "/v1/sys/mounts/", 404],
    ["DELETE", "/v1/sys/mounts/kv/tune", 405],
  ])("%s %s is %i", async (method, path, status) => {
    const sim = createSimulator();
    expect((await send(sim, method, path, method === "POST" ? { body: '{"type": "kv"}' } : {})).status).toBe(status);
  });
});
