import { describe, expect, test } from "vitest";
import type { ClusterHandle } from "../../../../src/index.ts";
import { doors, send } from "../../driver.ts";
import { reach } from "../../transports.ts";
import { activationToken, join, joined, replicatedWorld, rootOf, statusOf } from "./replicated-world.ts";

// decisions-replication.md, "Easily missed": each row is a test under its number. Rows 19 to 24 and 28 are about operation tokens and
// merkle checks, and stand with them.

async function pair(kind: "dr" | "performance" = "dr", names: readonly string[] = ["a", "b"]) {
  const made = replicatedWorld(names);
  const [a, b] = [made.cluster("a"), made.cluster("b")];
  await joined(kind, a, b);
  return { ...made, a, b };
}

const write = (cluster: ClusterHandle, v: number, token = cluster.rootToken): void => {
  cluster.as(token).kv.write({ path: "x", v });
};

test("1. a disabled kind's status has only mode", () => {
  const a = replicatedWorld(["a"]).cluster("a");
  for (const kind of ["dr", "performance"] as const) expect(statusOf(a, kind)).toEqual({ mode: "disabled" });
});

test("2. known_secondaries lists an id as soon as its token is made, secondaries only after it connected", async () => {
  const { cluster } = replicatedWorld(["a", "b"]);
  const [a, b] = [cluster("a"), cluster("b")];
  a.as(a.rootToken).replication.dr.primaryEnable();
  const token = await activationToken("dr", a, "b");
  expect(statusOf(a, "dr")).toMatchObject({ known_secondaries: ["b"], secondaries: [] });
  await b.as(b.rootToken).replication.dr.secondaryEnable({ token });
  expect(statusOf(a, "dr")).toMatchObject({ known_secondaries: ["b"], secondaries: [{ node_id: "b" }] });
});

test("3. an id with an expired, unused token is still listed, but free for a new token", async () => {
  const { sim, cluster } = replicatedWorld(["a"]);
  const a = cluster("a");
  a.as(a.rootToken).replication.dr.primaryEnable();
  await activationToken("dr", a, "b");
  sim.clock.advance("30m");
  expect(statusOf(a, "dr")["known_secondaries"]).toEqual(["b"]);
  expect(await activationToken("dr", a, "b")).not.toBe("");
});

test("4. the second use of an activation token is 400 and wipes nothing", async () => {
  const { cluster, sim, a } = await pair();
  const c = sim.secrets.addCluster("c");
  const token = await activationToken("dr", a, "c");
  const d = sim.secrets.addCluster("d");
  await c.as(c.rootToken).replication.dr.secondaryEnable({ token });
  const again = d.as(d.rootToken).replication.dr.secondaryEnable({ token });
  await expect(again).rejects.toMatchObject({ status: 400 });
  expect(cluster("d").as(d.rootToken).tokens.lookupSelf().data.policies).toEqual(["root"]);
});

test("5. update-primary with a blank token is 200 and detaches; without token and addresses it is 400", async () => {
  const { b } = await pair("performance");
  const door = b.as(rootOf(b)).replication.performance;
  await expect(door.updatePrimary({})).rejects.toMatchObject({ status: 400 });
  expect((await door.updatePrimary({ token: "" })).warnings).toEqual([expect.stringContaining("updated")]);
  expect(statusOf(b, "performance")["state"]).toBe("idle");
});

test("6. token plus update_primary_addrs is 400 and does not use up the token", async () => {
  const { a, b } = await pair("performance");
  const door = b.as(rootOf(b)).replication.performance;
  const token = await activationToken("performance", a, "b2");
  const both = door.updatePrimary({ token, update_primary_addrs: [a.clusterAddress] });
  await expect(both).rejects.toMatchObject({ status: 400, message: expect.stringContaining("mutually exclusive") });
  await door.updatePrimary({ token });
  expect(statusOf(b, "performance")["secondary_id"]).toBe("b2");
});

test("7. update-primary never wipes; enable always does", async () => {
  const { sim, a, b } = await pair("performance");
  const root = rootOf(b);
  const held = sim.state.secrets["b"]?.local.tokens;
  const token = await activationToken("performance", a, "b2");
  await b.as(root).replication.performance.updatePrimary({ token });
  expect(sim.state.secrets["b"]?.local.tokens).toBe(held);
  b.as(root).replication.performance.secondaryDisable();
  const again = await activationToken("performance", a, "b3");
  await b.as(root).replication.performance.secondaryEnable({ token: again });
  expect(sim.state.secrets["b"]?.local.tokens.size).toBe(0);
});

