import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { replay } from "../../../../src/index.ts";
import { encodedToken } from "../../../../src/services/secrets/replication/operation-tokens/encoded.ts";
import { property } from "../../../support/property.ts";
import { type Answer, doors, type OperationName, send } from "../../driver.ts";
import { expectNothingChanged } from "../../expectations.ts";
import { type DrPair, decoded, drPair, generatedToken, hexOf } from "./dr-secondary.ts";
import { join, replicatedWorld, rootOf, statusOf } from "./replicated-world.ts";

// decisions-replication.md, 8.1 to 8.3.

const ATTEMPT = "/v1/sys/replication/dr/secondary/generate-operation-token/attempt";
const UPDATE = "/v1/sys/replication/dr/secondary/generate-operation-token/update";
const NOT_STARTED = { started: false, nonce: "", progress: 0, required: 3, encoded_token: "", complete: false };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

type Body = Record<string, unknown>;

describe.each(doors())("a token is generated through %s", (_, { open }) => {
  const caller = (pair: DrPair, cluster = "b") => {
    const door = open(pair.sim, cluster);
    return async (verb: string, fields = {}): Promise<Answer> =>
      door.call(`replication.dr.operationToken.${verb}` as OperationName, fields, { token: null });
  };

  test("with as many shares as the set's key asks for", async () => {
    const pair = await drPair();
    const call = caller(pair);
    expect((await call("attempt")).body).toEqual(NOT_STARTED);
    const started = await call("start", {});
    const { nonce, otp } = started.body as { nonce: string; otp: string };
    expect(started).toMatchObject({ status: 200 });
    expect(started.body).toEqual({ ...NOT_STARTED, started: true, nonce, otp, otp_length: 28 });
    expect(nonce).toMatch(UUID);
    expect(otp).toMatch(/^[A-Za-z0-9]{28}$/);
    for (const [index, key] of pair.b.keyShares.slice(0, 2).entries()) {
      const progress = index + 1;
      const expected = { ...NOT_STARTED, started: true, nonce, progress };
      expect((await call("update", { key, nonce })).body).toEqual(expected);
      // Easily missed 24: what was shown once is not shown again.
      expect((await call("attempt")).body).toEqual(expected);
    }
    const last = (await call("update", { key: pair.b.keyShares[2], nonce })).body as Body;
    const { encoded_token: encoded } = last as { encoded_token: string };
    expect(last).toEqual({ ...NOT_STARTED, started: true, nonce, progress: 3, encoded_token: encoded, complete: true });
    expect(encoded).toMatch(/^[A-Za-z0-9+/]+$/);
    expect(decoded(encoded, otp)).toMatch(/^scs\.[A-Za-z0-9]{24}$/);
    // Easily missed 22.
    expect((await call("attempt")).body).toEqual(NOT_STARTED);
    pair.b.as().replication.dr.promote({ dr_operation_token: decoded(encoded, otp) });
    expect(statusOf(pair.b, "dr")["mode"]).toBe("primary");
  });

  test("with another pad than the one that a caller sends", async () => {
    const call = caller(await drPair());
    const { otp, otp_length } = (await call("start", { otp: "A".repeat(28) })).body as Body;
    expect(otp).not.toBe("A".repeat(28));
    expect(otp_length).toBe(28);
  });

  test("one attempt at a time: a second one leaves the first as it was", async () => {
    const pair = await drPair();
    const call = caller(pair);
    const { nonce, otp } = (await call("start")).body as { nonce: string; otp: string };
    await call("update", { key: pair.b.keyShares[0], nonce });
    const refused = await call("start");
    expect(refused.status).toBe(400);
    expect(refused.errors).toContain("already in progress");
    expect((await call("attempt")).body).toMatchObject({ nonce, progress: 1 });
    await call("update", { key: pair.b.keyShares[1], nonce });
    const { encoded_token } = (await call("update", { key: pair.b.keyShares[2], nonce })).body as Body;
    expect(decoded(encoded_token as string, otp)).toMatch(/^scs\./);
  });

  test("no more, once the attempt was cancelled", async () => {
    const pair = await drPair();
    const call = caller(pair);
    expect((await call("cancel")).status).toBe(204);
    const { nonce } = (await call("start")).body as { nonce: string };
    expect((await call("cancel")).status).toBe(204);
    expect((await call("attempt")).body).toEqual(NOT_STARTED);
    expect((await call("update", { key: pair.b.keyShares[0], nonce })).status).toBe(400);
    expect((await call("start")).body).not.toMatchObject({ nonce });
  });

  // 8.2: each row is refused for what it names, whatever else is wrong in the rows below it.
  it.each([
    ["no key", () => ({}), "key"],
    ["an empty key", () => ({ key: "" }), "key"],
    ["a key that is neither hexadecimal nor base64", () => ({ key: "***" }), "hexadecimal or base64"],
    ["too few bytes", () => ({ key: "ab".repeat(15) }), "16 to 33 bytes"],
    ["too many bytes", () => ({ key: "ab".repeat(34) }), "16 to 33 bytes"],
    ["no attempt", ([key]: readonly string[]) => ({ key, nonce: "x" }), "no DR operation token generation"],
  ] as const)("not with %s, before an attempt", async (_name, fields, text) => {
    const pair = await drPair();
    const refused = await caller(pair)("update", fields(pair.b.keyShares));
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.errors).toContain(text);
  });

  it.each([
    ["no key", () => ({}), "key"],
    ["an unreadable key", () => ({ key: "***" }), "hexadecimal or base64"],
    ["a short key", () => ({ key: "ab".repeat(15) }), "16 to 33 bytes"],
    ["no nonce", ([key]: readonly string[]) => ({ key }), "incorrect nonce"],
    ["another nonce", ([key]: readonly string[]) => ({ key, nonce: "x" }), "incorrect nonce"],
  ] as const)("not with %s, and the attempt goes on", async (_name, fields, text) => {
    const pair = await drPair();
    const call = caller(pair);
    const { nonce } = (await call("start")).body as { nonce: string };
    await call("update", { key: pair.b.keyShares[1], nonce });
    const refused = await call("update", fields(pair.b.keyShares));
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.errors).toContain(text);
    expect((await call("attempt")).body).toMatchObject({ started: true, nonce, progress: 1 });
  });

  test("a share counts once, whatever its encoding", async () => {
    const pair = await drPair();
    const call = caller(pair);
    const { nonce } = (await call("start")).body as { nonce: string };
    const [share = ""] = pair.b.keyShares;
    expect((await call("update", { key: share, nonce })).body).toMatchObject({ progress: 1 });
    for (const key of [share, hexOf(share), hexOf(share).toUpperCase()]) {
      const refused = await call("update", { key, nonce });
      expect(refused).toMatchObject({ status: 400 });
      expect(refused.errors).toContain("already been provided");
    }
    expect((await call("attempt")).body).toMatchObject({ progress: 1 });
  });

  test("a text that is both is hexadecimal, if that makes the bytes of a share", async () => {
    const call = caller(await drPair());
    const { nonce } = (await call("start")).body as { nonce: string };
    const asHex = (length: number): string => Buffer.alloc(length, 0xab).toString("hex");
    // 22 bytes in hexadecimal, and 33 in base64.
    expect((await call("update", { key: asHex(22), nonce })).body).toMatchObject({ progress: 1 });
    const same = Buffer.alloc(22, 0xab).toString("base64");
    expect(await call("update", { key: same, nonce })).toMatchObject({ code: "generation_share_repeated" });
    // 10 bytes in hexadecimal are none; in base64 they are 15, and no share either.
    expect(await call("update", { key: asHex(10), nonce })).toMatchObject({ code: "generation_share_length" });
    // 12 bytes in hexadecimal are none, and 18 in base64 are.
    expect((await call("update", { key: asHex(12), nonce })).body).toMatchObject({ progress: 2 });
  });

  test("a forged share is noticed at the threshold, and the attempt begins anew under its nonce and pad", async () => {
    const pair = await drPair();
    const call = caller(pair);
    const { nonce, otp } = (await call("start")).body as { nonce: string; otp: string };
    const [one, two, three] = pair.b.keyShares;
    expect((await call("update", { key: "ab".repeat(33), nonce })).body).toMatchObject({ progress: 1 });
    expect((await call("update", { key: one, nonce })).body).toMatchObject({ progress: 2 });
    const aborted = await call("update", { key: two, nonce });
    expect(aborted).toMatchObject({ status: 400 });
    expect(aborted.errors).toMatch(/aborted|failed to compute/);
    expect((await call("attempt")).body).toMatchObject({ started: true, nonce, progress: 0 });
    await call("update", { key: three, nonce });
    await call("update", { key: two, nonce });
    const { encoded_token } = (await call("update", { key: one, nonce })).body as Body;
    expect(decoded(encoded_token as string, otp)).toMatch(/^scs\./);
  });

  test("with the primary's shares, and not with those that the cluster was born with", async () => {
    const world = replicatedWorld(["a", "b"]);
    const [a, b] = [world.cluster("a"), world.cluster("b")];
    const own = b.keyShares;
    a.as(a.rootToken).replication.dr.primaryEnable();
    await join("dr", a, b);
    expect(b.keyShares).toEqual(a.keyShares);
    const call = caller({ ...world, a, b });
    const { nonce } = (await call("start")).body as { nonce: string };
    for (const key of own.slice(0, 2)) await call("update", { key, nonce });
    expect(await call("update", { key: own[2], nonce })).toMatchObject({ status: 400 });
    for (const key of a.keyShares.slice(2, 4)) await call("update", { key, nonce });
    expect((await call("update", { key: a.keyShares[4], nonce })).body).toMatchObject({ complete: true });
  });

  it.each(["attempt", "start", "cancel", "update"])(
    "not on another cluster: %s is 400, without any token",
    async (verb) => {
      const pair = await drPair();
      for (const cluster of ["a", "c"]) {
        const refused = await caller(pair, cluster)(verb);
        expect(refused.status).toBe(400);
        expect(refused.errors).toContain("not a DR secondary");
      }
    },
  );

  test("deleted, it is unknown, and others are not", async () => {
    const pair = await drPair();
    const [one, two] = [await generatedToken(pair.b), await generatedToken(pair.b)];
    const call = caller(pair);
    expect(await call("delete", { dr_operation_token: one })).toMatchObject({ status: 204 });
    const again = await call("delete", { dr_operation_token: one });
    expect(again).toMatchObject({ status: 403 });
    expect(again.errors).toContain("permission denied");
    expect(await call("delete", { dr_operation_token: two })).toMatchObject({ status: 204 });
    const none = await call("delete", {});
    expect(none).toMatchObject({ status: 400 });
    expect(none.errors).toContain("dr_operation_token");
  });
});

