import { inverse, mod } from "./modular.ts";

/** A curve y² = x³ - 3x + b over a prime field, as FIPS 186-5 names three. */
export interface Curve {
  readonly prime: bigint;
  readonly order: bigint;
  readonly x: bigint;
  readonly y: bigint;
  /** Bytes of a coordinate. */
  readonly size: number;
}

export type CurveName = "P-256" | "P-384" | "P-521";

export const CURVES: Readonly<Record<CurveName, Curve>> = {
  "P-256": {
    prime: 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
    order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
    x: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
    y: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
    size: 32,
  },
  "P-384": {
    prime: 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffffn,
    order: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
    x: 0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7n,
    y: 0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5fn,
    size: 48,
  },
  "P-521": {
    prime: 2n ** 521n - 1n,
    order:
      0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
    x: 0xc6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66n,
    y: 0x11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650n,
    size: 66,
  },
};

/** A point in Jacobian coordinates; `z` 0 is the point at infinity. */
interface Jacobian {
  readonly x: bigint;
  readonly y: bigint;
  readonly z: bigint;
}

/** The public point of a private scalar: the base point added to itself so many times. */
export function publicPoint(curve: Curve, scalar: bigint): { readonly x: bigint; readonly y: bigint } {
  let sum: Jacobian = { x: 0n, y: 1n, z: 0n };
  for (const digit of scalar.toString(2)) {
    sum = doubled(sum, curve.prime);
    if (digit === "1") sum = addedBase(sum, curve);
  }
  const { prime } = curve;
  const z = inverse(sum.z, prime);
  const square = (z * z) % prime;
  return { x: (sum.x * square) % prime, y: (((sum.y * square) % prime) * z) % prime };
}

/** Source of the formulas: the Explicit-Formulas Database, "dbl-2001-b". */
function doubled({ x, y, z }: Jacobian, prime: bigint): Jacobian {
  const delta = (z * z) % prime;
  const gamma = (y * y) % prime;
  const beta = (x * gamma) % prime;
  const alpha = (3n * (x - delta) * (x + delta)) % prime;
  const x3 = mod(alpha * alpha - 8n * beta, prime);
  return {
    x: x3,
    y: mod(alpha * (4n * beta - x3) - 8n * gamma * gamma, prime),
    z: mod((y + z) * (y + z) - gamma - delta, prime),
  };
}

/** Source: the same, "madd-2007-bl". The two points are never equal: a scalar is below the order. */
function addedBase({ x, y, z }: Jacobian, { prime, x: baseX, y: baseY }: Curve): Jacobian {
  if (z === 0n) return { x: baseX, y: baseY, z: 1n };
  const square = (z * z) % prime;
  const h = mod(baseX * square - x, prime);
  const r = mod(2n * (((baseY * z) % prime) * square - y), prime);
  const i = (4n * h * h) % prime;
  const j = (h * i) % prime;
  const v = (x * i) % prime;
  const x3 = mod(r * r - j - 2n * v, prime);
  return { x: x3, y: mod(r * (v - x3) - 2n * y * j, prime), z: (2n * z * h) % prime };
}
