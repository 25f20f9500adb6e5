import { describe, expect, test } from "vitest";
import { type ClusterHandle, Rejection } from "../../../../src/index.ts";
import { byRule, doors } from "../../driver.ts";
import { join, joined, replicatedWorld, rootOf, statusOf } from "./replicated-world.ts";

// decisions-replication.md, 7.

async function world() {
  const made = replicatedWorld(["a", "b", "c"]);
  const [a, b, c] = [made.cluster("a"), made.cluster("b"), made.cluster("c")];
  for (const namespace of ["team", "team/dev", "other"]) a.createNamespace(namespace);
  a.mount("secret", { type: "kv" });
  for (const namespace of ["team", "team/dev", "other"]) a.mount("kv", { type: "kv", namespace });
  const root = a.as(a.rootToken);
  root.at("secret").kv.write({ path: "x", v: 1 });
  a.as(a.rootToken, { namespace: "team/dev" }).kv.write({ path: "x", v: 1 });
  await joined("performance", a, b);
  await join("performance", a, c, "c");
  return { ...made, a, b, c, filters: root.replication.performance };
}

const shares = (cluster: ClusterHandle, path: string, namespace?: string): number | string => {
  try {
    cluster
      .as(rootOf(cluster), namespace === undefined ? {} : { namespace })
      .at(path)
      .kv.list();
    return 200;
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return error.code === "not_found" ? 200 : error.code;
  }
};

describe.each(doors())("through %s,", (_, { open }) => {
  const P = "replication.performance" as const;

  test("a filter is written, read, replaced and deleted", async () => {
    const { sim } = await world();
    const door = open(sim, "a");
    const ask = (verb: "read" | "write" | "delete", fields = {}) =>
      door.call(`${P}.pathsFilter.${verb}`, { id: "b", ...fields });
    expect((await ask("read")).status).toBe(404);
    expect((await ask("write", { paths: ["/secret", "ldap/", "secret/"] })).status).toBe(204);
    const shown = { mode: "allow", paths: ["secret/", "ldap/"] };
    expect((await ask("read")).body).toMatchObject({ ...shown, data: shown });
    expect((await ask("write", { mode: "deny" })).status).toBe(204);
    expect((await ask("read")).body).toMatchObject({ mode: "deny", paths: [] });
    expect((await ask("delete")).status).toBe(204);
    expect((await ask("read")).status).toBe(404);
    expect((await ask("delete")).status).toBe(204);
  });

  test("both endpoints show one filter, each in its own words", async () => {
    const { sim } = await world();
    const door = open(sim, "a");
    await door.call(`${P}.mountFilter.write`, { id: "b", mode: "blacklist", paths: ["secret"] });
    expect((await door.call(`${P}.pathsFilter.read`, { id: "b" })).body).toMatchObject({
      mode: "deny",
      paths: ["secret/"],
    });
    await door.call(`${P}.pathsFilter.write`, { id: "b", mode: "allow" });
    expect((await door.call(`${P}.mountFilter.read`, { id: "b" })).body).toMatchObject({
      mode: "whitelist",
      paths: [],
    });
    await door.call(`${P}.mountFilter.delete`, { id: "b" });
    expect((await door.call(`${P}.pathsFilter.read`, { id: "b" })).status).toBe(404);
  });

  test.each(
    byRule([
      { rule: "an unknown mode", endpoint: "pathsFilter", fields: { mode: "some" } },
      { rule: "a mode of the other endpoint", endpoint: "pathsFilter", fields: { mode: "whitelist" } },
      { rule: "a mode of the other endpoint, there", endpoint: "mountFilter", fields: { mode: "allow" } },
      { rule: "sys/", endpoint: "pathsFilter", fields: { paths: ["sys/"] } },
      { rule: "identity/", endpoint: "pathsFilter", fields: { paths: ["identity"] } },
      { rule: "cubbyhole/ of a namespace", endpoint: "pathsFilter", fields: { paths: ["team/cubbyhole/"] } },
      { rule: "auth/token/", endpoint: "mountFilter", fields: { paths: ["auth/token"] } },
      { rule: "a local mount", endpoint: "pathsFilter", fields: { paths: ["secret", "own"] } },
      { rule: "nothing", endpoint: "pathsFilter", fields: { paths: ["/"] } },
    ] as const),
  )("%s is refused, and nothing changes", async (_rule, { endpoint, fields }) => {
    const { sim, a } = await world();
    a.mount("own", { type: "kv", local: true });
    const before = sim.stateHash();
    const answer = await open(sim, "a").call(`${P}.${endpoint}.write`, { id: "b", ...fields });
    expect(answer.status).toBe(400);
    expect(sim.stateHash()).toBe(before);
  });

  test("the dynamic filter lists what is excluded now, on both sides", async () => {
    const { sim, a, b } = await world();
    const own = { token: rootOf(b) };
    const there = () => open(sim, "a").call(`${P}.dynamicFilter`, { id: "b" });
    const here = (id = "b") => open(sim, "b").call(`${P}.secondaryDynamicFilter`, { id }, own);
    expect((await there()).status).toBe(404);
    expect((await here()).status).toBe(404);
    await open(sim, "a").call(`${P}.pathsFilter.write`, { id: "b", mode: "deny", paths: ["secret", "team"] });
    const lists = {
      dynamic_filtered_mounts: ["secret/", "team/dev/kv/", "team/kv/"],
      dynamic_filtered_namespaces: ["team/", "team/dev/"],
    };
    expect((await there()).body).toMatchObject({ ...lists, data: lists });
    expect((await here()).body).toMatchObject(lists);
    expect((await here("c")).status).toBe(404);
    a.mount("more", { type: "kv", namespace: "team" });
    expect((await there()).body).toMatchObject({
      dynamic_filtered_mounts: ["secret/", "team/dev/kv/", "team/kv/", "team/more/"],
    });
    sim.network.cut(a, b);
    a.mount("most", { type: "kv", namespace: "team" });
    expect((await here()).body).toMatchObject({
      dynamic_filtered_mounts: ["secret/", "team/dev/kv/", "team/kv/", "team/more/"],
    });
  });
});

