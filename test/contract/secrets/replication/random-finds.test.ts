import { describe, expect, test } from "vitest";
import type { ClusterHandle } from "../../../../src/index.ts";
import { historyFaults } from "../../../support/replication-checker.ts";
import { REPLICATION_CLASSES } from "../../../support/replication-classes.ts";
import { thawedPlaces } from "../../../support/world-checks.ts";
import { CLOUD1 } from "../snapshot-world.ts";
import { activationToken, joined, replicatedWorld, rootOf, statusOf } from "./replicated-world.ts";

// What schedules at random have found (../../../model/replication.model.test.ts), in few words each.

const DN = "cn=role,ou=service,dc=example,dc=com";
const CONFIG = { binddn: "cn=engine,dc=example,dc=com", bindpass: "secret", userdn: "ou=service,dc=example,dc=com" };

function write(cluster: ClusterHandle, path: string): void {
  cluster.as(rootOf(cluster)).kv.write({ path, v: 1 });
}

describe("a sync that is under way when an operator detaches the secondary", () => {
  test.each(["dr", "performance"] as const)("ends there: nothing arrives any more, %s", async (kind) => {
    const { sim, cluster, operationToken } = replicatedWorld(["a", "b"], { syncDurations: { diff: "1s", sync: "1s" } });
    const [a, b] = [cluster("a"), cluster("b")];
    await joined(kind, a, b);
    const held = sim.state.secrets["b"]?.replicated;
    const authority = kind === "dr" ? { dr_operation_token: operationToken(b) } : {};
    const door = kind === "dr" ? b.as().replication.dr : b.as(rootOf(b)).replication.performance;
    await door.updatePrimary({ ...authority, token: "" });
    sim.clock.advance("1m");
    expect(sim.state.secrets["b"]?.replicated).toBe(held);
    expect(statusOf(b, kind)).toMatchObject({ state: "idle", last_remote_wal: 0, primaries: [] });
    expect(sim.clock.pending()).toEqual([]);
  });
});

describe("what a filter leaves out", () => {
  async function filtered(paths: readonly string[]) {
    const made = replicatedWorld(["a", "b"]);
    const [a, b] = [made.cluster("a"), made.cluster("b")];
    const { sim } = made;
    sim.directory.addEntry(CONFIG.binddn, { cn: "engine", userPassword: CONFIG.bindpass });
    sim.directory.addEntry(DN, { cn: "role" });
    const root = a.as(a.rootToken);
    root.ldapConfig.write(CONFIG);
    root.staticRoles.write({ role_name: "role", username: "role", rotation_period: 60 });
    a.createNamespace("team");
    const team = a.as(a.rootToken, { namespace: "team" });
    team.oidc.keys.write({
      name: "key",
      algorithm: "ES256",
      rotation_period: "1h",
      verification_ttl: "2h",
      allowed_client_ids: "*",
    });
    team.oidc.clients.write({ name: "app", key: "key", redirect_uris: "https://app.test", id_token_ttl: "1h" });
    await joined("performance", a, b);
    root.replication.performance.pathsFilter.write({ id: "b", mode: "deny", paths });
    return { ...made, a, b };
  }
  const dueOn = (sim: { state: unknown }, name: string): number =>
    (sim.state as { secrets: Record<string, { replicated: { calendar: { size: number } } }> }).secrets[name]?.replicated
      .calendar.size ?? -1;

  test("is not due on a secondary that is promoted", async () => {
    const { sim, b } = await filtered(["ldap", "team"]);
    expect([dueOn(sim, "a"), dueOn(sim, "b")]).toEqual([2, 0]);
    const log = sim.log.commits().length;
    b.as(rootOf(b)).replication.performance.promote();
    sim.network.stop(sim.secrets.cluster("a"));
    sim.clock.advance("3h");
    expect(
      sim.log
        .commits()
        .slice(log)
        .filter(({ command }) => command.via === "timer"),
    ).toEqual([]);
  });

  test("adds nothing to the secondary's log when it is rotated; what is left is due there as before", async () => {
    const { sim } = await filtered(["ldap"]);
    const index = sim.state.secrets["b"]?.ignored.walIndex;
    sim.clock.advance("59s");
    expect(dueOn(sim, "b")).toBe(1);
    sim.clock.advance("2m");
    expect(sim.state.secrets["b"]?.ignored.walIndex).toBe(index);
    const { ignored } = sim.state.secrets["a"] ?? expect.fail("no cluster");
    expect(sim.state.secrets["b"]?.ignored.links.performance?.applied).toBe(ignored.walIndex);
    sim.clock.advance("2h");
    expect(dueOn(sim, "b")).toBe(1);
  });
});

