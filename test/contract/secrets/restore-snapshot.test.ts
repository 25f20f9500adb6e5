import { describe, expect, it } from "vitest";
import { createSimulator, Rejection, rehearse, replay } from "../../../src/index.ts";
import { libraryWorld } from "./library-world.ts";
import { CLOUD1, HOUR_MS, LOCAL, objectName, START_MS, snapshotWorld, urlsIn } from "./snapshot-world.ts";

// decisions-replication.md, 6.9 "Restored snapshot".

/** A world with a snapshot that was taken after an hour. */
function taken(options: Parameters<typeof snapshotWorld>[0] = {}) {
  const world = snapshotWorld(options);
  world.root.kv.write({ path: "a", v: "then" });
  world.configure("a", { retain: 9 });
  world.sim.clock.advance("1h");
  const url = `file:///backups/${objectName(START_MS + HOUR_MS)}`;
  return { ...world, url };
}

const codeOf = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    if (error instanceof Rejection) return error.code;
    throw error;
  }
  return "done";
};

describe("restoring a snapshot", () => {
  it("puts back all that is replicated or local, and keeps what is ignored", () => {
    const { sim, main, root, url } = taken({ secrets: { nodes: 2 } });
    const before = sim.state.secrets["main"] ?? expect.fail();
    root.kv.write({ path: "a", v: "bad" });
    root.kv.write({ path: "b", v: 1 });
    root.mounts.write({ path: "more", type: "kv" });
    main.createNamespace("team");
    main.writePolicy("p", 'path "*" { capabilities = ["read"] }');
    root.plugins.write({ type: "secret", name: "x", command: "x", sha256: "ab" });
    const { token } = main.createToken({ policies: ["p"] });
    main.setActiveNode(1);
    main.setPlugin("x", "cd");
    const walIndex = sim.state.secrets["main"]?.ignored.walIndex ?? 0;
    main.restoreSnapshot(url);
    const after = sim.state.secrets["main"] ?? expect.fail();
    expect({ replicated: after.replicated, local: after.local }).toEqual({
      replicated: before.replicated,
      local: before.local,
    });
    expect(after.ignored).toMatchObject({ walIndex: walIndex + 1, nodes: { active: 1 }, pluginFilesKnown: true });
    expect(root.kv.read({ path: "a" }).data).toEqual({ v: "then" });
    expect(codeOf(() => root.kv.read({ path: "b" }))).toBe("not_found");
    expect(codeOf(() => main.as(token).kv.read({ path: "a" }))).toBe("permission_denied");
    expect(codeOf(() => root.plugins.read({ type: "secret", name: "x" }))).toBe("not_found");
  });

  it("adds 1 to the log of the cluster also when nothing was changed since", () => {
    const { sim, main, url } = taken();
    const { walIndex } = sim.state.secrets["main"]?.ignored ?? expect.fail();
    main.restoreSnapshot(url);
    main.restoreSnapshot(url);
    expect(sim.state.secrets["main"]?.ignored.walIndex).toBe(walIndex + 2);
  });

  it("brings back a token that was revoked, and one that has expired since ends at once, adding 1", () => {
    const { sim, main, root, configure } = snapshotWorld();
    configure("a", { retain: 9 });
    const forever = main.createToken({ policies: ["default"], ttl: "30d" }).token;
    const brief = main.createToken({ policies: ["default"], ttl: "90m" }).token;
    sim.clock.advance("1h");
    const [url = ""] = urlsIn(sim);
    root.tokens.revoke({ token: forever });
    sim.clock.advance("1h");
    const { walIndex } = sim.state.secrets["main"]?.ignored ?? expect.fail();
    main.restoreSnapshot(url);
    expect(root.tokens.lookup({ token: forever }).data).toMatchObject({ id: forever });
    expect(codeOf(() => root.tokens.lookup({ token: brief }))).toBe("bad_token");
    expect(
      sim.log
        .commits()
        .slice(-2)
        .map(({ command }) => command.name),
    ).toEqual(["control.restoreSnapshot", "timer.tokenExpiry"]);
    expect(sim.state.secrets["main"]?.ignored.walIndex).toBe(walIndex + 2);
  });

  it("revokes leases that are overdue by now, and not those that the cluster no longer knows", () => {
    const { sim, set, lend, password } = libraryWorld();
    const main = sim.secrets.cluster("main");
    const { snapshots, leases } = main.as(main.rootToken);
    set("ops", ["svc-1", "svc-2", "svc-3"], { ttl: 3600 });
    const overdue = lend("ops");
    snapshots.write({ name: "a", interval: "30m", ...LOCAL, retain: 9 });
    sim.clock.advance("30m");
    const [url = ""] = urlsIn(sim);
    const unknown = lend("ops");
    const [first, second] = [password("svc-1"), password("svc-2")];
    sim.clock.advance("45m");
    const passwords = [password("svc-1"), password("svc-2")];
    expect(passwords[0]).not.toBe(first);
    expect(passwords[1]).toBe(second);
    main.restoreSnapshot(url);
    for (const { lease } of [overdue, unknown]) {
      expect(codeOf(() => leases.lookup({ lease_id: lease }))).toBe("invalid_lease");
    }
    // The directory stays as it is, but for what is overdue: that account is taken back once more.
    expect(password("svc-1")).not.toBe(passwords[0]);
    expect(password("svc-2")).toBe(second);
    sim.clock.advance("5h");
    expect(password("svc-2")).toBe(second);
  });

  it("starts all configurations anew, one interval from then", () => {
    const { sim, main, root, configure, url, begun } = taken();
    root.snapshots.delete({ name: "a" });
    configure("b", {});
    sim.clock.advance("30m");
    main.restoreSnapshot(url);
    expect(root.snapshots.list().data).toEqual({ keys: ["a"] });
    sim.clock.advance("1h");
    expect(begun()).toEqual([
      ["a", 1],
      ["a", 2.5],
    ]);
    main.restoreSnapshot(url);
    sim.clock.advance("59m");
    main.restoreSnapshot(url);
    sim.clock.advance("59m");
    expect(begun()).toHaveLength(2);
    expect(sim.clock.pending()).toHaveLength(1);
  });

  it("keeps the status, which is the cluster's own", () => {
    const { sim, main, root, url, status } = taken();
    sim.clock.advance("2h");
    const before = status("a");
    main.restoreSnapshot(url);
    expect(status("a")).toEqual(before);
    expect(root.snapshots.read({ name: "a" }).data["retain"]).toBe(9);
  });

  it("lets an attempt in progress go on with what it began with", () => {
    const { sim, main, root, url } = taken();
    root.kv.write({ path: "a", v: "later" });
    sim.stores.setSnapshotDuration("10m");
    sim.clock.advance("65m");
    main.restoreSnapshot(url);
    sim.clock.advance("5m");
    const [, later = ""] = urlsIn(sim);
    main.restoreSnapshot(later);
    expect(root.kv.read({ path: "a" }).data).toEqual({ v: "later" });
  });

  it("of a time without a configuration ends nothing of one that is written anew", () => {
    const { sim, main, root, url } = taken();
    root.snapshots.delete({ name: "a" });
    const fields = { name: "b", interval: "1h", ...LOCAL };
    root.snapshots.write(fields);
    sim.stores.setSnapshotDuration("90m");
    sim.clock.advance("65m"); // b is being taken
    main.restoreSnapshot(url); // and is not known any more
    sim.stores.setSnapshotDuration("30m");
    root.snapshots.write({ ...fields, interval: "80m" }); // one of this name begins before that one would have ended
    expect(sim.clock.pending().map(({ command }) => command)).toEqual([
      "timer.snapshotAttempt",
      "timer.snapshotAttempt",
    ]);
    expect(root.snapshots.status({ name: "b" }).data.snapshot_url).toBe("");
  });

  it("leaves the stores as they are, so that one can go forth and back", () => {
    const { sim, main, root, url } = taken();
    root.kv.write({ path: "a", v: "later" });
    sim.clock.advance("1h");
    const stored = urlsIn(sim);
    const [, later = ""] = stored;
    for (const [from, v] of [
      [url, "then"],
      [later, "later"],
      [url, "then"],
    ]) {
      main.restoreSnapshot(from ?? "");
      expect(root.kv.read({ path: "a" }).data).toEqual({ v });
    }
    expect(urlsIn(sim)).toEqual(stored);
  });

  it("takes what another cluster left in a cloud store, but not what lies in its own", () => {
    const sim = createSimulator({ secrets: { clusters: ["east", "west"] } });
    const [east, west] = [sim.secrets.cluster("east"), sim.secrets.cluster("west")];
    const root = east.as(east.rootToken);
    root.kv.write({ path: "a", v: "of east" });
    root.snapshots.write({ name: "here", interval: "1h", ...LOCAL });
    root.snapshots.write({ name: "there", interval: "1h", ...CLOUD1 });
    sim.clock.advance("1h");
    const [cloud = "", local = ""] = urlsIn(sim);
    expect(codeOf(() => west.restoreSnapshot(local))).toBe("snapshot_not_found");
    west.restoreSnapshot(cloud);
    expect(west.as(east.rootToken).kv.read({ path: "a" }).data).toEqual({ v: "of east" });
    expect(codeOf(() => west.as(west.rootToken).kv.read({ path: "a" }))).toBe("permission_denied");
    root.kv.write({ path: "a", v: "east goes on" });
    expect(west.as(east.rootToken).kv.read({ path: "a" }).data).toEqual({ v: "of east" });
  });

  it("is refused where the cluster is sealed or stopped, and where nothing of this name is stored", () => {
    const { sim, main, url } = taken();
    const refused = (code: string, asked = url): void => {
      const before = { position: sim.position, hash: sim.stateHash() };
      expect(codeOf(() => main.restoreSnapshot(asked))).toBe(code);
      expect({ position: sim.position, hash: sim.stateHash() }).toEqual(before);
    };
    for (const asked of ["", "x", `${url}x`, url.replace("-1767", "-01767"), url.replace("backups", "other")]) {
      refused("snapshot_not_found", asked);
    }
    main.seal();
    refused("sealed");
    sim.network.stop(main);
    refused("cluster_stopped");
    sim.network.start(main);
    main.unseal();
    sim.clock.advance("10h");
    refused("snapshot_not_found");
    const others: readonly unknown[] = [undefined, null, 1, {}, [url]];
    for (const wrong of others) {
      expect(() => main.restoreSnapshot(wrong as string)).toThrow(TypeError);
    }
  });

  it("of a URL that was pruned is refused, and the past still has it", () => {
    const { sim, main, configure, url } = taken();
    configure("a", { retain: 1 });
    sim.mark("before");
    sim.clock.advance("1h");
    expect(codeOf(() => main.restoreSnapshot(url))).toBe("snapshot_not_found");
    const other = sim.fork("before");
    other.secrets.cluster("main").restoreSnapshot(url);
    expect(
      other
        .at("before")
        .stores.list("")
        .map((row) => row.url),
    ).toContain(url);
    expect(() => sim.at("before").secrets.cluster("main").restoreSnapshot(url)).toThrow("only reads");
  });

  it("is kept by replay and decided again alike", async () => {
    const { sim, main, root, url } = taken();
    root.kv.write({ path: "a", v: "bad" });
    main.restoreSnapshot(url);
    sim.clock.advance("5h");
    const text = sim.log.toNdjson();
    expect(replay(text).stateHash()).toBe(sim.stateHash());
    expect(await rehearse(text)).toEqual({ ok: true });
  });

  it("and storing are told in a few words, however much a snapshot holds", () => {
    const { sim, main, root, url } = taken();
    for (let path = 0; path < 300; path++) root.kv.write({ path: `p${path}`, v: "x".repeat(50) });
    sim.clock.advance("1h");
    expect(sim.diff(1, sim.position).filter(({ path }) => path.startsWith("stores"))).not.toEqual([]);
    expect(JSON.stringify(sim.state.stores).length).toBeLessThan(2_000);
    const stored = sim.explain(sim.position).changes.filter(({ path }) => path.includes("objects["));
    expect(stored.map(({ after }) => JSON.stringify(after).length < 200)).toEqual([true]);
    main.restoreSnapshot(url);
  });

  it("shows what an attempt in progress holds as one value, which differs from that of another attempt", () => {
    const { sim, root } = taken();
    sim.stores.setSnapshotDuration("10m");
    sim.clock.advance("65m");
    sim.mark("one");
    root.kv.write({ path: "b", v: 1 });
    sim.clock.advance("70m");
    const changed = sim.diff("one", sim.position).map(({ path }) => path);
    expect(changed).toContain('secrets.main.ignored.snapshotSchedules["a"].attempt.content');
    expect(changed.filter((path) => path.includes("attempt.content."))).toEqual([]);
    sim.clock.advance("70m");
    sim.mark("two");
    sim.clock.advance("70m");
    expect(sim.diff("two", sim.position).map(({ path }) => path)).not.toContain(
      'secrets.main.ignored.snapshotSchedules["a"].attempt.content',
    );
  });

  it("shows what it lost as the difference from before", () => {
    const { sim, main, root, url } = taken();
    root.kv.write({ path: "a", v: "bad" });
    root.kv.write({ path: "b", v: "new" });
    const before = sim.position;
    main.restoreSnapshot(url);
    // What the storage holds of which epoch has changed as well.
    const changes = sim.diff(before, sim.position).filter(({ path }) => !/ignored\.(lineage|epochs)/.test(path));
    expect(changes).toEqual([
      { path: 'secrets.main.replicated.mounts["kv/"].entries["a"].v', before: "bad", after: "then" },
      { path: 'secrets.main.replicated.mounts["kv/"].entries["b"]', before: { v: "new" }, after: undefined },
      expect.objectContaining({ path: "secrets.main.ignored.walIndex" }),
      { path: "secrets.main.ignored.restores", before: 0, after: 1 },
    ]);
  });
});

