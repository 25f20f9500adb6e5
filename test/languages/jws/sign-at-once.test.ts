import fc from "fast-check";
import { importJWK, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { keyMaterial } from "../../../src/languages/jws/key.ts";
import { signedToken } from "../../../src/languages/jws/sign.ts";
import { signedTokenAtOnce } from "../../../src/languages/jws/sign-at-once.ts";
import { property } from "../../support/property.ts";
import { runs } from "../../support/runs.ts";

const keyOf = (readyPair: number) => ({ algorithm: "RS256", seed: "", readyPair, kid: `key ${readyPair}` }) as const;

describe("a token that is signed at once", () => {
  property([fc.record({ sub: fc.string({ unit: "binary" }), exp: fc.nat() }), fc.nat({ max: 8 })], runs(20))(
    "has the bytes of one that is waited for",
    async (claims, pair) => {
      expect(signedTokenAtOnce(keyOf(pair), claims)).toBe(await signedToken(keyOf(pair), claims));
    },
  );

  test("verifies by the public key, and only as it is", async () => {
    const publicKey = await importJWK(keyMaterial(keyOf(1)).members, "RS256");
    const jwt = signedTokenAtOnce(keyOf(1), { sub: "ünïcödé 🔑" });
    expect((await jwtVerify(jwt, publicKey)).payload).toEqual({ sub: "ünïcödé 🔑" });
    const [header, , signature] = jwt.split(".");
    const [, claims] = signedTokenAtOnce(keyOf(1), { sub: "another" }).split(".");
    await expect(jwtVerify(`${header}.${claims}.${signature}`, publicKey)).rejects.toThrow("signature");
  });
});