test("8. after disable and enable the cluster_id is new, and update-primary with a valid token is 400", async () => {
  const { a, b, operationToken } = await pair();
  const before = statusOf(a, "dr")["cluster_id"];
  a.as(a.rootToken).replication.dr.primaryDisable();
  a.as(a.rootToken).replication.dr.primaryEnable();
  expect(statusOf(a, "dr")["cluster_id"]).not.toBe(before);
  const update = { dr_operation_token: operationToken(b), token: await activationToken("dr", a, "b") };
  const updated = b.as().replication.dr.updatePrimary(update);
  await expect(updated).rejects.toMatchObject({ status: 400, message: expect.stringContaining("cluster id") });
});

test("9. demote and promote keep cluster_id", async () => {
  const { a, b, operationToken } = await pair();
  const { cluster_id } = statusOf(a, "dr");
  a.as(a.rootToken).replication.dr.primaryDemote();
  b.as().replication.dr.promote({ dr_operation_token: operationToken(b) });
  expect([statusOf(a, "dr")["cluster_id"], statusOf(b, "dr")["cluster_id"]]).toEqual([cluster_id, cluster_id]);
});

describe.each(doors())("through %s,", (_, { open }) => {
  test("10. a DR secondary answers 400 to a root token, a bad token and no token alike; status and health answer", async () => {
    const { sim, a } = await pair();
    const door = open(sim, "b");
    for (const token of [a.rootToken, "scs.nobody", null]) {
      for (const [operation, fields] of [
        ["kv.read", { path: "x" }],
        ["kv.write", { path: "x", v: 1 }],
        ["tokens.lookupSelf", {}],
        ["policies.list", {}],
        ["seal.seal", {}],
        ["mounts.list", {}],
        ["leases.lookup", { lease_id: "x" }],
        ["wrapping.lookup", { token: "x" }],
        ["replication.performance.primaryEnable", {}],
      ] as const) {
        const answer = await door.call(operation, fields, { token });
        expect(answer).toMatchObject({ status: 400 });
        expect(answer.errors).toContain("path disabled in replication DR secondary mode");
      }
      for (const operation of [
        "replication.status",
        "replication.dr.status",
        "replication.performance.status",
        "seal.status",
        "seal.leader",
      ] as const) {
        expect((await door.call(operation, {}, { token })).status).toBe(200);
      }
      expect((await door.call("health.read", {}, { token })).status).toBe(472);
    }
  });

  test("10. what no path leads to is behind the gate, too, but not what comes before it", async () => {
    const { sim } = await pair();
    const ask = (method: string, path: string, more = {}) => send(sim, method, path, { cluster: "b", ...more });
    expect((await ask("GET", "/v1/nowhere/at/all")).status).toBe(400);
    expect((await ask("POST", "/v1/kv/x/")).errors).toContain("path disabled");
    // One that the service does not know.
    expect((await ask("PURGE", "/v1/kv/x")).status).toBe(405);
    expect((await ask("GET", "/v1/kv/x", { asking: { namespace: "none" } })).status).toBe(404);
    expect((await ask("POST", "/v1/kv/x", { body: "{" })).errors).toContain("parse");
  });
});

test("11. health of a DR secondary is 472, and its performance mode reads disabled", async () => {
  const { sim, a, b } = await pair();
  a.as(a.rootToken).replication.performance.primaryEnable();
  const health = await reach(sim)(`${b.url}/v1/sys/health`);
  expect([health.status, await health.json()]).toEqual([
    472,
    expect.objectContaining({ replication_performance_mode: "disabled", replication_dr_mode: "secondary" }),
  ]);
  expect((await reach(sim)(`${b.url}/v1/sys/health?drsecondarycode=299`)).status).toBe(299);
  const primary = await (await reach(sim)(`${a.url}/v1/sys/health`)).json();
  expect(primary).toMatchObject({ replication_performance_mode: "primary", replication_dr_mode: "primary" });
});

