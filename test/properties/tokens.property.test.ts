import fc from "fast-check";
import { describe, expect } from "vitest";
import { Rejection, rehearse, type Simulator } from "../../src/index.ts";
import { libraryWorld } from "../contract/secrets/library-world.ts";
import { createSimulator, property } from "../support/checked.ts";
import { indexFaults } from "../support/world-checks.ts";

// What always holds of tokens, their leases, and what is wrapped under them (decisions-secrets-core.md, A.6, A.7 and A.9).

const localOf = (sim: Simulator) => sim.state.secrets["main"]?.local ?? expect.fail("no cluster");

/** Which earlier token makes the next one, whether as an orphan, and whether it borrows an account. */
const births = fc.array(fc.record({ by: fc.nat(), orphan: fc.boolean(), batch: fc.boolean(), borrows: fc.boolean() }), {
  minLength: 1,
  maxLength: 25,
});

describe("a tree of tokens", () => {
  property([births, fc.nat(), fc.constantFrom("revoke", "expire", "revokeSelf"), fc.boolean(), fc.nat({ max: 3 })])(
    "that ends leaves no live child, and no lease but those whose revocation failed",
    async (tree, top, how, isUp, failures) => {
      const { sim, root, set, directoryUp } = libraryWorld();
      set("ops", ["svc-1", "svc-2", "svc-3", "svc-4", "svc-5"]);
      const main = sim.secrets.cluster("main");
      main.writePolicy("all", 'path "*" { capabilities = ["create", "update", "read", "list", "sudo"] }');
      const made: { token: string; parent: string | undefined }[] = [];
      for (const { by, orphan, batch, borrows } of tree) {
        const parent = made[by % (made.length + 1)]?.token;
        const fields = { policies: ["all"], no_parent: orphan, type: batch ? "batch" : "service", ttl: "10h" };
        const token = attempt(() => main.as(parent ?? root).tokens.create(fields).auth.client_token);
        if (token === undefined) continue;
        made.push({ token, parent: orphan ? undefined : parent });
        attempt(() => main.as(token).cubbyhole.write({ path: "mine/a", v: 1 }));
        attempt(() => main.as(token).tokens.lookupSelf({}, { wrapTtl: "20h" }));
        if (borrows) attempt(() => main.as(token).library.checkOut({ set_name: "ops" }));
      }
      const { token: first } = made[top % Math.max(made.length, 1)] ?? { token: "" };
      if (localOf(sim).tokens.get(first)?.type !== "service") return;
      const ended = new Set([first]);
      for (const { token, parent } of made) if (parent !== undefined && ended.has(parent)) ended.add(token);

      directoryUp(isUp);
      if (failures > 0) sim.directory.failNext({ count: failures });
      if (how === "revoke") main.as(root).tokens.revoke({ token: first });
      else if (how === "revokeSelf") main.as(first).tokens.revokeSelf();
      else {
        main.as(root).tokens.renew({ token: first, increment: "1s" });
        sim.clock.advance("1s");
      }

      const { tokens, leases, tokensByParent, tokensByAccessor } = localOf(sim);
      for (const { token } of made) expect(tokens.has(token)).toBe(!ended.has(token));
      for (const child of tokensByParent.values()) expect(ended.has(child)).toBe(false);
      expect([...tokensByAccessor.values()].filter((token) => ended.has(token))).toEqual([]);
      for (const [, lease] of leases) {
        if (lease.token !== null && ended.has(lease.token)) expect(["retrying", "irrevocable"]).toContain(lease.status);
      }
      expect(indexFaults(sim.state)).toEqual([]);
      expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
    },
  );
});

describe("a renewal", () => {
  const seconds = fc.integer({ min: 1, max: 4_000_000 });
  property([
    fc.option(seconds, { nil: undefined }),
    fc.option(seconds, { nil: undefined }),
    fc.option(seconds, { nil: undefined }),
    fc.array(fc.tuple(fc.integer({ min: 0, max: 2_000_000 }), fc.option(seconds, { nil: undefined })), {
      maxLength: 8,
    }),
  ])("never passes the maximum, and says what is left", (ttl, period, explicitMax, renewals) => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const { token } = main.createToken({
      policies: ["default"],
      ...(ttl === undefined ? {} : { ttl: `${ttl}s` }),
      ...(period === undefined ? {} : { period: `${period}s` }),
      ...(explicitMax === undefined ? {} : { explicitMaxTtl: `${explicitMax}s` }),
    });
    const bornAtMs = sim.clock.now();
    const limit = Math.min(
      explicitMax ?? Number.POSITIVE_INFINITY,
      period === undefined ? 2_764_800 : Number.POSITIVE_INFINITY,
    );
    // Without an increment it is what was granted last.
    let granted = localOf(sim).tokens.get(token)?.creationTtlSeconds;
    for (const [wait, increment] of renewals) {
      sim.clock.advance(wait * 1000);
      const answer = attempt(() => main.as(token).tokens.renewSelf(increment === undefined ? {} : { increment }));
      const record = localOf(sim).tokens.get(token);
      if (record === undefined) {
        expect(answer).toBeUndefined();
        continue;
      }
      const { expiresAtMs = Number.POSITIVE_INFINITY } = record;
      expect((expiresAtMs - bornAtMs) / 1000).toBeLessThanOrEqual(limit);
      if (answer === undefined) continue;
      expect(answer.auth.lease_duration).toBe((expiresAtMs - sim.clock.now()) / 1000);
      expect(answer.warnings !== null).toBe(answer.auth.lease_duration < (period ?? increment ?? granted ?? 0));
      granted = answer.auth.lease_duration;
      expect(sim.clock.pending().map(({ dueAtMs }) => dueAtMs)).toEqual([expiresAtMs]);
    }
  });
});

describe("a wrapped answer", () => {
  const act = fc.constantFrom("unwrap", "unwrapByHeader", "rewrap", "lookup", "misuse", "wait");
  property([fc.array(act, { maxLength: 12 })])("is opened once at most, whatever is tried", (acts) => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const root = main.as(main.rootToken);
    root.kv.write({ path: "a", v: 1 });
    const known = [root.kv.read({ path: "a" }, { wrapTtl: "1m" }).wrap_info?.token ?? ""];
    let opened = 0;
    for (const [index, what] of acts.entries()) {
      const token = known[index % known.length] ?? "";
      const unwrapped = attempt(() => {
        switch (what) {
          case "unwrap":
            return root.wrapping.unwrap({ token });
          case "unwrapByHeader":
            return main.as(token).wrapping.unwrap();
          case "rewrap":
            known.push(root.wrapping.rewrap({ token }).wrap_info?.token ?? "");
            return undefined;
          case "lookup":
            root.wrapping.lookup({ token });
            return undefined;
          case "misuse":
            main.as(token).kv.read({ path: "a" });
            return undefined;
          case "wait":
            sim.clock.advance("25s");
            return undefined;
          default:
            return what satisfies never;
        }
      });
      if (unwrapped !== undefined) opened += 1;
    }
    expect(opened).toBeLessThanOrEqual(1);
    const { wrapped, tokens } = localOf(sim);
    expect(wrapped.size).toBeLessThanOrEqual(1);
    for (const token of wrapped.keys()) expect(tokens.has(token)).toBe(true);
  });
});

function attempt<R>(call: () => R): R | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof Rejection) return undefined;
    throw error;
  }
}