test("a performance secondary that a restored primary does not know any more gets nothing of what was restored", async () => {
  const { sim, cluster } = replicatedWorld(["a", "b"]);
  const [a, b] = [cluster("a"), cluster("b")];
  a.as(a.rootToken).snapshots.write({ name: "s", interval: "30m", ...CLOUD1 });
  await joined("performance", a, b);
  sim.clock.advance("31m");
  const [stored] = sim.stores.list("cloud1://");
  // Its new id is younger than the snapshot.
  const token = await activationToken("performance", a, "newer");
  await b.as(rootOf(b)).replication.performance.updatePrimary({ token });
  write(a, "later");
  const held = sim.state.secrets["b"]?.replicated;
  a.restoreSnapshot(stored?.url ?? "");
  expect(statusOf(a, "performance")).toMatchObject({ known_secondaries: ["b"] });
  expect(statusOf(b, "performance")["state"]).toBe("idle");
  expect(sim.state.secrets["b"]?.replicated).toBe(held);
});

describe("a loss report", () => {
  test("does not count what a performance secondary was streamed before its own secondary had it", async () => {
    const { sim, cluster } = replicatedWorld(["a", "b", "c"]);
    const [a, b, c] = [cluster("a"), cluster("b"), cluster("c")];
    await joined("performance", a, b);
    await joined("dr", b, c, "c");
    const joinedAt = sim.position;
    sim.network.setLag(b, c, "5s");
    const { token } = b.createToken({ policies: ["default"] });
    write(a, "shared");
    const objects = sim.lossReport(b, c).flatMap((lost) => lost.objects);
    expect(objects).toContainEqual({ kind: "token", path: token, change: "created", fate: "missing" });
    sim.settle();
    // What b wrote before it joined went when it did (amendments.md, R4).
    expect(sim.lossReport(b, c).filter(({ position }) => position > joinedAt)).toEqual([]);
  });

  test("counts what a primary had written alone, and nothing local, when it becomes another one's secondary", async () => {
    const { sim, cluster } = replicatedWorld(["a", "b"]);
    const [a, b] = [cluster("a"), cluster("b")];
    await joined("performance", a, b);
    sim.network.cut(a, b);
    write(a, "alone");
    sim.network.heal();
    sim.network.cut(a, b);
    write(a, "lost");
    b.as(rootOf(b)).replication.performance.promote();
    const root = rootOf(a);
    a.as(root).replication.performance.primaryDemote();
    sim.network.heal();
    const token = await activationToken("performance", b, "a");
    await a.as(root).replication.performance.updatePrimary({ token });
    expect(sim.lossReport(a, b).flatMap(({ objects }) => objects)).toEqual([
      { kind: "secret", path: "kv/lost", change: "created", fate: "missing" },
    ]);
  });

  test("names what clients know, and no index of it, whatever the table", async () => {
    const { sim, cluster } = replicatedWorld(["a", "b"]);
    const [a, b] = [cluster("a"), cluster("b")];
    await joined("dr", a, b);
    sim.network.cut(a, b);
    a.createEntity({ id: "e", name: "ann", aliases: [{ name: "ann", mountAccessor: "x" }] });
    const root = a.as(a.rootToken);
    root.oidc.keys.write({ name: "key", algorithm: "ES256", allowed_client_ids: "*" });
    root.oidc.clients.write({ name: "app", key: "key", redirect_uris: "https://app.test" });
    root.snapshots.write({ name: "s", interval: "30m", ...CLOUD1 });
    const kinds = new Set(sim.lossReport(a, b).flatMap(({ objects }) => objects.map(({ kind }) => kind)));
    expect([...kinds].sort()).toEqual(["client", "entity", "entity alias", "named key", "snapshot configuration"]);
    const tables = Object.values(REPLICATION_CLASSES).flatMap((classes) => Object.keys(classes));
    expect([...kinds].filter((kind) => tables.includes(kind))).toEqual([]);
  });
});