describe("over HTTP, an attempt", () => {
  const asking = { token: null };

  test("is a bare object, read in any namespace and changed in the root alone", async () => {
    const pair = await drPair();
    pair.a.createNamespace("team");
    const inTeam = { cluster: "b", asking: { token: null, namespace: "team" } };
    expect(await send(pair.sim, "GET", ATTEMPT, inTeam)).toMatchObject({ status: 200, body: NOT_STARTED });
    for (const [method, path] of [
      ["POST", ATTEMPT],
      ["DELETE", ATTEMPT],
      ["POST", UPDATE],
    ] as const) {
      expect(await send(pair.sim, method, path, inTeam)).toMatchObject({ status: 404 });
    }
  });

  test("is refused for a body that is no JSON", async () => {
    const { sim } = await drPair();
    for (const path of [ATTEMPT, UPDATE]) {
      expect(await send(sim, "POST", path, { cluster: "b", asking, body: "{" })).toMatchObject({ status: 400 });
    }
  });

  test("is not answered while the cluster is sealed", async () => {
    const { sim, b } = await drPair();
    b.seal();
    expect(await send(sim, "GET", ATTEMPT, { cluster: "b", asking })).toMatchObject({ status: 503 });
  });

  test("refused changes nothing", async () => {
    const { sim, b } = await drPair();
    await expectNothingChanged(sim, () => send(sim, "POST", UPDATE, { cluster: "b", asking, body: '{"key":"x"}' }));
    const { nonce } = await b.as().replication.dr.operationToken.start();
    const body = JSON.stringify({ key: "***", nonce });
    await expectNothingChanged(sim, () => send(sim, "POST", UPDATE, { cluster: "b", asking, body }));
  });
});

