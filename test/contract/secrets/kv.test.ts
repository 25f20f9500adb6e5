import { describe, expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { doors, type Fields, send } from "../driver.ts";
import {
  expectData,
  expectDone,
  expectEnvelope,
  expectNotFound,
  expectNothingChanged,
  expectRefused,
} from "../expectations.ts";
import { reach } from "../transports.ts";

// decisions-secrets-core.md, D.5.

const world = () => createSimulator({ seed: 11 });

describe.each(doors())("values through %s", (_, { open }) => {
  it("are stored whole, and replaced whole", async () => {
    const door = open(world());
    expectDone(await door.call("kv.write", { path: "app/db", user: "a", n: 1, list: [1, { b: null }], none: null }));
    expect(expectData(await door.call("kv.read", { path: "app/db" }))).toEqual({
      user: "a",
      n: 1,
      list: [1, { b: null }],
      none: null,
    });
    expectDone(await door.call("kv.write", { path: "app/db", other: true }));
    expect(expectData(await door.call("kv.read", { path: "app/db" }))).toEqual({ other: true });
  });

  it("keep fields that other operations would not know, without a warning", async () => {
    const door = open(world());
    expectDone(await door.call("kv.write", { path: "a", token: "x", lease_id: "y", constructor: 1 }));
    const { data, warnings } = expectEnvelope(await door.call("kv.read", { path: "a" }));
    expect(data).toEqual({ token: "x", lease_id: "y", constructor: 1 });
    expect(warnings).toBeNull();
  });

  it("of nothing are refused", async () => {
    const sim = world();
    await expectNothingChanged(sim, async () => {
      expectRefused(await open(sim).call("kv.write", { path: "a" }), 400, "missing data fields");
      expectRefused(await open(sim).call("cubbyhole.write", { path: "a" }), 500, "missing data fields");
    });
  });

  it.each<[ttl: unknown, seconds: number]>([
    ["1h", 3600],
    [90, 90],
    ["90", 90],
    ["30d", 2_592_000],
    [0, 0],
    ["1w", 2_764_800],
    [1.5, 2_764_800],
    [-1, 2_764_800],
    [["1h"], 2_764_800],
    [undefined, 2_764_800],
  ])("with ttl %j say that they live for %i seconds, and have no lease", async (ttl, seconds) => {
    const sim = world();
    const door = open(sim);
    await door.call("kv.write", { path: "a", value: 1, ...(ttl === undefined ? {} : { ttl }) });
    const { lease_id, lease_duration, renewable } = expectEnvelope(await door.call("kv.read", { path: "a" }));
    expect({ lease_id, lease_duration, renewable }).toEqual({
      lease_id: "",
      lease_duration: seconds,
      renewable: false,
    });
    expect(sim.clock.pending()).toEqual([]);
  });

  it("are listed one level at a time: a and a/ may both be there", async () => {
    const door = open(world());
    for (const path of ["a", "a/b", "a/c/d", "B", "z/y/x"]) await door.call("kv.write", { path, v: 1 });
    expect(expectData(await door.call("kv.list"))).toEqual({ keys: ["B", "a", "a/", "z/"] });
    expect(expectData(await door.call("kv.list", { prefix: "" }))).toEqual({ keys: ["B", "a", "a/", "z/"] });
    expect(expectData(await door.call("kv.list", { prefix: "a" }))).toEqual({ keys: ["b", "c/"] });
    expect(expectData(await door.call("kv.list", { prefix: "a/" }))).toEqual({ keys: ["b", "c/"] });
    expectNotFound(await door.call("kv.list", { prefix: "B" }));
    expectNotFound(await door.call("kv.list", { prefix: "nowhere" }));
  });

  it("are deleted, also when they are not there; an empty listing is 404", async () => {
    const sim = world();
    const door = open(sim);
    await door.call("kv.write", { path: "a/b", v: 1 });
    expectDone(await door.call("kv.delete", { path: "a/b" }));
    expectNotFound(await door.call("kv.read", { path: "a/b" }));
    expectNotFound(await door.call("kv.list"));
    await expectNothingChanged(sim, async () => expectDone(await door.call("kv.delete", { path: "a/b" })));
  });

  it.each(["a/../b", "..", ".", "a/.", "./a"])("at %s are refused", async (path) => {
    const sim = world();
    await expectNothingChanged(sim, async () => {
      // A URL climbs by itself, so only encoded slashes bring such a path to the service.
      const encoded = `/v1/kv/${path.replaceAll("/", "%2F").replaceAll(".", "%2E")}`;
      if (path.includes("/")) expectRefused(await send(sim, "POST", encoded, { body: '{"v": 1}' }), 400, "path");
      const client = sim.secrets.cluster("main").as(sim.secrets.cluster("main").rootToken);
      expect(() => client.kv.write({ path, v: 1 })).toThrow(
        expect.objectContaining({ status: 400, code: "path_relative" }),
      );
      expect(() => client.kv.read({ path })).toThrow(expect.objectContaining({ code: "path_relative" }));
    });
  });

  it.each(["a//b", "/a", "a/", "a\0b", "\ud800"])("at %j have no path", async (path) => {
    const sim = world();
    const client = sim.secrets.cluster("main").as(sim.secrets.cluster("main").rootToken);
    await expectNothingChanged(sim, () => {
      expect(() => client.kv.write({ path, v: 1 })).toThrow(/unsupported_path|trailing_slash/);
    });
  });

  it("are below their store, which is no value itself", async () => {
    const sim = world();
    await expectNothingChanged(sim, async () => {
      expectRefused(await send(sim, "POST", "/v1/kv", { body: '{"v":1}' }), 400, "missing path");
      expectRefused(await send(sim, "POST", "/v1/cubbyhole", { body: '{"v":1}' }), 500, "missing path");
      expectNotFound(await send(sim, "GET", "/v1/kv"));
      expectNotFound(await send(sim, "GET", "/v1/cubbyhole"));
      expectDone(await send(sim, "DELETE", "/v1/kv"));
    });
  });

  it("need create where nothing is stored, else update", async () => {
    const sim = world();
    const main = sim.secrets.cluster("main");
    main.writePolicy("creates", 'path "kv/*" { capabilities = ["create"] }');
    main.writePolicy("updates", 'path "kv/*" { capabilities = ["update"] }');
    const creates = { token: main.createToken({ policies: ["creates"] }).token };
    const updates = { token: main.createToken({ policies: ["updates"] }).token };
    const door = open(sim);
    expectRefused(await door.call("kv.write", { path: "a", v: 1 }, updates), 403, "permission denied");
    expectDone(await door.call("kv.write", { path: "a", v: 1 }, creates));
    expectRefused(await door.call("kv.write", { path: "a", v: 2 }, creates), 403, "permission denied");
    expectDone(await door.call("kv.write", { path: "a", v: 2 }, updates));
    expectRefused(await door.call("kv.read", { path: "a" }, updates), 403, "permission denied");
  });

  it("are those of their mount", async () => {
    const sim = world();
    const door = open(sim);
    expectDone(await door.call("mounts.write", { path: "teams/a", type: "kv-v1" }));
    expectDone(await door.call("kv.write", { path: "x", v: 1 }, { mount: "teams/a" }));
    expectNotFound(await door.call("kv.read", { path: "x" }));
    expect(expectData(await door.call("kv.list", {}, { mount: "teams/a" }))).toEqual({ keys: ["x"] });
    expectRefused(await door.call("kv.read", { path: "x" }, { mount: "teams/b" }), 404, "no handler for route");
    expect(sim.position).toBe(2);
  });
});

// Over HTTP only: a typed call has the path and the fields in one object.
describe("values over HTTP", () => {
  it("may have a field of the path's name", async () => {
    const sim = world();
    expectDone(await send(sim, "POST", "/v1/kv/a", { body: '{"path": "b", "data": 1}' }));
    expect(expectData(await send(sim, "GET", "/v1/kv/a"))).toEqual({ path: "b", data: 1 });
  });

  it("keep __proto__ as a field like any other", async () => {
    const sim = world();
    expectDone(await send(sim, "POST", "/v1/kv/a", { body: '{"__proto__": {"x": 1}, "b": 1}' }));
    const response = await reach(sim)(`${sim.secrets.cluster("main").url}/v1/kv/a`, {
      headers: { "X-Secrets-Token": sim.secrets.cluster("main").rootToken },
    });
    expect(await response.text()).toContain('"data":{"__proto__":{"x":1},"b":1}');
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it("leave the same log as typed calls", async () => {
    const [one, other] = [world(), world()];
    await send(one, "POST", "/v1/kv/a/b", { body: '{"v": 1}' });
    const main = other.secrets.cluster("main");
    main.as(main.rootToken).kv.write({ path: "a/b", v: 1 });
    const commits = (sim: typeof one) =>
      sim.log.commits().map(({ command: { via: _, ...command }, events }) => ({ command, events }));
    expect(commits(one)).toEqual(commits(other));
    expect(one.stateHash()).toBe(other.stateHash());
  });

  it.each(["/v1/kv", "/v1/kv/"])("LIST %s lists from the top", async (path) => {
    const sim = world();
    await send(sim, "POST", "/v1/kv/a", { body: '{"v": 1}' });
    expect(expectData(await send(sim, "LIST", path))).toEqual({ keys: ["a"] });
  });

  it("take encoded slashes as slashes, and letters of any script", async () => {
    const sim = world();
    expectDone(await send(sim, "PUT", "/v1/kv/a%2Fb/%C3%BC%20%F0%9F%94%91", { body: '{"v": 1}' }));
    expect(expectData(await send(sim, "LIST", "/v1/kv/a/b"))).toEqual({ keys: ["ü 🔑"] });
  });
});

describe.each(doors())("cubbyholes through %s", (_, { open }) => {
  const fields: Fields = { path: "mine/a", v: 1 };

  it("are each token's own, whatever the namespace", async () => {
    const sim = world();
    const main = sim.secrets.cluster("main");
    main.createNamespace("team");
    const asking = { token: main.createToken({ policies: [] }).token };
    const door = open(sim);
    expectDone(await door.call("cubbyhole.write", fields, asking));
    expect(expectData(await door.call("cubbyhole.read", { path: "mine/a" }, asking))).toEqual({ v: 1 });
    expect(expectData(await door.call("cubbyhole.list", {}, asking))).toEqual({ keys: ["mine/"] });
    expectNotFound(await door.call("cubbyhole.read", { path: "mine/a" }));
    expectDone(await door.call("cubbyhole.write", { path: "b", v: 2 }, { namespace: "team" }));
    expect(expectData(await door.call("cubbyhole.list"))).toEqual({ keys: ["b"] });
  });

  it("are emptied when their token ends", async () => {
    const sim = world();
    const main = sim.secrets.cluster("main");
    const { token } = main.createToken({ policies: [], ttl: "1m", id: "own" });
    main.createToken({ policies: [], id: "own/2" });
    const door = open(sim);
    expectDone(await door.call("cubbyhole.write", fields, { token }));
    expectDone(await door.call("cubbyhole.write", fields, { token: "own/2" }));
    sim.clock.advance("1m");
    main.createToken({ policies: [], id: "own" });
    expectNotFound(await door.call("cubbyhole.list", {}, { token: "own" }));
    expect(expectData(await door.call("cubbyhole.list", {}, { token: "own/2" }))).toEqual({ keys: ["mine/"] });
  });

  it("are refused to batch tokens", async () => {
    const sim = world();
    const { token } = sim.secrets.cluster("main").createToken({ policies: [], type: "batch" });
    expectRefused(await open(sim).call("cubbyhole.write", fields, { token }), 400, "cubbyhole");
    expectRefused(await open(sim).call("cubbyhole.read", { path: "a" }, { token }), 400, "cubbyhole");
  });
});