describe("a performance secondary that has a secondary of its own, far away from both", () => {
  test("and is attached anew: all of the state is frozen", async () => {
    const { sim, cluster } = replicatedWorld(["a", "b", "c"]);
    const [a, b, c] = [cluster("a"), cluster("b"), cluster("c")];
    await joined("performance", a, b);
    await joined("dr", b, c);
    sim.network.setLag(a, b, "4s");
    sim.network.setLag(b, c, "4s");
    const token = await activationToken("performance", a, "again");
    await b.as(rootOf(b)).replication.performance.updatePrimary({ token });
    expect(thawedPlaces(sim.state, new WeakSet())).toEqual([]);
  });
});

describe("a filter that comes and goes while the link is cut", () => {
  test("is two entries in the log of the secondary, which holds what it held", async () => {
    const { sim, cluster } = replicatedWorld(["a", "b"]);
    const [a, b] = [cluster("a"), cluster("b")];
    a.mount("m", { type: "kv" });
    await joined("performance", a, b);
    sim.network.cut(a, b);
    const { pathsFilter } = a.as(a.rootToken).replication.performance;
    pathsFilter.write({ id: "b", mode: "deny", paths: ["m"] });
    pathsFilter.delete({ id: "b" });
    const before = sim.state.secrets["b"];
    sim.network.heal();
    const after = sim.state.secrets["b"];
    expect(after?.replicated).toBe(before?.replicated);
    expect((after?.ignored.walIndex ?? 0) - (before?.ignored.walIndex ?? 0)).toBe(2);
  });
});

describe("an account that is lent by a performance primary which is demoted then", () => {
  async function switched() {
    const made = replicatedWorld(["a", "b"]);
    const { sim } = made;
    const [a, b] = [made.cluster("a"), made.cluster("b")];
    sim.directory.addEntry(CONFIG.binddn, { cn: "engine", userPassword: CONFIG.bindpass });
    sim.directory.addEntry(DN, { cn: "role" });
    const root = a.as(a.rootToken);
    root.ldapConfig.write(CONFIG);
    root.library.write({ set_name: "ops", service_account_names: ["role"] });
    await joined("performance", a, b);
    const { lease_id } = root.library.checkOut({ set_name: "ops", ttl: 60 });
    root.replication.performance.primaryDemote();
    b.as(rootOf(b)).replication.performance.promote();
    const attach = async () =>
      root.replication.performance.updatePrimary({ token: await activationToken("performance", b, "a") });
    const isAvailable = () => b.as(rootOf(b)).library.status({ set_name: "ops" }).data["role"]?.available;
    const leases = () => [...(sim.state.secrets["a"]?.local.leases.values() ?? [])].map(({ status }) => status);
    return { ...made, sim, a, b, root, lease_id, attach, isAvailable, leases };
  }

  test("is taken back by the new primary when its lease ends, and both hold the same", async () => {
    const { sim, a, b, attach, isAvailable, leases } = await switched();
    await attach();
    expect(isAvailable()).toBe(false);
    const index = sim.state.secrets["b"]?.ignored.walIndex ?? 0;
    sim.clock.advance("1m");
    expect(sim.state.secrets["b"]?.ignored.walIndex).toBe(index + 1);
    expect([isAvailable(), leases()]).toEqual([true, []]);
    expect(statusOf(a, "performance")["merkle_root"]).toBe(statusOf(b, "performance")["merkle_root"]);
    expect(historyFaults(sim)).toEqual([]);
  });

  test("stays lent as long as no primary is reached: the revocation fails and is tried again", async () => {
    const { sim, root, lease_id, attach, isAvailable, leases } = await switched();
    const held = sim.state.secrets["a"]?.replicated;
    expect(() => root.leases.revoke({ lease_id })).toThrow("forward");
    sim.clock.advance("1m");
    expect([isAvailable(), leases()]).toEqual([false, ["retrying"]]);
    expect(sim.state.secrets["a"]?.replicated).toBe(held);
    await attach();
    sim.clock.advance("5m");
    expect([isAvailable(), leases()]).toEqual([true, []]);
    expect(sim.lossReport(sim.secrets.cluster("a"), sim.secrets.cluster("b"))).toEqual([]);
  });

  test("stays with whoever has borrowed it there since", async () => {
    const { sim, b, attach, isAvailable, leases } = await switched();
    const { library } = b.as(rootOf(b));
    library.forceCheckIn({ set_name: "ops", service_account_names: ["role"] });
    library.checkOut({ set_name: "ops", ttl: 3600 });
    await attach();
    sim.clock.advance("1m");
    expect([isAvailable(), leases()]).toEqual([false, []]);
    expect(historyFaults(sim)).toEqual([]);
  });
});