test("12. tokens and leases survive a DR promotion, not a performance promotion", async () => {
  const { a, b, operationToken } = await pair();
  const { token } = a.createToken({ policies: ["root"], ttl: "1h" });
  b.as().replication.dr.promote({ dr_operation_token: operationToken(b) });
  expect(b.as(token).tokens.lookupSelf().data.id).toBe(token);
  const other = await pair("performance");
  const own = other.a.createToken({ policies: ["root"] }).token;
  other.b.as(rootOf(other.b)).replication.performance.promote();
  expect(() => other.b.as(own).tokens.lookupSelf()).toThrow(/permission_denied/);
});

test("13. what is overdue at a DR promotion is revoked at that instant, not before", async () => {
  const { sim, a, b, operationToken } = await pair();
  const { token } = a.createToken({ policies: ["default"], ttl: "1h" });
  sim.network.stop(a);
  sim.clock.advance("2h");
  expect(sim.state.secrets["b"]?.local.tokens.has(token)).toBe(true);
  const promotedAt = sim.clock.now();
  b.as().replication.dr.promote({ dr_operation_token: operationToken(b) });
  expect(sim.log.commits().at(-1)).toMatchObject({ atMs: promotedAt, events: [{ type: "TokenRevoked" }] });
});

test("14. entries that were not shipped are gone on the promoted cluster, and later removed from the old primary", async () => {
  const { sim, a, b, operationToken } = await pair();
  const root = rootOf(a);
  sim.network.cut(a, b);
  write(a, 1, root);
  sim.network.stop(a);
  b.as().replication.dr.promote({ dr_operation_token: operationToken(b) });
  expect(() => b.as(root).kv.read({ path: "x" })).toThrow(/not_found/);
  sim.network.heal();
  sim.network.start(a);
  expect(a.as(root).kv.read({ path: "x" }).data).toEqual({ v: 1 });
  a.as(root).replication.dr.primaryDemote();
  const token = await activationToken("dr", b, "a");
  await a.as().replication.dr.updatePrimary({ dr_operation_token: operationToken(a), token });
  expect(sim.state.secrets["a"]?.replicated.mounts.get("kv/")).toBe(
    sim.state.secrets["b"]?.replicated.mounts.get("kv/"),
  );
});

test("15. promoting while the old primary is up succeeds; both then accept writes", async () => {
  const { a, b, operationToken } = await pair();
  const root = rootOf(a);
  b.as().replication.dr.promote({ dr_operation_token: operationToken(b) });
  write(a, 1, root);
  write(b, 2, root);
  expect([a, b].map((cluster) => cluster.as(root).kv.read({ path: "x" }).data["v"])).toEqual([1, 2]);
});

test("16. promote answers complete false although it succeeded", async () => {
  const { b, operationToken } = await pair();
  const answer = b.as().replication.dr.promote({ dr_operation_token: operationToken(b) });
  expect(answer).toMatchObject({ complete: false, progress: 0, required: 1, data: { complete: false } });
  expect(statusOf(b, "dr")["mode"]).toBe("primary");
});

test("17. enable, demote and promote answer 200 with a warning; revoke-secondary answers 204", async () => {
  const { sim, a } = await pair("performance");
  const ask = (path: string, body: object) =>
    reach(sim)(`${a.url}/v1/sys/replication/performance/${path}`, {
      method: "POST",
      headers: { "X-Secrets-Token": a.rootToken },
      body: JSON.stringify(body),
    });
  expect((await ask("primary/revoke-secondary", { id: "b" })).status).toBe(204);
  for (const [path, warning] of [
    ["primary/demote", "demoted"],
    ["secondary/promote", "promoted"],
    ["primary/disable", "disabled"],
    ["primary/enable", "enabled"],
  ] as const) {
    const response = await ask(path, {});
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: null, warnings: [expect.stringContaining(warning)] });
  }
});

test("18. the caller's token dies with a successful secondary/enable", async () => {
  const { sim, cluster } = replicatedWorld(["a", "b"]);
  const [a, b] = [cluster("a"), cluster("b")];
  a.as(a.rootToken).replication.performance.primaryEnable();
  const token = await activationToken("performance", a, "b");
  const response = await reach(sim)(`${b.url}/v1/sys/replication/performance/secondary/enable`, {
    method: "POST",
    headers: { "X-Secrets-Token": b.rootToken },
    body: JSON.stringify({ token }),
  });
  expect(response.status).toBe(200);
  expect(() => b.as(b.rootToken).tokens.lookupSelf()).toThrow(/permission_denied/);
});