const EVERYTHING = ["secret", "kv", "team:kv", "team/dev:kv", "other:kv"];

const shared = (cluster: ClusterHandle): string[] =>
  EVERYTHING.filter((name) => {
    const [namespace, mount] = name.includes(":") ? name.split(":") : [undefined, name];
    return shares(cluster, mount ?? "", namespace) === 200;
  });

describe("what a filter ships", () => {
  test.each(
    byRule([
      { rule: "no filter: all", filter: undefined, left: EVERYTHING },
      { rule: "deny nothing: all", filter: { mode: "deny", paths: [] }, left: EVERYTHING },
      { rule: "allow nothing: none", filter: { mode: "allow", paths: [] }, left: [] },
      { rule: "allow a mount", filter: { mode: "allow", paths: ["secret"] }, left: ["secret"] },
      { rule: "deny a mount", filter: { mode: "deny", paths: ["secret"] }, left: EVERYTHING.slice(1) },
      {
        rule: "a namespace covers what is below",
        filter: { mode: "deny", paths: ["team"] },
        left: ["secret", "kv", "other:kv"],
      },
      { rule: "allow a namespace", filter: { mode: "allow", paths: ["team"] }, left: ["team:kv", "team/dev:kv"] },
      { rule: "allow a mount of a child", filter: { mode: "allow", paths: ["team/dev/kv"] }, left: ["team/dev:kv"] },
      { rule: "a path that is not there", filter: { mode: "deny", paths: ["nothing"] }, left: EVERYTHING },
    ]),
  )("%s", async (_, { filter, left }) => {
    const { b, c, filters } = await world();
    if (filter !== undefined) filters.pathsFilter.write({ id: "b", ...filter });
    expect(shared(b)).toEqual(left);
    expect(shared(c), "nobody else").toEqual(EVERYTHING);
  });

  test("what is excluded is gone at once, with its data; what is included again comes back", async () => {
    const { b, filters } = await world();
    const token = rootOf(b);
    filters.pathsFilter.write({ id: "b", mode: "deny", paths: ["secret", "team"] });
    expect(shares(b, "secret")).toBe("no_handler_for_route");
    expect(shares(b, "kv", "team")).toBe("namespace_not_found");
    filters.pathsFilter.delete({ id: "b" });
    expect(b.as(token).at("secret").kv.read({ path: "x" }).data).toEqual({ v: 1 });
    expect(b.as(token, { namespace: "team/dev" }).kv.read({ path: "x" }).data).toEqual({ v: 1 });
  });

  test("an id that is filtered before its token exists never gets it", async () => {
    const { sim, cluster } = replicatedWorld(["a", "b"]);
    const [a, b] = [cluster("a"), cluster("b")];
    a.mount("secret", { type: "kv" });
    a.as(a.rootToken).replication.performance.primaryEnable();
    a.as(a.rootToken).replication.performance.pathsFilter.write({ id: "b", mode: "deny", paths: ["secret"] });
    await join("performance", a, b);
    for (let position = 0; position <= sim.position; position++) {
      const mounts = sim.at(position).state.secrets["b"]?.replicated.mounts;
      expect(mounts?.has("secret/")).toBe(false);
    }
  });

  test("writes go on to what is shipped, and are skipped and counted where nothing is", async () => {
    const { sim, a, b, filters } = await world();
    filters.pathsFilter.write({ id: "b", mode: "deny", paths: ["secret", "team"] });
    const root = a.as(a.rootToken);
    const index = (): number => sim.state.secrets["b"]?.ignored.walIndex ?? -1;
    const before = index();
    const replicated = sim.state.secrets["b"]?.replicated;
    root.at("secret").kv.write({ path: "x", v: 2 });
    a.as(a.rootToken, { namespace: "team/dev" }).kv.write({ path: "x", v: 2 });
    expect(sim.state.secrets["b"]?.replicated).toBe(replicated);
    expect(index()).toBe(before);
    root.kv.write({ path: "x", v: 2 });
    a.as(a.rootToken, { namespace: "other" }).kv.write({ path: "x", v: 2 });
    expect(index()).toBe(before + 2);
    expect(b.as(rootOf(b)).kv.read({ path: "x" }).data).toEqual({ v: 2 });
    expect(b.as(rootOf(b), { namespace: "other" }).kv.read({ path: "x" }).data).toEqual({ v: 2 });
    expect(statusOf(b, "performance")["last_remote_wal"]).toBe(statusOf(a, "performance")["last_wal"]);
    expect(statusOf(b, "performance")["merkle_root"]).not.toBe(statusOf(a, "performance")["merkle_root"]);
  });

  test("a filter arrives as an entry does: with the lag", async () => {
    const { sim, a, b, filters } = await world();
    sim.network.setLag(a, b, "5s");
    filters.pathsFilter.write({ id: "b", mode: "allow" });
    expect(shared(b)).toEqual(EVERYTHING);
    sim.settle();
    expect(shared(b)).toEqual([]);
  });

  test("tokens and local mounts of a namespace that is excluded end there", async () => {
    const { sim, b, filters } = await world();
    const { token } = b.createToken({ policies: ["default"], namespace: "team" });
    b.mount("own", { type: "kv", local: true, namespace: "team" });
    filters.pathsFilter.write({ id: "b", mode: "deny", paths: ["team"] });
    const local = sim.state.secrets["b"]?.local;
    expect(local?.tokens.has(token)).toBe(false);
    expect(local?.mounts.size).toBe(0);
  });

  test("disaster-recovery secondaries get everything", async () => {
    const { sim, a, c, filters, operationToken } = await world();
    c.as(rootOf(c)).replication.performance.secondaryDisable();
    await joined("dr", a, c, "d");
    filters.pathsFilter.write({ id: "b", mode: "allow" });
    expect(sim.state.secrets["c"]?.replicated).toBe(sim.state.secrets["a"]?.replicated);
    expect(operationToken(c)).toBeDefined();
  });

  test("revoking keeps the filter; disabling and demoting delete all", async () => {
    const { a, filters } = await world();
    filters.pathsFilter.write({ id: "b", mode: "allow" });
    filters.revokeSecondary({ id: "b" });
    expect(filters.pathsFilter.read({ id: "b" }).data.mode).toBe("allow");
    filters.primaryDisable();
    filters.primaryEnable();
    expect(() => filters.pathsFilter.read({ id: "b" })).toThrow(/not_found/);
    filters.pathsFilter.write({ id: "b", mode: "allow" });
    filters.primaryDemote();
    a.as(a.rootToken).replication.performance.promote({});
    expect(() => filters.pathsFilter.read({ id: "b" })).toThrow(/not_found/);
  });
});
