import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inverse } from "../../../src/languages/jws/modular.ts";
import { CURVES } from "../../../src/languages/jws/weierstrass.ts";
import { property } from "../../support/property.ts";
import { runs } from "../../support/runs.ts";

describe("an inverse", () => {
  const { prime, order } = CURVES["P-521"];
  const moduli = fc.constantFrom(prime, order, CURVES["P-256"].prime, CURVES["P-384"].order, 2n ** 127n - 1n, 97n);
  const values = fc.oneof(
    fc.bigInt({ min: 1n, max: 2n ** 64n }),
    fc.bigInt({ min: 1n, max: prime - 1n }),
    fc.bigInt({ min: -prime, max: -1n }),
    fc.integer({ min: 0, max: 520 }).map((exponent) => 2n ** BigInt(exponent)),
  );

  property([values, moduli], runs(500))("makes 1 with what it is of", (value, modulus) => {
    fc.pre(value % modulus !== 0n);
    const found = inverse(value, modulus);
    expect(found >= 0n && found < modulus).toBe(true);
    expect((((found * value) % modulus) + modulus) % modulus).toBe(1n);
  });

  property([fc.bigInt({ min: 2n ** 2040n, max: 2n ** 2048n })], runs(20))(
    "is found of numbers that no double holds",
    (number) => {
      const modulus = number * 2n + 1n;
      expect((inverse(2n, modulus) * 2n) % modulus).toBe(1n);
      expect((inverse(modulus - 2n, modulus) * (modulus - 2n)) % modulus).toBe(1n);
    },
  );

  test("of neighbours of powers of two is found as well", () => {
    for (let exponent = 2n; exponent < 521n; exponent++) {
      for (const value of [2n ** exponent - 1n, 2n ** exponent, 2n ** exponent + 1n, prime - 2n ** exponent]) {
        expect((inverse(value, prime) * value) % prime).toBe(1n);
        expect((inverse(value, order) * value) % order).toBe(1n);
      }
    }
  });
});
