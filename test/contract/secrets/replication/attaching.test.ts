import { describe, expect, test } from "vitest";
import { type ClusterHandle, Rejection } from "../../../../src/index.ts";
import { byRule } from "../../driver.ts";
import { activationToken, join, joined, KINDS, replicatedWorld, rootOf, statusOf } from "./replicated-world.ts";

// decisions-replication.md, 4.1 to 4.4.

async function codeOf(promised: Promise<unknown> | (() => unknown)): Promise<string> {
  try {
    await (typeof promised === "function" ? promised() : promised);
    return "accepted";
  } catch (error) {
    if (error instanceof Rejection) return error.code;
    throw error;
  }
}

describe.each(KINDS)("%s:", (kind) => {
  function world(names = ["a", "b", "c"], options = {}) {
    const made = replicatedWorld(names, options);
    const [a, b] = [made.cluster("a"), made.cluster("b")];
    const lead = a.as(a.rootToken).replication[kind];
    lead.primaryEnable();
    /** Joins, or attaches again, with whatever authority that needs. */
    const attach = async (cluster: ClusterHandle, fields: object): Promise<unknown> => {
      if (kind === "dr") {
        const token = made.operationToken(cluster);
        return cluster.as().replication.dr.updatePrimary({ dr_operation_token: token, ...fields });
      }
      return cluster.as(rootOf(cluster)).replication.performance.updatePrimary(fields);
    };
    const enable = (cluster: ClusterHandle, token: string, more = {}): Promise<unknown> =>
      cluster.as(rootOf(cluster)).replication[kind].secondaryEnable({ token, ...more });
    return { ...made, a, b, lead, attach, enable };
  }

  describe("an activation token", () => {
    test("is a wrapped JWT of three parts, and its answer is all there", async () => {
      const { a, lead } = world();
      const { wrap_info, ...answer } = await lead.secondaryToken({ id: "b" }, { wrapTtl: "1h" });
      expect(answer).toEqual({
        request_id: "",
        lease_id: "",
        renewable: false,
        lease_duration: 0,
        data: null,
        warnings: null,
        auth: null,
      });
      expect(wrap_info).toEqual({
        token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        accessor: expect.stringMatching(/^[A-Za-z0-9]{24}$/),
        ttl: 1800,
        creation_time: "2026-01-01T00:00:00Z",
        creation_path: `sys/replication/${kind}/primary/secondary-token`,
        wrapped_accessor: "",
      });
      const [header, claims] = (wrap_info?.token ?? "")
        .split(".")
        .slice(0, 2)
        .map((part) => JSON.parse(atob(part)) as unknown);
      expect(header).toEqual({ alg: "ES512", typ: "JWT" });
      const iat = Date.UTC(2026, 0, 1) / 1000;
      expect(claims).toEqual({
        addr: a.url,
        iat,
        nbf: iat,
        exp: iat + 1800,
        jti: expect.any(String),
        type: "wrapping",
      });
    });

    test.each(
      byRule([
        { rule: "no id", fields: {}, code: "secondary_id_missing" },
        { rule: "an empty id", fields: { id: "" }, code: "secondary_id_missing" },
        { rule: "an id with a dot", fields: { id: "a.b" }, code: "secondary_id_malformed" },
        { rule: "an id with a space", fields: { id: "a b" }, code: "secondary_id_malformed" },
        { rule: "a ttl of 0", fields: { id: "b", ttl: 0 }, code: "secondary_token_ttl" },
        { rule: "a negative ttl", fields: { id: "b", ttl: -1 }, code: "field_validation_failed" },
        { rule: "an id that is known", fields: { id: "known" }, code: "secondary_exists" },
      ]),
    )("%s is refused", async (_, { fields, code }) => {
      const { sim, lead } = world();
      await lead.secondaryToken({ id: "known" });
      const before = sim.stateHash();
      expect(await codeOf(lead.secondaryToken(fields as { id: string }))).toBe(code);
      expect(sim.stateHash()).toBe(before);
    });

    test("an id is listed as soon as its token is made, and free again once that expired unused", async () => {
      const { sim, a, b, lead, enable } = world();
      const { wrap_info } = await lead.secondaryToken({ id: "b", ttl: "10s" });
      expect(statusOf(a, kind)).toMatchObject({ known_secondaries: ["b"], secondaries: [] });
      sim.clock.advance("9999ms");
      expect(await codeOf(lead.secondaryToken({ id: "b" }))).toBe("secondary_exists");
      sim.clock.advance("1ms");
      expect(statusOf(a, kind)).toMatchObject({ known_secondaries: ["b"], secondaries: [] });
      const again = await lead.secondaryToken({ id: "b" });
      expect(await codeOf(enable(b, wrap_info?.token ?? ""))).toBe("unwrapping_failed");
      await enable(b, again.wrap_info?.token ?? "");
      expect(statusOf(a, kind)["known_secondaries"]).toEqual(["b"]);
      expect(await codeOf(lead.secondaryToken({ id: "b" }))).toBe("secondary_exists");
      lead.revokeSecondary({ id: "b" });
      expect(await codeOf(lead.secondaryToken({ id: "b" }))).toBe("accepted");
    });

    test("several wait at once, and each is used once", async () => {
      const { sim, a, b, cluster, enable } = world();
      const tokens = await Promise.all(["b", "c"].map((id) => activationToken(kind, a, id)));
      await enable(b, tokens[0] ?? "");
      const before = sim.stateHash();
      expect(await codeOf(enable(cluster("c"), tokens[0] ?? ""))).toBe("unwrapping_failed");
      expect(sim.state.secrets["c"]?.replicated.mounts.has("kv/")).toBe(true);
      expect(sim.stateHash()).not.toBe("");
      expect(before).not.toBe("");
      await enable(cluster("c"), tokens[1] ?? "");
      expect(statusOf(a, kind)["secondaries"]).toMatchObject([{ node_id: "b" }, { node_id: "c" }]);
    });

    test("is of one kind, and of one primary", async () => {
      const { a, b, cluster, enable } = world();
      const other = kind === "dr" ? "performance" : "dr";
      a.as(a.rootToken).replication[other].primaryEnable();
      const token = await activationToken(other, a, "b");
      expect(await codeOf(enable(b, token))).toBe("unwrapping_failed");
      const own = await activationToken(kind, a, "b");
      expect(await codeOf(enable(b, own, { primary_api_addr: cluster("c").url }))).toBe("unwrapping_failed");
      expect(await codeOf(enable(b, own, { primary_api_addr: a.url, ca_file: "/x", ca_path: "/y" }))).toBe("accepted");
    });

    test("it expires at the very instant of its end", async () => {
      const { sim, b, lead, enable } = world();
      const { wrap_info } = await lead.secondaryToken({ id: "b", ttl: "10s" });
      sim.clock.advance("10s");
      expect(await codeOf(enable(b, wrap_info?.token ?? ""))).toBe("unwrapping_failed");
    });
  });

  describe("joining", () => {
    test("clears all that the cluster held, and the caller's token with it", async () => {
      const { sim, a, b, enable } = world();
      b.mount("own", { type: "kv", local: true });
      b.writePolicy("own", 'path "a" { capabilities = ["read"] }');
      b.createToken({ policies: ["default"], ttl: "1h" });
      a.as(a.rootToken).kv.write({ path: "x", v: 1 });
      await enable(b, await activationToken(kind, a, "b"));
      const { local, replicated, ignored } = sim.state.secrets["b"] ?? expect.fail("no cluster");
      expect(local.mounts.size).toBe(0);
      expect(replicated).toBe(sim.state.secrets["a"]?.replicated);
      if (kind === "performance") {
        expect(local.tokens.size).toBe(0);
        expect(local.calendar.size).toBe(0);
        expect(() => b.as(b.rootToken).kv.read({ path: "x" })).toThrow(/permission_denied/);
        expect(b.as(rootOf(b)).kv.read({ path: "x" }).data).toEqual({ v: 1 });
      } else {
        expect(() => b.createToken({ policies: ["root"] })).toThrow(/dr_secondary/);
      }
      expect(b.keyShares).toEqual(a.keyShares);
      expect(ignored.seal.threshold).toBe(sim.state.secrets["a"]?.ignored.seal.threshold);
      expect(b.rootToken).not.toBe(a.rootToken);
    });

    test.each(
      byRule([
        { rule: "no token", token: () => "", code: "activation_token_missing" },
        { rule: "no JWT", token: () => "scs.something", code: "activation_token_malformed" },
        { rule: "three parts of nothing", token: () => "a.b.c", code: "activation_token_malformed" },
        { rule: "an unknown token", token: (good: string) => forged(good), code: "unwrapping_failed" },
      ]),
    )("%s is refused, and nothing is wiped", async (_, { token, code }) => {
      const { sim, a, b, enable } = world();
      const good = await activationToken(kind, a, "b");
      const own = rootOf(b);
      const before = sim.stateHash();
      const sent = b.as(own).replication[kind].secondaryEnable({ token: token(good) });
      expect(await codeOf(sent)).toBe(code);
      expect(sim.stateHash()).toBe(before);
      expect(await codeOf(enable(b, good))).toBe("accepted");
    });

    test.each(["cut", "stop", "seal"] as const)(
      "without the primary's API (%s) it is refused, and the token stays",
      async (how) => {
        const { sim, a, b, enable } = world();
        const token = await activationToken(kind, a, "b");
        ({ cut: () => sim.network.cut(a, b), stop: () => sim.network.stop(a), seal: () => a.seal() })[how]();
        expect(await codeOf(enable(b, token))).toBe("unwrapping_failed");
        ({ cut: () => sim.network.heal(a, b), stop: () => sim.network.start(a), seal: () => a.unseal() })[how]();
        expect(await codeOf(enable(b, token))).toBe("accepted");
      },
    );

    test("without the primary's cluster address nothing is wiped, but the token is used up", async () => {
      const { sim, cluster } = replicatedWorld(["a", "b"]);
      const [a, b] = [cluster("a"), cluster("b")];
      const address = "https://load-balancer.test:8201";
      a.as(a.rootToken).replication[kind].primaryEnable({ primary_cluster_addr: address });
      const token = await activationToken(kind, a, "b");
      const own = b.as(rootOf(b)).replication[kind];
      expect(await codeOf(own.secondaryEnable({ token }))).toBe("bootstrap_failed");
      expect(sim.state.secrets["b"]?.replicated.mounts.has("kv/")).toBe(true);
      sim.network.pointAddress(address, a);
      expect(await codeOf(own.secondaryEnable({ token }))).toBe("unwrapping_failed");
      a.as(a.rootToken).replication[kind].revokeSecondary({ id: "b" });
      await join(kind, a, b);
      expect(statusOf(b, kind)).toMatchObject({ primary_cluster_addr: address, state: "stream-wals" });
    });
  });

  describe("revoking", () => {
    test("unknown ids are 204, too; none is refused", async () => {
      const { lead } = world();
      expect(lead.revokeSecondary({ id: "nobody" })).toBeUndefined();
      expect(await codeOf(() => lead.revokeSecondary({ id: "" }))).toBe("secondary_id_missing");
      expect(await codeOf(() => lead.revokeSecondary({}))).toBe("secondary_id_missing");
    });

    test("the secondary is idle at once, keeps its data, and comes back by a new token only", async () => {
      const { sim, a, b, lead, attach } = world();
      await joined(kind, a, b);
      lead.revokeSecondary({ id: "b" });
      expect(statusOf(a, kind)).toMatchObject({ known_secondaries: [], secondaries: [] });
      expect(statusOf(b, kind)).toMatchObject({ mode: "secondary", state: "idle" });
      expect(statusOf(b, kind)["primaries"]).toMatchObject([{ connection_status: "disconnected" }]);
      const held = sim.state.secrets["b"]?.replicated;
      a.as(a.rootToken).kv.write({ path: "x", v: 1 });
      sim.network.cut(a, b);
      sim.network.heal();
      sim.clock.advance("1h");
      expect(sim.state.secrets["b"]?.replicated).toBe(held);
      await attach(b, { token: await activationToken(kind, a, "b") });
      expect(statusOf(b, kind)["state"]).toBe("stream-wals");
      expect(sim.state.secrets["b"]?.replicated).toBe(sim.state.secrets["a"]?.replicated);
    });

    test("an unused token dies with its id", async () => {
      const { a, b, lead, enable } = world();
      const token = await activationToken(kind, a, "b");
      lead.revokeSecondary({ id: "b" });
      expect(await codeOf(enable(b, token))).toBe("unwrapping_failed");
    });
  });

  describe("update-primary", () => {
    test("a blank token detaches: who the primary was is forgotten, all else stays", async () => {
      const { sim, a, b, attach } = world();
      await joined(kind, a, b);
      const before = statusOf(b, kind);
      await attach(b, { token: "" });
      expect(statusOf(b, kind)).toEqual({
        ...before,
        primaries: [],
        known_primary_cluster_addrs: [],
        primary_cluster_addr: "",
        state: "idle",
      });
      sim.clock.advance("11s");
      expect(statusOf(a, kind)["secondaries"]).toMatchObject([{ connection_status: "disconnected" }]);
    });

    test("neither a token nor addresses is refused", async () => {
      const { sim, a, b, attach } = world();
      await joined(kind, a, b);
      expect(await codeOf(attach(b, {}))).toBe("update_method_missing");
      expect(await codeOf(attach(b, { token: null }))).toBe("update_method_missing");
      expect(await codeOf(attach(b, { update_primary_addrs: [] }))).toBe("update_method_missing");
      expect(statusOf(b, kind)["state"]).toBe("stream-wals");
      expect(sim.clock.pending()).toEqual([]);
    });

    test("both are refused before anything is unwrapped", async () => {
      const { a, b, attach } = world();
      await joined(kind, a, b);
      const token = await activationToken(kind, a, "again");
      const both = { token, update_primary_addrs: [a.clusterAddress] };
      expect(await codeOf(attach(b, both))).toBe("update_methods_exclusive");
      expect(await codeOf(attach(b, { token }))).toBe("accepted");
      expect(statusOf(b, kind)["secondary_id"]).toBe("again");
    });

    test("of several addresses the first that serves the set is taken; others count as not responding", async () => {
      const { sim, a, b, cluster, attach } = world();
      await joined(kind, a, b);
      cluster("c").as(cluster("c").rootToken).replication[kind].primaryEnable();
      await attach(b, { token: "" });
      const foreign = cluster("c").clusterAddress;
      expect(await codeOf(attach(b, { update_primary_addrs: [foreign] }))).toBe("no_primary_responds");
      // It has kept its id, by which the primary still knows it.
      await attach(b, { update_primary_addrs: ["https://nobody.test:8201", foreign, a.clusterAddress] });
      expect(statusOf(b, kind)).toMatchObject({ state: "stream-wals", primary_cluster_addr: a.clusterAddress });
      sim.network.cut(a, b);
      expect(await codeOf(attach(b, { update_primary_addrs: [a.clusterAddress] }))).toBe("no_primary_responds");
    });

    test("a primary of another set is refused, the old one stays, and the token is used up", async () => {
      const { sim, a, b, cluster, attach } = world();
      await joined(kind, a, b);
      const c = cluster("c");
      c.as(c.rootToken).replication[kind].primaryEnable();
      const token = await activationToken(kind, c, "b");
      expect(await codeOf(attach(b, { token }))).toBe("cluster_id_differs");
      expect(await codeOf(attach(b, { token }))).toBe("unwrapping_failed");
      a.as(a.rootToken).kv.write({ path: "x", v: 1 });
      expect(statusOf(b, kind)["state"]).toBe("stream-wals");
      expect(sim.state.secrets["b"]?.replicated).toBe(sim.state.secrets["a"]?.replicated);
    });

    test("a token leads to a comparison first, also with the primary that it had; an address of that one does not", async () => {
      const { sim, a, b, attach } = world(["a", "b", "c"], { syncDurations: { diff: "1s" } });
      await joined(kind, a, b);
      sim.settle();
      await attach(b, { update_primary_addrs: [a.clusterAddress] });
      expect(statusOf(b, kind)["state"]).toBe("stream-wals");
      await attach(b, { token: await activationToken(kind, a, "again") });
      expect(statusOf(b, kind)["state"]).toBe("merkle-diff");
      sim.clock.advance("1s");
      expect(statusOf(b, kind)["state"]).toBe("stream-wals");
    });

    test("after disabling and enabling the set is another one, and old secondaries cannot come back", async () => {
      const { a, b, lead, attach } = world();
      await joined(kind, a, b);
      const before = statusOf(a, kind)["cluster_id"];
      lead.primaryDisable();
      lead.primaryEnable();
      expect(statusOf(a, kind)["cluster_id"]).not.toBe(before);
      const token = await activationToken(kind, a, "b");
      expect(await codeOf(attach(b, { token }))).toBe("cluster_id_differs");
    });
  });
});

/** The token with another id in it. */
function forged(token: string): string {
  const [header, claims, signature] = token.split(".");
  const told = JSON.parse(atob(claims ?? "")) as { jti: string };
  return `${header}.${btoa(JSON.stringify({ ...told, jti: "scs.other" })).replaceAll("=", "")}.${signature}`;
}
