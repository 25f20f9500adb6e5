import type { IField } from "@noble/curves/abstract/modular.js";
import type { ECDSA, weierstrass } from "@noble/curves/abstract/weierstrass.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { CURVES } from "./weierstrass.ts";

/** The curve, by the library's function that made it: its table of multiples is made once. */
const made = new WeakMap<typeof weierstrass, ECDSA>();

/**
 * The curve P-521 of the library, over a field of our own. Its prime is 2^521 - 1, so a product is reduced by adding its upper half to
 * its lower one, where the library divides: that halves the time of a signature.
 */
export async function p521(): Promise<ECDSA> {
  const [{ Field }, { ecdsa, weierstrass }] = await Promise.all([
    import("@noble/curves/abstract/modular.js"),
    import("@noble/curves/abstract/weierstrass.js"),
  ]);
  let curve = made.get(weierstrass);
  if (curve === undefined) {
    const { prime, order, x, y } = CURVES["P-521"];
    const own = Object.getOwnPropertyDescriptors(mersenne(prime));
    const Fp = Object.create(Field(prime), own) as IField<bigint>;
    const Point = weierstrass({ p: prime, n: order, h: 1n, a: prime - 3n, b: B, Gx: x, Gy: y }, { Fp });
    Point.BASE.precompute(WINDOW_BITS);
    curve = ecdsa(Point, sha512);
    made.set(weierstrass, curve);
  }
  return curve;
}

/** FIPS 186-5 by way of SP 800-186, 3.2.1.5. */
const B =
  0x51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n;

/**
 * The first signature waits for a table of multiples, which the library makes for windows of 6 bits: that takes twice as long as one for
 * 4, and a process that tells a story signs a few times.
 */
const WINDOW_BITS = 4;

const BITS = 521n;

/** What is computed most, for a prime that is one less than a power of two. Both sides are reduced already. */
function mersenne(prime: bigint): Pick<IField<bigint>, "add" | "sub" | "neg" | "mul" | "sqr"> {
  const reduced = (product: bigint): bigint => below((product & prime) + (product >> BITS));
  const below = (sum: bigint): bigint => (sum >= prime ? sum - prime : sum);
  return {
    add: (left, right) => below(left + right),
    sub: (left, right) => (left >= right ? left - right : left - right + prime),
    neg: (value) => (value === 0n ? 0n : prime - value),
    mul: (left, right) => reduced(left * right),
    sqr: (value) => reduced(value * value),
  };
}
