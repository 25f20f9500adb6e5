import { ed25519 } from "@noble/curves/ed25519.js";
import { p256, p384, p521 } from "@noble/curves/nist.js";
import { compactVerify, importJWK } from "jose";
import { describe, expect, it } from "vitest";
import { ALGORITHMS, type Algorithm } from "../../../src/languages/jws/algorithms.ts";
import { type KeySeed, keyMaterial } from "../../../src/languages/jws/key.ts";
import { READY_PAIRS, readyPair } from "../../../src/languages/jws/rsa.ts";
import { RSA_PRIMES } from "../../../src/languages/jws/rsa-primes.ts";
import { signedToken } from "../../../src/languages/jws/sign.ts";

const keyOf = (algorithm: Algorithm, seed = "seed", ready: number | null = 7): KeySeed & { kid: string } => ({
  algorithm,
  seed,
  kid: "kid-1",
  ...(algorithm.startsWith("RS") && ready !== null ? { readyPair: ready } : {}),
});

const publicKey = (key: KeySeed) => importJWK({ ...keyMaterial(key).members }, key.algorithm);

describe.each(ALGORITHMS)("signatures of %s", (algorithm) => {
  it("verify against the public key, under a header of algorithm and key id", async () => {
    const key = keyOf(algorithm);
    const token = await signedToken(key, { sub: "ünïcödé 🔑", iat: 1 });
    const { payload, protectedHeader } = await compactVerify(token, await publicKey(key));
    expect(JSON.parse(new TextDecoder().decode(payload))).toEqual({ sub: "ünïcödé 🔑", iat: 1 });
    expect(protectedHeader).toEqual({ alg: algorithm, kid: "kid-1" });
  });

  it("are the same bytes every time, from keys that were made apart", async () => {
    expect(await signedToken(keyOf(algorithm), { iat: 1 })).toBe(await signedToken(keyOf(algorithm), { iat: 1 }));
  });

  it("do not verify against the key of another seed", async () => {
    const token = await signedToken(keyOf(algorithm), { iat: 1 });
    await expect(compactVerify(token, await publicKey(keyOf(algorithm, "other", 8)))).rejects.toThrow("signature");
  });
});

describe("key material", () => {
  it.each([
    ["ES256", p256],
    ["ES384", p384],
    ["ES512", p521],
  ] as const)("of %s is the public point that a reference finds", (algorithm, curve) => {
    for (const seed of ["a", "b", "c"]) {
      const material = keyMaterial(keyOf(algorithm, seed));
      if (material.kind === "RSA" || material.members.kty !== "EC") throw new Error("a curve was asked for");
      const { x, y } = curve.Point.fromBytes(curve.getPublicKey(material.secret)).toAffine();
      const size = material.secret.length;
      const text = (coordinate: bigint) =>
        Buffer.from(coordinate.toString(16).padStart(2 * size, "0"), "hex").toString("base64url");
      expect(material.members).toEqual({ kty: "EC", crv: material.kind, x: text(x), y: text(y) });
    }
  });

  it("of EdDSA is the public key that a reference finds", () => {
    for (const seed of ["a", "b", "c", "d"]) {
      const material = keyMaterial(keyOf("EdDSA", seed));
      if (material.kind !== "Ed25519") throw new Error("a curve was asked for");
      const x = Buffer.from(ed25519.getPublicKey(material.secret)).toString("base64url");
      expect(material.members).toEqual({ kty: "OKP", crv: "Ed25519", x });
    }
  });

  it("of RSA without a ready pair is searched from the seed, and signs as well", { tags: "full" }, async () => {
    const key = keyOf("RS256", "searched", null);
    const token = await signedToken({ ...key }, { iat: 1 });
    await expect(compactVerify(token, await publicKey({ ...key }))).resolves.toMatchObject({
      protectedHeader: { alg: "RS256" },
    });
    expect(keyMaterial(keyOf("RS256", "elsewhere", null)).members).not.toEqual(keyMaterial(key).members);
  });

  it("has ready pairs that differ in their modulus, each of 2048 bits", () => {
    const moduli = new Set<bigint>();
    for (let pair = 0; pair < READY_PAIRS; pair++) {
      const { p, q } = readyPair(pair);
      expect((p * q).toString(2)).toHaveLength(2048);
      moduli.add(p * q);
    }
    expect(moduli.size).toBe((RSA_PRIMES.length * (RSA_PRIMES.length - 1)) / 2);
    expect(() => readyPair(READY_PAIRS)).toThrow(RangeError);
  });
});
