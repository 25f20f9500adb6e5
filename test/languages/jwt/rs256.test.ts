import { createPrivateKey, createSign } from "node:crypto";
import { fc, test as property } from "@fast-check/vitest";
import { calculateJwkThumbprint, importJWK, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { publicJwk, signJwt, signJwtSoon } from "../../../src/languages/jwt/rs256.ts";
import { RSA_TEST_KEYS, type RsaKey } from "../../../src/languages/jwt/rsa-test-keys.ts";

const [first] = RSA_TEST_KEYS as readonly [RsaKey];

describe.each(RSA_TEST_KEYS.map((key) => [key.kid, key] as const))("the key %s", (kid, key) => {
  test("is called by its thumbprint, and its public half holds nothing secret", async () => {
    expect(await calculateJwkThumbprint(publicJwk(key))).toBe(kid);
    expect(Object.keys(publicJwk(key)).sort()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
  });

  test("signs what jose verifies, and nothing else", async () => {
    const jwt = signJwt({ sub: "ünïcödé 🔑", exp: 2_000 }, key);
    const publicKey = await importJWK(publicJwk(key));
    const { payload, protectedHeader } = await jwtVerify(jwt, publicKey, { currentDate: new Date(1_999_999) });
    expect(payload).toEqual({ sub: "ünïcödé 🔑", exp: 2_000 });
    expect(protectedHeader).toEqual({ alg: "RS256", kid, typ: "JWT" });
    const [header, , signature] = jwt.split(".");
    const [, others] = signJwt({ sub: "other", exp: 2_000 }, key).split(".");
    await expect(jwtVerify(`${header}.${others}.${signature}`, publicKey)).rejects.toThrow("signature");
  });
});

property.prop([fc.record({ sub: fc.string({ unit: "binary" }) })], { numRuns: 25 })(
  "has the bytes that every implementation of RS256 makes",
  async (claims) => {
    const jwt = signJwt(claims, first);
    const signed = jwt.slice(0, jwt.lastIndexOf("."));
    const { kid: _, ...jwk } = first;
    const key = createPrivateKey({ format: "jwk", key: { kty: "RSA", ...jwk } });
    expect(jwt.slice(signed.length + 1)).toBe(createSign("sha256").update(signed).sign(key, "base64url"));
    expect(await signJwtSoon(claims, first)).toBe(jwt);
  },
);

test("a signature is made in some milliseconds", () => {
  const startMs = performance.now();
  for (let index = 0; index < 20; index++) signJwt({ index }, first);
  expect((performance.now() - startMs) / 20).toBeLessThan(60);
});
