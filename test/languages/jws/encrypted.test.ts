import fc from "fast-check";
import { CompactEncrypt, compactDecrypt, compactVerify, importJWK } from "jose";
import { describe, expect, it, test } from "vitest";
import { base64url } from "../../../src/languages/jws/base64url.ts";
import { ecdsaSignature } from "../../../src/languages/jws/ecdsa.ts";
import {
  bytesOfPoint,
  decrypted,
  encrypted,
  pointOfBytes,
  publicPointOfSeed,
} from "../../../src/languages/jws/encrypted.ts";
import { keyMaterial, secretScalar } from "../../../src/languages/jws/key.ts";
import { property } from "../../support/property.ts";
import { runs } from "../../support/runs.ts";

// RFC 7516 and RFC 7518, checked against another implementation.

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function jwkOf(seed: string, isPrivate: boolean): Record<string, string> {
  const material = keyMaterial({ algorithm: "ES512", seed });
  if (material.kind !== "P-521") throw new Error("another curve");
  const jwk = { ...material.members } as Record<string, string>;
  return isPrivate ? { ...jwk, d: Buffer.from(material.secret).toString("base64url") } : jwk;
}

describe("text that is encrypted to a public key", () => {
  property([fc.string({ unit: "grapheme" }), fc.string(), fc.string()], runs(5))(
    "is read with the private half, theirs by us and ours by them",
    async (payload, to, seed) => {
      const token = await encrypted(payload, publicPointOfSeed(to), seed);
      expect(await decrypted(token, to)).toBe(payload);
      const key = await importJWK(jwkOf(to, true), "ECDH-ES");
      expect(text((await compactDecrypt(token, key)).plaintext)).toBe(payload);
      const theirs = await new CompactEncrypt(new TextEncoder().encode(payload))
        .setProtectedHeader({ alg: "ECDH-ES", enc: "A256GCM" })
        .encrypt(await importJWK(jwkOf(to, false), "ECDH-ES"));
      expect(await decrypted(theirs, to)).toBe(payload);
    },
    60_000,
  );

  test("has the same bytes for the same seed, and others for another one", async () => {
    const to = publicPointOfSeed("to");
    expect(await encrypted("x", to, "a")).toBe(await encrypted("x", to, "a"));
    expect(await encrypted("x", to, "a")).not.toBe(await encrypted("x", to, "b"));
  });

  test("is nothing to others, nor when a part of it was changed", async () => {
    const token = await encrypted("hello", publicPointOfSeed("to"), "seed");
    expect(await decrypted(token, "other")).toBeUndefined();
    const parts = token.split(".");
    for (const [index, value] of parts.entries()) {
      const other = value === "" ? "AA" : `${value.startsWith("A") ? "B" : "A"}${value.slice(1)}`;
      expect(await decrypted(parts.with(index, other).join("."), "to")).toBeUndefined();
    }
    const { epk } = JSON.parse(Buffer.from(parts[0] ?? "", "base64url").toString());
    const headers = [{}, [], null, { alg: "dir", enc: "A256GCM", epk }, { alg: "ECDH-ES", enc: "A128GCM", epk }];
    const points = [null, 1, { ...epk, crv: "P-256" }, { ...epk, x: 1 }, { ...epk, x: epk.y }, { ...epk, y: "AA" }];
    for (const header of [...headers, ...points.map((point) => ({ alg: "ECDH-ES", enc: "A256GCM", epk: point }))]) {
      expect(await decrypted([part(header as object), ...parts.slice(1)].join("."), "to")).toBeUndefined();
    }
    for (const damaged of ["", "....", "a.b", token.replace(".", "!."), `${token}.x`]) {
      expect(await decrypted(damaged, "to")).toBeUndefined();
    }
  });
});

describe("a point", () => {
  test("is read as it was written, and only when it lies on the curve", () => {
    const point = publicPointOfSeed("p");
    const bytes = bytesOfPoint(point);
    expect(bytes).toHaveLength(133);
    expect(pointOfBytes(bytes)).toEqual(point);
    expect(pointOfBytes(bytes.with(132, (bytes[132] as number) ^ 1))).toBeUndefined();
    expect(pointOfBytes(bytes.with(0, 2))).toBeUndefined();
    expect(pointOfBytes(bytes.subarray(1))).toBeUndefined();
    expect(pointOfBytes(new Uint8Array(133).fill(255, 1).with(0, 4))).toBeUndefined();
  });
});

it("signs so that others verify, and twice alike", async () => {
  const signed = `${part({ alg: "ES512" })}.${part({ a: 1 })}`;
  const signature = signatureBy("signer", signed);
  expect(signatureBy("signer", signed)).toBe(signature);
  const key = await importJWK(jwkOf("signer", false), "ES512");
  expect(text((await compactVerify(`${signed}.${signature}`, key)).payload)).toBe('{"a":1}');
  await expect(compactVerify(`${signed}.${signatureBy("other", signed)}`, key)).rejects.toThrow();
});

function signatureBy(seed: string, signed: string): string {
  return base64url(ecdsaSignature("P-521", new TextEncoder().encode(signed), secretScalar("P-521", seed)));
}