describe("an operation token", () => {
  test("is worthless in the header, and what counts there is worthless as one", async () => {
    const { sim, a, b } = await drPair();
    const token = await generatedToken(b);
    const path = "/v1/sys/replication/dr/secondary/promote";
    const asHeader = await send(sim, "POST", path, { cluster: "b", asking: { token } });
    expect(asHeader).toMatchObject({ status: 400 });
    expect(asHeader.errors).toContain("dr_operation_token");
    for (const other of [a.rootToken, b.rootToken, "scs.unknown"]) {
      const body = JSON.stringify({ dr_operation_token: other });
      expect(await send(sim, "POST", path, { cluster: "b", body })).toMatchObject({ status: 403 });
    }
    await expect(a.as(token).replication.dr.operationToken.start()).rejects.toMatchObject({ status: 400 });
    expect(await send(sim, "GET", "/v1/auth/token/lookup-self", { cluster: "a", asking: { token } })).toMatchObject({
      status: 403,
    });
  });

  test("has no TTL, survives a restart and is not replicated", async () => {
    const { sim, a, b } = await drPair();
    const token = await generatedToken(b);
    sim.clock.advance("3650d");
    sim.network.stop(b);
    sim.network.start(b);
    b.seal();
    b.unseal();
    b.as().replication.dr.promote({ dr_operation_token: token });
    expect(statusOf(b, "dr")["mode"]).toBe("primary");
    expect(statusOf(a, "dr")["mode"]).toBe("primary");
  });

  test("of one secondary is unknown to another", async () => {
    const { cluster, a, b } = await drPair();
    const c = cluster("c");
    await join("dr", a, c, "c");
    const token = await generatedToken(b);
    expect(() => c.as().replication.dr.promote({ dr_operation_token: token })).toThrow("permission denied");
  });

  test("survives a promotion that was refused, and update-primary, with the attempt that runs", async () => {
    const { a, b, sim } = await drPair({ syncDurations: { diff: "10s" } });
    sim.clock.advance("20s");
    const token = await generatedToken(b);
    const { nonce } = await b.as().replication.dr.operationToken.start();
    const { dr } = a.as(a.rootToken).replication;
    dr.revokeSecondary({ id: "b" });
    const activation = (await dr.secondaryToken({ id: "b" })).wrap_info?.token ?? "";
    await b.as().replication.dr.updatePrimary({ dr_operation_token: token, token: activation });
    expect(() => b.as().replication.dr.promote({ dr_operation_token: token })).toThrow("not safe");
    expect(b.as().replication.dr.operationToken.attempt()).toMatchObject({ started: true, nonce });
    b.as().replication.dr.promote({ dr_operation_token: token, force: true });
    expect(statusOf(b, "dr")["mode"]).toBe("primary");
  });

  it.each(["promote", "disable"] as const)("vanishes with all others and the running attempt on %s", async (how) => {
    const { a, b } = await drPair();
    const [token, other] = [await generatedToken(b), await generatedToken(b)];
    await b.as().replication.dr.operationToken.start();
    const { dr } = b.as().replication;
    if (how === "promote") dr.promote({ dr_operation_token: token });
    else dr.secondaryDisable({ dr_operation_token: token });
    expect(() => dr.operationToken.attempt()).toThrow("not a DR secondary");
    // As a secondary once more it begins without any.
    const root = b.as(rootOf(b)).replication.dr;
    if (how === "promote") root.primaryDisable();
    await join("dr", a, b, "again");
    expect(dr.operationToken.attempt()).toEqual(NOT_STARTED);
    expect(() => dr.operationToken.delete({ dr_operation_token: other })).toThrow("permission denied");
  });

  test("comes back by replay, and the log decides alike", async () => {
    const { sim, b } = await drPair();
    const token = await generatedToken(b);
    const again = replay(sim.log.toNdjson());
    expect(again.stateHash()).toBe(sim.stateHash());
    again.secrets.cluster("b").as().replication.dr.promote({ dr_operation_token: token });
  });
});

