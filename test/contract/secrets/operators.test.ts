import { describe, expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { doors, send } from "../driver.ts";
import { expectData, expectDone, expectNotFound, expectRefused } from "../expectations.ts";

// src/services/secrets/cluster/README.md.

describe.each(doors())("through %s,", (_, { open }) => {
  it("ha-status tells of every node", async () => {
    const sim = createSimulator({ secrets: { nodes: 2 } });
    const door = open(sim);
    sim.clock.advance("12s");
    const answer = await door.call("nodes.haStatus");
    const { nodes, data } = answer.body as { readonly nodes: unknown; readonly data: unknown };
    expect(data).toEqual({ nodes });
    const node = { version: "1.15.0", upgrade_version: "1.15.0", redundancy_zone: "" };
    expect(nodes).toEqual([
      {
        ...node,
        hostname: "secrets-main-0",
        api_address: "https://secrets-main-0.test",
        cluster_address: "https://secrets-main-0.test:8201",
        active_node: true,
        last_echo: null,
      },
      {
        ...node,
        hostname: "secrets-main-1",
        api_address: "https://secrets-main-1.test",
        cluster_address: "https://secrets-main-1.test:8201",
        active_node: false,
        last_echo: "2026-01-01T00:00:10Z",
      },
    ]);
    expect(expectData(await door.call("nodes.peers"))["config"]).toMatchObject({
      servers: [
        { node_id: "secrets-main-0", address: "secrets-main-0.test:8201", leader: true, voter: true },
        { node_id: "secrets-main-1", address: "secrets-main-1.test:8201", leader: false, voter: true },
      ],
    });
  });

  it.each([
    [1, 0],
    [2, 1],
  ])("of %i nodes number %i is active after the first stepped down", async (nodes, active) => {
    const sim = createSimulator({ secrets: { nodes } });
    const door = open(sim);
    sim.clock.advance("1m");
    expectDone(await door.call("nodes.stepDown"));
    const leader = (await door.call("seal.leader")).body;
    const leader_address = nodes === 1 ? sim.secrets.cluster("main").url : sim.secrets.cluster("main").nodeUrl(active);
    expect(leader).toMatchObject({ leader_address, active_time: "2026-01-01T00:01:00Z" });
  });

  it("a key is rotated, and counts what is written under it", async () => {
    const sim = createSimulator();
    const door = open(sim);
    const first = { term: 1, install_time: "2026-01-01T00:00:00Z" };
    const shown = async () => (await door.call("barrierKey.status")).body;
    expect(await shown()).toMatchObject({ ...first, encryptions: 0, data: { ...first, encryptions: 0 } });
    await door.call("kv.write", { path: "a", v: 1 });
    expect(await shown()).toMatchObject({ data: { ...first, encryptions: 1 } });
    sim.clock.advance("1m");
    expectDone(await door.call("barrierKey.rotate"));
    const second = { term: 2, install_time: "2026-01-01T00:01:00Z" };
    expect(await shown()).toMatchObject({ data: { ...second, encryptions: 0 } });
    await door.call("kv.write", { path: "a", v: 2 });
    expect(await shown()).toMatchObject({ data: { ...second, encryptions: 1 } });
  });

  it("versions and the host are told", async () => {
    const sim = createSimulator();
    const door = open(sim);
    sim.clock.advance("1m");
    expect(expectData(await door.call("nodes.versions"))).toEqual({
      keys: ["1.15.0"],
      key_info: {
        "1.15.0": {
          build_date: expect.any(String),
          previous_version: null,
          timestamp_installed: "2026-01-01T00:00:00Z",
        },
      },
    });
    expect(expectData(await door.call("nodes.hostInfo"))).toMatchObject({
      host: { hostname: "secrets-main", uptime: 60 },
      timestamp: "2026-01-01T00:01:00Z",
    });
  });

  it("leases that nothing revokes any more are counted and listed, and no others", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    main.createNamespace("team");
    const door = open(sim);
    for (const namespace of [undefined, "team"]) {
      const admin = main.as(main.rootToken, namespace === undefined ? {} : { namespace });
      if (namespace !== undefined) main.mount("ldap", { type: "ldap", namespace });
      admin.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
      const creation_ldif = btoa("dn: cn={{.Username}},dc=example,dc=com\nobjectClass: person\ncn: {{.Username}}\n");
      const deletion_ldif = btoa("dn: cn={{.Username}},dc=example,dc=com\nchangetype: delete\n");
      admin.dynamicRoles.write({ role_name: "x", creation_ldif, deletion_ldif, default_ttl: 60 });
    }
    const root = main.as(main.rootToken).dynamicRoles.credentials({ role_name: "x" }).lease_id;
    sim.clock.advance("1s");
    const below = main.as(main.rootToken, { namespace: "team" }).dynamicRoles.credentials({ role_name: "x" }).lease_id;
    const asked = { type: "irrevocable" };
    expect(expectData(await door.call("leases.count", asked))).toEqual({ lease_count: 0, counts: {} });
    sim.directory.setAvailable(false);
    sim.clock.advance("1h");
    const all = { ...asked, include_child_namespaces: true };
    const own = expectData(await door.call("leases.count", asked));
    const accessor = main.as(main.rootToken).mounts.read({ path: "ldap" }).data.accessor;
    expect(own).toEqual({ lease_count: 1, counts: { [accessor]: 1 } });
    expect(expectData(await door.call("leases.count", all))["lease_count"]).toBe(2);
    expect(expectData(await door.call("leases.irrevocable", all))).toEqual({
      lease_count: 2,
      leases: [root, below].map((lease_id) => ({
        lease_id,
        mount_id: expect.stringMatching(/^ldap_/),
        error: expect.any(String),
      })),
    });
    const cut = (await door.call("leases.irrevocable", { ...all, limit: "1" })).body;
    expect(cut).toMatchObject({ data: { lease_count: 1 }, warnings: [expect.any(String)] });
    expect((await door.call("leases.irrevocable", { ...all, limit: "none" })).body).toMatchObject({ warnings: null });
    for (const limit of ["0", "-1", "x"]) {
      expectRefused(await door.call("leases.irrevocable", { ...asked, limit }), 400, "limit");
    }
    for (const call of ["leases.count", "leases.irrevocable"] as const) {
      expectNotFound(await door.call(call));
      expectNotFound(await door.call(call, { type: "live" }));
    }
  });

  it("leases are tidied, which changes nothing", async () => {
    const sim = createSimulator();
    const answer = await open(sim).call("leases.tidy");
    expect(answer).toMatchObject({ status: 202, body: { data: null, warnings: [expect.any(String)] } });
    expect(sim.position).toBe(0);
  });
});

it("each node tells of its own host", async () => {
  const sim = createSimulator({ secrets: { nodes: 2 } });
  const main = sim.secrets.cluster("main");
  const headers = { "X-Secrets-Token": main.rootToken };
  const answer = await sim.fetch(`${main.nodeUrl(1)}/v1/sys/host-info`, { headers });
  expect(await answer.json()).toMatchObject({ data: { host: { hostname: "secrets-main-1" } } });
});

it.each(["sys/step-down", "sys/rotate"])("PUT %s is done, too", async (path) => {
  const sim = createSimulator();
  expectDone(await send(sim, "PUT", `/v1/${path}`));
  expect(sim.position).toBe(1);
});