test("25. a token of the performance primary is 403 on the secondary; policies are shared all the same", async () => {
  const { a, b } = await pair("performance");
  a.writePolicy("reader", 'path "kv/*" { capabilities = ["read", "list"] }');
  write(a, 1);
  expect(() => b.as(a.rootToken).kv.read({ path: "x" })).toThrow(/permission_denied/);
  const { token } = b.createToken({ policies: ["reader"] });
  expect(b.as(token).kv.read({ path: "x" }).data).toEqual({ v: 1 });
  expect(() => write(b, 2, token)).toThrow(/permission_denied/);
});

test("26. a write through a performance secondary changes the primary first, and is answered at once", async () => {
  const { sim, a, b } = await pair("performance");
  const root = rootOf(b);
  sim.network.setLag(a, b, "5s");
  const answer = b.as(root).namespaces.write({ name: "team" });
  expect(answer.warnings).toHaveLength(1);
  expect(sim.state.secrets["a"]?.replicated.namespaces.has("team/")).toBe(true);
  expect(sim.state.secrets["b"]?.replicated.namespaces.has("team/")).toBe(false);
  sim.settle();
  expect(sim.state.secrets["b"]?.replicated.namespaces.has("team/")).toBe(true);
});

test("27. allow with no paths ships no filterable mount", async () => {
  const { sim, a } = await pair("performance");
  a.as(a.rootToken).replication.performance.pathsFilter.write({ id: "b" });
  expect(sim.state.secrets["b"]?.replicated.mounts.size).toBe(0);
});

test("29. what is local reaches DR secondaries but not performance secondaries, and runs only after promotion", async () => {
  const { sim, a, b, operationToken } = await pair("dr", ["a", "b", "c"]);
  const c = sim.secrets.cluster("c");
  await joined("performance", a, c, "c");
  const { token } = a.createToken({ policies: ["default"], ttl: "1h" });
  const has = (name: string): boolean => sim.state.secrets[name]?.local.tokens.has(token) ?? false;
  expect([has("b"), has("c")]).toEqual([true, false]);
  sim.network.stop(a);
  sim.clock.advance("1h");
  expect(has("b")).toBe(true);
  b.as().replication.dr.promote({ dr_operation_token: operationToken(b) });
  expect(has("b")).toBe(false);
});

test("30. reads and refused requests do not move last_wal, unless they commit something", async () => {
  const { a } = await pair();
  const index = (): number => statusOf(a, "dr")["last_wal"] as number;
  const limited = a.createToken({ policies: ["none"], numUses: 5 }).token;
  const before = index();
  a.as(a.rootToken).kv.write({ path: "x", v: 1 });
  a.as(a.rootToken).kv.read({ path: "x" });
  expect(() => a.as("scs.nobody").kv.read({ path: "x" })).toThrow();
  expect(index()).toBe(before + 1);
  a.as(a.rootToken).kv.read({ path: "x" }, { wrapTtl: "1m" });
  expect(index()).toBe(before + 2);
  expect(() => a.as(limited).kv.read({ path: "x" })).toThrow(/permission_denied/);
  expect(index()).toBe(before + 3);
});

describe("nothing of a DR secondary leaks by control calls", () => {
  test("they are refused as its requests are", async () => {
    const { b } = await pair();
    for (const call of [
      () => b.createToken({ policies: ["root"] }),
      () => b.writePolicy("p", "{}"),
      () => b.createNamespace("team"),
      () => b.mount("x", { type: "kv" }),
      () => b.mount("x", { type: "kv", local: true }),
    ]) {
      expect(call).toThrow(/dr_secondary/);
    }
  });
});

test("a second kind of secondary joins the same primary under the same id", async () => {
  const { sim, a } = await pair("dr", ["a", "b", "c"]);
  const c = sim.secrets.cluster("c");
  a.as(a.rootToken).replication.performance.primaryEnable();
  await join("performance", a, c, "b");
  expect(statusOf(a, "dr")["known_secondaries"]).toEqual(["b"]);
  expect(statusOf(a, "performance")["known_secondaries"]).toEqual(["b"]);
});