describe("blaming after a restoration", () => {
  const PATH = 'secrets.main.replicated.mounts["kv/"].entries["a"]';

  it.each([1, 4, 32, 1_000])("names it, and what came after, with a state kept every %i commits", (checkpointEvery) => {
    const { sim, main, root, url } = taken({ history: { checkpointEvery } });
    const fill = (): void => {
      do root.kv.write({ path: "b", v: sim.position });
      while (checkpointEvery < 100 && sim.position % checkpointEvery > 0);
    };
    // Both lie between two states that are kept, and in both of these the holder of the value is one object.
    fill();
    root.kv.write({ path: "a", v: "bad" });
    const bad = sim.position;
    expect(sim.blame(`${PATH}.v`)?.position).toBe(bad);
    main.restoreSnapshot(url);
    const restored = sim.position;
    fill();
    const forks = [sim.fork(), sim.fork(restored), sim.fork().fork()];
    for (const each of [sim, ...forks]) {
      expect(each.blame(`${PATH}.v`)?.position).toBe(restored);
      expect(each.blame(PATH)?.position).toBe(restored);
    }
    for (let more = 0; more < 50; more++) root.kv.write({ path: "b", v: more });
    expect(sim.blame(`${PATH}.v`)?.position).toBe(restored);
    const [fork] = forks;
    fork?.secrets.cluster("main").restoreSnapshot(url);
    expect(fork?.blame('secrets.main.replicated.mounts["kv/"].entries["b"]')?.position).toBe(fork?.position);
    expect(sim.fork(restored - 1).blame(`${PATH}.v`)?.position).toBe(bad);
  });
});
