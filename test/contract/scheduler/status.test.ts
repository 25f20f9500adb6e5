import { describe, expect, it } from "vitest";
import { doors } from "./driver.ts";
import { regionsWorld } from "./regions-world.ts";

// src/services/scheduler/status/README.md.

describe.each(doors())("through %s", (_name, open) => {
  const world = (options = {}) => {
    const made = regionsWorld(options);
    return { ...made, door: open(made.sim, "eu") };
  };

  it.each([
    ["regions.list", ["eu", "us"]],
    ["status.leader", "scheduler-eu.test:4647"],
    ["status.peers", ["scheduler-eu.test:4647"]],
    ["agent.health", { server: { message: "ok", ok: true } }],
  ] as const)("%s is %j for everybody, a bogus token too", async (operation, body) => {
    const { door } = world();
    for (const token of [undefined, "bogus"]) {
      expect(await door.call(operation, token)).toMatchObject({ status: 200, body });
    }
  });

  it("another region tells its own leader, and no line is needed for the names of regions", async () => {
    const { door, sim, eu, us } = world();
    expect(await door.call("status.leader", undefined, { region: "us" })).toMatchObject({
      body: "scheduler-us.test:4647",
    });
    sim.network.cut(eu, us);
    expect(await door.call("regions.list", undefined)).toMatchObject({ body: ["eu", "us"] });
    expect(await door.call("status.peers", undefined, { region: "us" })).toMatchObject({ code: "no_path_to_region" });
  });

  it("a stale read without a leader finds none; regions and health need none", async () => {
    const { door, eu } = world();
    eu.setLeader(false);
    expect(await door.call("status.leader", undefined, {}, { stale: true })).toMatchObject({ status: 200, body: "" });
    expect(await door.call("regions.list", undefined)).toMatchObject({ status: 200 });
    expect(await door.call("agent.health", undefined)).toMatchObject({ status: 200 });
  });

  it("an agent tells of itself whoever may read agents", async () => {
    const { door, client, policy, root } = world();
    policy("agents", 'agent { policy = "read" }');
    const self = (token?: string) => door.call("agent.self", token);
    const body = { config: { Region: "eu", ACL: { Enabled: true } }, member: { Status: "alive" } };
    expect(await self(root)).toMatchObject({ status: 200, body });
    expect(await self(client(["agents"]).secret)).toMatchObject({ status: 200, body });
    expect(await self(client(["none"]).secret)).toMatchObject({ status: 403, code: "permission_denied" });
    expect(await self()).toMatchObject({ status: 403, code: "permission_denied" });
    expect(await self("bogus")).toMatchObject({ status: 403, code: "token_unknown" });
  });

  it("namespaces are seen by whoever may do anything on them", async () => {
    const { door, client, policy, root } = world();
    policy("one", 'namespace "default" { capabilities = ["list-jobs"] }');
    policy("any", 'namespace "*" { policy = "read" }');
    const names = async (token?: string, argument = {}) =>
      (await door.call("namespaces.list", token, argument)).body.map(({ Name }: { Name: string }) => Name);
    expect(await names(root)).toEqual(["default"]);
    expect(await names(root, { prefix: "de" })).toEqual(["default"]);
    expect(await names(root, { prefix: "x" })).toEqual([]);
    expect(await names(client(["one"]).secret)).toEqual(["default"]);
    expect(await names(client(["none"]).secret)).toEqual([]);
    expect(await names()).toEqual([]);
    const read = (namespace_name: string, token?: string) => door.call("namespaces.read", token, { namespace_name });
    expect(await read("default", root)).toMatchObject({ status: 200, body: { Name: "default", CreateIndex: 1 } });
    expect(await read("none", root)).toMatchObject({ status: 404, code: "namespace_not_found" });
    expect(await read("none", client(["any"]).secret)).toMatchObject({ status: 404 });
    expect(await read("none", client(["one"]).secret)).toMatchObject({ status: 403 });
    expect(await read("default")).toMatchObject({ status: 403 });
  });
});

describe("status over HTTP", () => {
  it.each(["/v1/regions", "/v1/status/leader", "/v1/status/peers", "/v1/agent/health", "/v1/agent/self"])(
    "%s tells no index",
    async (path) => {
      const { sim, root } = regionsWorld();
      const response = await sim.fetch(sim.scheduler.region("eu").url + path, {
        headers: { "X-Scheduler-Token": root },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get("X-Scheduler-Index")).toBeNull();
    },
  );

  it("namespaces have one, and a name", async () => {
    const { get, root } = regionsWorld();
    expect(await get("/v1/namespaces", root)).toMatchObject({ status: 200, index: 1 });
    expect(await get("/v1/namespace/none", root)).toMatchObject({ status: 404, index: 1, text: "Namespace not found" });
    expect(await get("/v1/namespace/", root)).toMatchObject({ status: 400, text: "Missing Namespace Name" });
  });

  it("all of them answer without the ACL system", async () => {
    const { createSimulator } = await import("../../../src/index.ts");
    const sim = createSimulator({ scheduler: { aclEnabled: false } });
    const { url } = sim.scheduler.region("global");
    for (const path of ["regions", "status/leader", "agent/self", "agent/health", "namespaces", "namespace/default"]) {
      expect((await sim.fetch(`${url}/v1/${path}`)).status).toBe(200);
    }
  });
});
