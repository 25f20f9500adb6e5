import { inverse, mod } from "./modular.ts";

/** A curve y² = x³ - 3x + b over a prime field, as FIPS 186-5 names three. */
export interface Curve {
  readonly prime: bigint;
  readonly order: bigint;
  readonly x: bigint;
  readonly y: bigint;
  /** Bytes of a coordinate. */
  readonly size: number;
  /** A number that is the same modulo the prime, and about as long. */
  readonly reduced: (value: bigint) => bigint;
}

export type CurveName = "P-256" | "P-384" | "P-521";

const P256 = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const P384 = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffffn;
const P521_BITS = 521n;
const P521 = 2n ** P521_BITS - 1n;

export const CURVES: Readonly<Record<CurveName, Curve>> = {
  "P-256": {
    prime: P256,
    reduced: (value) => value % P256,
    order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
    x: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
    y: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
    size: 32,
  },
  "P-384": {
    prime: P384,
    reduced: (value) => value % P384,
    order: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
    x: 0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7n,
    y: 0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5fn,
    size: 48,
  },
  "P-521": {
    prime: P521,
    reduced: folded,
    order:
      0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
    x: 0xc6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66n,
    y: 0x11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650n,
    size: 66,
  },
};

/**
 * The prime of P-521 is one less than a power of two, so that the upper half of a product may be added to its lower one instead of
 * dividing it: a sixth of the price. One fold is enough for nearly all that comes here.
 */
function folded(value: bigint): bigint {
  let rest = value;
  do rest = (rest & P521) + (rest >> P521_BITS);
  while (rest > LONG || rest < -LONG);
  return rest;
}

/** What is a few bits longer than the prime is as quick to compute with. */
const LONG = 2n ** 525n;

/** A point by its coordinates on the curve; the point at infinity has none. */
export interface Point {
  readonly x: bigint;
  readonly y: bigint;
}

/** A point in coordinates that add without a division: it lies at x / zz and y / zzz, and where `zz` is 0 at infinity. */
export interface Sum extends Point {
  readonly zz: bigint;
  readonly zzz: bigint;
}

export const INFINITY: Sum = Object.freeze({ x: 1n, y: 1n, zz: 0n, zzz: 0n });

/** The public point of a private scalar. */
export function publicPoint(curve: Curve, scalar: bigint): Point {
  return multiple(curve, scalar, curve);
}

/** A point added to itself so many times. */
export function multiple(curve: Curve, scalar: bigint, point: Point): Point {
  let sum = INFINITY;
  for (const digit of scalar.toString(2)) {
    sum = doubled(curve, sum);
    if (digit === "1") sum = added(curve, sum, point);
  }
  return pointOf(curve, sum);
}

/** Where a sum lies that is not at infinity. */
export function pointOf({ prime }: Curve, { x, y, zz, zzz }: Sum): Point {
  const cube = inverse(zzz, prime);
  const root = (zz * cube) % prime;
  return { x: mod(x * root * root, prime), y: mod(y * cube, prime) };
}

/** Source of the formulas: the Explicit-Formulas Database, "dbl-2008-s-1" in XYZZ coordinates. */
export function doubled({ reduced }: Curve, { x, y, zz, zzz }: Sum): Sum {
  const u = y + y;
  const v = reduced(u * u);
  const w = reduced(u * v);
  const s = reduced(x * v);
  const m = reduced(3n * (x - zz) * (x + zz));
  const x3 = reduced(m * m - s - s);
  return { x: x3, y: reduced(m * (s - x3) - w * y), zz: reduced(v * zz), zzz: reduced(w * zzz) };
}

/** Source: the same, "madd-2008-s". The two points are never equal, nor opposite: a scalar is below the order. */
export function added({ reduced }: Curve, { x, y, zz, zzz }: Sum, point: Point): Sum {
  if (zz === 0n) return { x: point.x, y: point.y, zz: 1n, zzz: 1n };
  const p = reduced(point.x * zz) - x;
  const r = reduced(point.y * zzz) - y;
  const pp = reduced(p * p);
  const ppp = reduced(p * pp);
  const q = reduced(x * pp);
  const x3 = reduced(r * r - ppp - q - q);
  return { x: x3, y: reduced(r * (q - x3) - y * ppp), zz: reduced(zz * pp), zzz: reduced(zzz * ppp) };
}
