import fc from "fast-check";
import { combine as theirCombine, split as theirSplit } from "shamir-secret-sharing";
import { describe, expect, it, test } from "vitest";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { Draw } from "../../../src/kernel/randomness.ts";
import { combine, split } from "../../../src/services/secrets/cluster/shamir.ts";
import { property } from "../../support/property.ts";
import { doors, send } from "../driver.ts";
import { expectData, expectDone, expectNothingChanged, expectRefused } from "../expectations.ts";

// decisions-secrets-core.md, D.4 and A.9 "Nothing fires".

const bytesOf = (share: string): Uint8Array => Uint8Array.from(atob(share), (character) => character.charCodeAt(0));
const hexOf = (share: string): string => [...bytesOf(share)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

function sealed(options = {}): { readonly sim: Simulator; readonly shares: readonly string[] } {
  const sim = createSimulator({ seed: 13, secrets: options });
  const main = sim.secrets.cluster("main");
  main.seal();
  return { sim, shares: main.keyShares };
}

const give = async (sim: Simulator, key: string | undefined): Promise<Record<string, unknown>> =>
  (await send(sim, "POST", "/v1/sys/unseal", { asking: { token: null }, body: JSON.stringify({ key }) }))
    .body as Record<string, unknown>;

describe("key shares", () => {
  property([fc.uint8Array({ minLength: 16, maxLength: 64 }), fc.integer({ min: 2, max: 9 }), fc.nat(), fc.integer()])(
    "make the secret with any threshold of them, theirs and ours alike, and not with fewer",
    async (secret, shares, extra, seed) => {
      const threshold = 2 + (extra % (shares - 1));
      const draw = new Draw(`${seed}`);
      const ours = split(secret, shares, threshold, draw);
      const some = draw.shuffle(ours).slice(0, threshold);
      expect(combine(some)).toEqual(secret);
      expect(await theirCombine(some)).toEqual(secret);
      expect(combine(some.slice(1)) ?? new Uint8Array(0)).not.toEqual(secret);
      const theirs = (await theirSplit(secret, shares, threshold)).map((share) => new Uint8Array(share));
      expect(combine(draw.shuffle(theirs).slice(0, threshold))).toEqual(secret);
    },
  );

  test("are of one length, with their own place last", () => {
    const { shares } = sealed();
    expect(shares.map((share) => bytesOf(share).length)).toEqual([33, 33, 33, 33, 33]);
    expect(new Set(shares.map((share) => bytesOf(share)[32])).size).toBe(5);
  });

  test("that are no shares make nothing", () => {
    const two = split(new Uint8Array(16), 2, 2, new Draw("two"));
    expect(combine([])).toBeUndefined();
    expect(combine([two[0] as Uint8Array, two[0] as Uint8Array])).toBeUndefined();
    expect(combine([two[0] as Uint8Array, new Uint8Array(3)])).toBeUndefined();
    expect(combine([new Uint8Array(17), two[1] as Uint8Array])).toBeUndefined();
  });

  it.each([
    [1, 1],
    [3, 1],
    [3, 3],
    [255, 2],
  ])("%i of which %i are enough, unseal", async (keyShares, keyThreshold) => {
    const { sim, shares } = sealed({ keyShares, keyThreshold });
    for (const key of shares.slice(-keyThreshold)) await give(sim, key);
    expect((await send(sim, "GET", "/v1/sys/seal-status")).body).toMatchObject({
      sealed: false,
      t: keyThreshold,
      n: keyShares,
    });
  });
});

describe("unsealing", () => {
  it("goes share by share, in base64 or hexadecimal, under one nonce", async () => {
    const { sim, shares } = sealed();
    expect((await send(sim, "GET", "/v1/sys/seal-status")).body).toEqual({
      type: "shamir",
      initialized: true,
      sealed: true,
      t: 3,
      n: 5,
      progress: 0,
      nonce: "",
      version: "1.15.0",
      build_date: expect.any(String),
      migration: false,
      recovery_seal: false,
      storage_type: "raft",
    });
    const first = await give(sim, shares[0]);
    expect(first).toMatchObject({ sealed: true, progress: 1, nonce: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    await expectNothingChanged(sim, async () => expect(await give(sim, hexOf(shares[0] ?? ""))).toEqual(first));
    expect(await give(sim, hexOf(shares[4] ?? ""))).toMatchObject({ sealed: true, progress: 2, nonce: first["nonce"] });
    expect(await give(sim, shares[2])).toMatchObject({ sealed: false, progress: 0, nonce: "", cluster_name: "main" });
    await expectNothingChanged(sim, async () =>
      expect(await give(sim, shares[3])).toMatchObject({ sealed: false, progress: 0 }),
    );
  });

  it("begins anew after a reset, and when the shares do not fit", async () => {
    const { sim, shares } = sealed();
    await give(sim, shares[0]);
    const reset = await send(sim, "POST", "/v1/sys/unseal", { body: '{"reset": true}' });
    expect(reset.body).toMatchObject({ progress: 0, nonce: "" });
    await give(sim, shares[0]);
    await give(sim, btoa("x".repeat(33)));
    expectRefused(
      await send(sim, "POST", "/v1/sys/unseal", { body: JSON.stringify({ key: shares[1] }) }),
      400,
      "unseal",
    );
    expect((await send(sim, "GET", "/v1/sys/seal-status")).body).toMatchObject({
      sealed: true,
      progress: 0,
      nonce: "",
    });
    for (const key of shares.slice(0, 3)) await give(sim, key);
    expect((await send(sim, "GET", "/v1/sys/seal-status")).body).toMatchObject({ sealed: false });
  });

  it.each([
    ["neither field", {}],
    ["an empty share", { key: "" }],
    ["too short a share", { key: btoa("x".repeat(15)) }],
    ["too long a share", { key: btoa("x".repeat(34)) }],
    ["what is no encoding", { key: "%%%" }],
    ["a list", { key: ["x"] }],
  ])("refuses %s", async (_rule, body) => {
    const { sim } = sealed();
    await expectNothingChanged(sim, async () => {
      expect((await send(sim, "POST", "/v1/sys/unseal", { body: JSON.stringify(body) })).status).toBe(400);
    });
  });

  it("refuses a reset of what is open", async () => {
    const sim = createSimulator();
    expect((await send(sim, "POST", "/v1/sys/unseal", { body: '{"reset": true}' })).status).toBe(400);
  });
});

describe.each(doors())("a sealed cluster, through %s,", (_, { open }) => {
  it("is sealed from the next request on, by root and by sudo", async () => {
    const sim = createSimulator();
    const door = open(sim);
    expectDone(await door.call("seal.seal"));
    expectRefused(await door.call("kv.list"), 503, "sealed");
    expectRefused(await door.call("seal.leader"), 503, "sealed");
    expectRefused(await door.call("kv.list", {}, { token: null, namespace: "nowhere" }), 503, "sealed");
    expect((await door.call("health.read")).status).toBe(503);
    expect((await door.call("health.read", { sealedcode: 200 })).status).toBe(200);
  });

  it("fires nothing; what is overdue happens in order when it is unsealed", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const [late, early] = ["2m", "1m"].map((ttl) => main.createToken({ policies: [], ttl }).token);
    main.seal();
    expect(sim.clock.pending()).toEqual([]);
    expect(sim.clock.advance("1h")).toEqual([]);
    const { position } = sim;
    main.unseal();
    const ended = sim.log
      .commits()
      .slice(position + 1)
      .map(({ command }) => (command.input as { token: string }).token);
    expect(ended).toEqual([early, late]);
    expectRefused(await open(sim).call("tokens.lookupSelf", {}, { token: late ?? "" }), 403, "permission denied");
  });

  it("takes no control call that needs its storage", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    main.seal();
    const rejected = expect.objectContaining({ code: "sealed", status: 503 });
    await expectNothingChanged(sim, () => {
      expect(() => main.createToken({ policies: [] })).toThrow(rejected);
      expect(() => main.writePolicy("p", "")).toThrow(rejected);
      expect(() => main.mount("x", { type: "kv" })).toThrow(rejected);
      expect(() => main.createNamespace("x")).toThrow(rejected);
      main.seal();
    });
    main.unseal();
    expectData(await open(sim).call("tokens.lookupSelf"));
  });

  it("answers wrong methods of what it serves, and knows nothing of replication", async () => {
    const { sim } = sealed();
    for (const path of ["health", "seal-status", "unseal"]) {
      const method = path === "unseal" ? "GET" : "DELETE";
      expectRefused(await send(sim, method, `/v1/sys/${path}`), 405, "unsupported operation");
    }
    expectRefused(await send(sim, "DELETE", "/v1/sys/leader"), 503, "sealed");
    expect((await send(sim, "GET", "/v1/sys/health")).body).toMatchObject({
      standby: true,
      replication_performance_mode: "unknown",
      replication_dr_mode: "unknown",
    });
  });
});
