import { p256, p384, p521 } from "@noble/curves/nist.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { numberOfBytes } from "../../../src/languages/jws/base64url.ts";
import { baseMultiple } from "../../../src/languages/jws/comb.ts";
import { ecdsaSignature, SHORT_NONCES } from "../../../src/languages/jws/ecdsa.ts";
import { CURVES, multiple, publicPoint } from "../../../src/languages/jws/weierstrass.ts";
import { property } from "../../support/property.ts";
import { runs } from "../../support/runs.ts";

describe.each([
  ["P-256", p256],
  ["P-384", p384],
  ["P-521", p521],
] as const)("%s", (name, reference) => {
  const curve = CURVES[name];
  const { prime, order } = curve;
  const edges = [0n, 1n, 2n, 3n, prime - 3n, prime - 2n, prime - 1n, prime, prime + 1n, 2n * prime, prime ** 2n];
  const digits = order.toString(2).length;
  const half = digits / 2;
  const scalars = fc.oneof(
    fc.constantFrom(1n, 2n, 3n, 2n ** BigInt(Math.floor(half)), order / 2n, order - 2n, order - 1n),
    fc.bigInt({ min: 1n, max: order - 1n }),
  );
  const elements = fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min: -(prime ** 2n), max: 12n * prime ** 2n }));

  property([elements], runs(300))("shortens numbers to what they are by its prime", (value) => {
    for (const each of [value, -value]) {
      const short = curve.reduced(each);
      expect((short - each) % prime).toBe(0n);
      expect(short.toString(2).length).toBeLessThan(prime.toString(2).length + 6);
    }
  });

  property([scalars], runs(30))("multiplies its base point alike in both ways, and as a reference does", (scalar) => {
    const { x, y } = reference.Point.BASE.multiply(scalar).toAffine();
    expect(baseMultiple(curve, scalar, digits)).toEqual({ x, y });
    expect(publicPoint(curve, scalar)).toEqual({ x, y });
  });

  const ofDigits = (length: number): fc.Arbitrary<{ readonly length: number; readonly scalar: bigint }> =>
    fc.bigInt({ min: 1n, max: 2n ** BigInt(length) - 1n }).map((scalar) => ({ length, scalar }));
  property([fc.integer({ min: 1, max: digits - 1 }).chain(ofDigits)], runs(30))(
    "multiplies its base point by short scalars as by any",
    ({ length, scalar }) => {
      const { x, y } = reference.Point.BASE.multiply(scalar).toAffine();
      expect(baseMultiple(curve, scalar, length)).toEqual({ x, y });
    },
  );

  property([scalars, scalars], runs(20))("agrees on a point from either end", (left, right) => {
    const shared = multiple(curve, left, publicPoint(curve, right));
    expect(multiple(curve, right, publicPoint(curve, left))).toEqual(shared);
    expect(shared).toEqual(reference.Point.BASE.multiply(left).multiply(right).toAffine());
  });

  property([scalars, fc.uint8Array()], runs(30))("signs as a reference does", (secret, message) => {
    const key = reference.Point.Fn.toBytes(secret);
    const signature = ecdsaSignature(name, message, secret);
    expect(signature).toEqual(reference.sign(message, key));
    expect(numberOfBytes(key)).toBe(secret);
  });

  property([scalars, fc.uint8Array(), fc.uint8Array()], runs(30))(
    "signs with short nonces what a reference verifies, alike each time, and no two messages with one",
    (secret, message, other) => {
      const publicKey = reference.getPublicKey(reference.Point.Fn.toBytes(secret));
      const signature = ecdsaSignature(name, message, secret, SHORT_NONCES);
      expect(reference.verify(signature, message, publicKey)).toBe(true);
      expect(ecdsaSignature(name, message, secret, SHORT_NONCES)).toEqual(signature);
      const r = (of: Uint8Array): Uint8Array => ecdsaSignature(name, of, secret, SHORT_NONCES).subarray(0, curve.size);
      expect(fc.stringify(r(message)) === fc.stringify(r(other))).toBe(fc.stringify(message) === fc.stringify(other));
    },
  );
});

// RFC 6979, A.2.7: what the RFC signs has the greater of two second numbers, and the smaller is its opposite.
test("signs with the nonces of RFC 6979", () => {
  const secret =
    0x0fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75caa896eb32f1f47c70855836a6d16fcc1466f6d8fbec67db89ec0c08b0e996b83538n;
  const signature = ecdsaSignature("P-521", new TextEncoder().encode("sample"), secret);
  expect(numberOfBytes(signature.subarray(0, 66))).toBe(
    0x0c328fafcbd79dd77850370c46325d987cb525569fb63c5d3bc53950e6d4c5f174e25a1ee9017b5d450606add152b534931d7d4e8455cc91f9b15bf05ec36e377fan,
  );
});