describe("shares", () => {
  property([fc.integer({ min: 1, max: 5 }), fc.nat(), fc.infiniteStream(fc.boolean())])(
    "make a token, any that are enough, in any order and encoding",
    async (threshold, order, inHex) => {
      const { b } = await drPair({ keyThreshold: threshold, keyShares: 5 });
      const shares = [...b.keyShares].sort(
        (left, right) => (left + order < right + order ? 1 : -1) * (order % 2 ? 1 : -1),
      );
      const first = order % (6 - threshold);
      const some = shares.slice(first, first + threshold).map((share) => (inHex.next().value ? hexOf(share) : share));
      expect(await generatedToken(b, some)).toMatch(/^scs\.[A-Za-z0-9]{24}$/);
    },
    15_000,
  );

  property([fc.integer({ min: 2, max: 5 }), fc.nat(), fc.uint8Array({ minLength: 33, maxLength: 33 })])(
    "of which one is forged are taken up to the last, and then make nothing",
    async (threshold, place, bytes) => {
      const { b } = await drPair({ keyThreshold: threshold, keyShares: 5 });
      const forged = Buffer.from(bytes).toString("base64");
      fc.pre(!b.keyShares.includes(forged));
      const given = b.keyShares.slice(0, threshold);
      given.splice(place % threshold, 1, forged);
      const { operationToken } = b.as().replication.dr;
      const { nonce } = await operationToken.start();
      for (const [index, key] of given.slice(0, -1).entries()) {
        expect(await operationToken.update({ key, nonce })).toMatchObject({ progress: index + 1 });
      }
      await expect(operationToken.update({ key: given.at(-1) ?? "", nonce })).rejects.toMatchObject({
        code: "generation_aborted",
      });
      expect(operationToken.attempt()).toMatchObject({ started: true, nonce, progress: 0 });
    },
    15_000,
  );

  test("of a key that one holder has are the key itself", async () => {
    const { b } = await drPair({ keyThreshold: 1, keyShares: 1 });
    expect(b.keyShares.map((share) => Buffer.from(share, "base64").length)).toEqual([32]);
    expect(await generatedToken(b)).toMatch(/^scs\./);
  });
});

property([fc.stringMatching(/^[A-Za-z0-9.]{28}$/), fc.stringMatching(/^[A-Za-z0-9]{28}$/)])(
  "an encoded token and its pad make the token by base64 and XOR alone",
  (token, otp) => {
    const encoded = encodedToken(token, otp);
    expect(encoded).not.toContain("=");
    expect(decoded(encoded, otp)).toBe(token);
    expect(decoded(`${encoded}==`, otp)).toBe(token);
  },
);
