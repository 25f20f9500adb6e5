import { decrypt, generateKey, readMessage, readPrivateKey } from "openpgp";
import { beforeAll, describe, expect, it, test } from "vitest";
import { rehearse, replay } from "../../../../src/index.ts";
import { doors, type OperationName } from "../../driver.ts";
import { drPair } from "./dr-secondary.ts";
import { statusOf } from "./replicated-world.ts";

// decisions-replication.md, 8.1 and 8.3: a token for who has the private key, checked with a real OpenPGP library.

interface Pair {
  readonly publicKey: string;
  readonly privateKey: string;
  readonly fingerprint: string;
}

let curve: Pair;
let rsa: Pair;

async function newPair(type: "ecc" | "rsa"): Promise<Pair> {
  const { publicKey, privateKey } = await generateKey({ userIDs: [{ name: "Ann" }], type, format: "object" });
  return {
    publicKey: base64(publicKey.write()),
    privateKey: privateKey.armor(),
    fingerprint: publicKey.getFingerprint(),
  };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

beforeAll(async () => {
  curve = await newPair("ecc");
  rsa = await newPair("rsa");
});

async function opened(encoded: string, { privateKey }: Pair): Promise<string> {
  const message = await readMessage({ binaryMessage: Buffer.from(encoded, "base64") });
  const { data } = await decrypt({ message, decryptionKeys: await readPrivateKey({ armoredKey: privateKey }) });
  return data as string;
}

describe.each(doors())("a PGP key through %s", (_, { open }) => {
  it.each(["curve", "rsa"] as const)("covers the token: %s", async (which) => {
    const pair = which === "curve" ? curve : rsa;
    const { sim, b } = await drPair();
    const door = open(sim, "b");
    const call = (verb: string, fields = {}) =>
      door.call(`replication.dr.operationToken.${verb}` as OperationName, fields, { token: null });
    const started = await call("start", { pgp_key: pair.publicKey });
    const { nonce } = started.body as { nonce: string };
    const running = { started: true, nonce, required: 3, complete: false, pgp_fingerprint: pair.fingerprint };
    // No pad, and no length of one.
    expect(started.body).toEqual({ ...running, progress: 0, encoded_token: "" });
    expect(pair.fingerprint).toMatch(/^[0-9a-f]{40}$/);
    expect((await call("attempt")).body).toEqual(started.body);
    for (const key of b.keyShares.slice(0, 2)) await call("update", { key, nonce });
    const last = (await call("update", { key: b.keyShares[4], nonce })).body as { encoded_token: string };
    expect(last).toMatchObject({ ...running, progress: 3, complete: true });
    const token = await opened(last.encoded_token, pair);
    expect(token).toMatch(/^scs\.[A-Za-z0-9]{24}$/);
    expect((await call("attempt")).body).toMatchObject({ started: false });
    b.as().replication.dr.promote({ dr_operation_token: token });
    expect(statusOf(b, "dr")["mode"]).toBe("primary");
  });

  it.each([
    ["no base64", () => "***"],
    ["no key at all", () => base64(new TextEncoder().encode("hello"))],
    ["a key with an armour", () => Buffer.from(curve.privateKey).toString("base64")],
    ["half a key", () => curve.publicKey.slice(0, 100)],
  ])("that is %s is refused, and no attempt runs", async (_name, key) => {
    const { sim } = await drPair();
    const door = open(sim, "b");
    const refused = await door.call("replication.dr.operationToken.start", { pgp_key: key() }, { token: null });
    expect(refused.status).toBe(400);
    expect(refused.errors).toContain("PGP key");
    expect(sim.secrets.cluster("b").as().replication.dr.operationToken.attempt()).toMatchObject({ started: false });
  });

  test("comes too late for an attempt that runs, and is not taken from who sends what is prepared", async () => {
    const { sim, b } = await drPair();
    const door = open(sim, "b");
    const start = (fields: object) => door.call("replication.dr.operationToken.start", { ...fields }, { token: null });
    const forged = { pgp_key: "AAAA", prepared: { fingerprint: "0".repeat(40) } };
    expect(await start(forged)).toMatchObject({ status: 400, code: "pgp_key_malformed" });
    await start({});
    expect(await start({ pgp_key: curve.publicKey })).toMatchObject({ status: 400, code: "generation_in_progress" });
    expect(b.as().replication.dr.operationToken.attempt()).not.toHaveProperty("pgp_fingerprint");
  });
});

test("what was encrypted stands in the log, so that it is not made again", async () => {
  const { sim, b } = await drPair();
  const { operationToken } = b.as().replication.dr;
  const { nonce } = await operationToken.start({ pgp_key: curve.publicKey });
  for (const key of b.keyShares.slice(0, 2)) await operationToken.update({ key, nonce });
  const { encoded_token } = await operationToken.update({ key: b.keyShares[2] as string, nonce });
  expect(sim.log.commits().at(-1)?.command.input).toMatchObject({ prepared: encoded_token });
  const log = sim.log.toNdjson();
  expect(replay(log).stateHash()).toBe(sim.stateHash());
  expect(await rehearse(log)).toEqual({ ok: true });
});

test("who reaches the end of a stopped cluster's attempt finds nobody there", async () => {
  const { sim, b } = await drPair();
  const { operationToken } = b.as().replication.dr;
  const starting = operationToken.start({ pgp_key: curve.publicKey });
  sim.network.stop(b);
  await expect(starting).rejects.toThrow("fetch failed");
  sim.network.start(b);
  expect(operationToken.attempt()).toMatchObject({ started: false });
});
