import { fc, test as property } from "@fast-check/vitest";
import { p521 as reference } from "@noble/curves/nist.js";
import { describe, expect, test } from "vitest";
import { es512Signature } from "../../../src/languages/jws/es512.ts";
import { p521 } from "../../../src/languages/jws/p521.ts";
import { CURVES } from "../../../src/languages/jws/weierstrass.ts";

const { prime, order } = CURVES["P-521"];
const EDGES = [0n, 1n, 2n, 3n, prime - 3n, prime - 2n, prime - 1n, 2n ** 520n, 2n ** 520n - 1n, 2n ** 261n];
const elements = fc.oneof(fc.constantFrom(...EDGES), fc.bigInt({ min: 0n, max: prime - 1n }));
const scalars = fc.oneof(fc.constantFrom(1n, 2n, 3n, order - 1n), fc.bigInt({ min: 1n, max: order - 1n }));
const bytesOf = (scalar: bigint): Uint8Array => reference.Point.Fn.toBytes(scalar);

describe("P-521 over a field of its own", () => {
  property.prop([elements, elements], { numRuns: 300 })("computes as the library's field does", async (left, right) => {
    const [ours, theirs] = [(await p521()).Point.Fp, reference.Point.Fp];
    for (const name of ["add", "sub", "mul"] as const) {
      expect(ours[name](left, right)).toBe(theirs[name](left, right));
    }
    for (const name of ["neg", "sqr"] as const) expect(ours[name](left)).toBe(theirs[name](left));
    if (left !== 0n) expect(ours.mul(ours.inv(left), left)).toBe(1n);
  });

  test("computes at its edges", async () => {
    const [ours, theirs] = [(await p521()).Point.Fp, reference.Point.Fp];
    for (const left of EDGES) {
      for (const right of EDGES) {
        for (const name of ["add", "sub", "mul"] as const)
          expect(ours[name](left, right)).toBe(theirs[name](left, right));
      }
      expect(ours.neg(left)).toBe(theirs.neg(left));
    }
  });

  property.prop([scalars, fc.uint8Array()], { numRuns: 20 })(
    "signs and agrees as the library does",
    async (scalar, text) => {
      const ours = await p521();
      const secret = bytesOf(scalar);
      const signature = ours.sign(text, secret);
      expect(signature).toEqual(reference.sign(text, secret));
      const open = reference.getPublicKey(secret);
      expect(ours.getPublicKey(secret)).toEqual(open);
      expect(ours.verify(signature, text, open)).toBe(true);
      expect(ours.getSharedSecret(bytesOf(5n), open)).toEqual(reference.getSharedSecret(bytesOf(5n), open));
    },
  );

  test("signs as before when it has signed often", { timeout: 60_000 }, async () => {
    const first = await es512Signature("a text", "a seed");
    for (let count = 0; count < 250; count++) await es512Signature(`text ${count}`, "a seed");
    expect(await es512Signature("a text", "a seed")).toBe(first);
  });
});
