import type { Algorithm } from "./algorithms.ts";
import { base64url, bytesOfNumber, numberOfBytes } from "./base64url.ts";
import { ed25519PublicKey } from "./edwards.ts";
import { inverse } from "./modular.ts";
import { pairOfSeed, RSA_EXPONENT, readyPair } from "./rsa.ts";
import { stretched } from "./stretch.ts";
import { CURVES, type CurveName, publicPoint } from "./weierstrass.ts";

/** What a key pair is made of. It is the whole of it: its material follows, and is made when somebody needs it. */
export interface KeySeed {
  readonly algorithm: Algorithm;
  readonly seed: string;
  /** For RSA: the primes are a pair that is ready, instead of being searched from the seed. */
  readonly readyPair?: number;
}

/** The members of a public key that its type has of its own (RFC 7518, 6; RFC 8037). */
export type PublicMembers =
  | { readonly kty: "RSA"; readonly n: string; readonly e: string }
  | { readonly kty: "EC"; readonly crv: CurveName; readonly x: string; readonly y: string }
  | { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly x: string };

/** A key pair. */
export type KeyMaterial =
  | { readonly kind: "RSA"; readonly members: PublicMembers; readonly privateJwk: RsaPrivateJwk }
  | { readonly kind: CurveName | "Ed25519"; readonly members: PublicMembers; readonly secret: Uint8Array };

export interface RsaPrivateJwk {
  readonly kty: "RSA";
  readonly n: string;
  readonly e: string;
  readonly d: string;
  readonly p: string;
  readonly q: string;
  readonly dp: string;
  readonly dq: string;
  readonly qi: string;
}

/** Key pairs by what they are made of. */
const made = new WeakMap<KeySeed, KeyMaterial>();

/** The key pair of a seed: equal seeds, equal keys, on every platform. */
export function keyMaterial(key: KeySeed): KeyMaterial {
  let material = made.get(key);
  if (material === undefined) {
    material = materialOf(key);
    made.set(key, material);
  }
  return material;
}

function materialOf(key: KeySeed): KeyMaterial {
  switch (key.algorithm) {
    case "RS256":
    case "RS384":
    case "RS512":
      return rsaMaterial(key);
    case "ES256":
      return ecMaterial("P-256", key);
    case "ES384":
      return ecMaterial("P-384", key);
    case "ES512":
      return ecMaterial("P-521", key);
    case "EdDSA":
      return edMaterial(key);
    default:
      return key.algorithm satisfies never;
  }
}

/** The private scalar of a seed on a curve. */
export function secretScalar(crv: CurveName, seed: string): bigint {
  const curve = CURVES[crv];
  // Eight bytes more than the order has: then the remainder is as good as even.
  return (numberOfBytes(stretched(seed, crv, curve.size + 8)) % (curve.order - 1n)) + 1n;
}

function ecMaterial(crv: CurveName, { seed }: KeySeed): KeyMaterial {
  const curve = CURVES[crv];
  const scalar = secretScalar(crv, seed);
  const { x, y } = publicPoint(curve, scalar);
  const text = (coordinate: bigint): string => base64url(bytesOfNumber(coordinate, curve.size));
  return { kind: crv, members: { kty: "EC", crv, x: text(x), y: text(y) }, secret: bytesOfNumber(scalar, curve.size) };
}

function edMaterial({ seed }: KeySeed): KeyMaterial {
  const secret = stretched(seed, "Ed25519", 32);
  return { kind: "Ed25519", members: { kty: "OKP", crv: "Ed25519", x: base64url(ed25519PublicKey(secret)) }, secret };
}

function rsaMaterial({ seed, readyPair: ready }: KeySeed): KeyMaterial {
  const { p, q } = ready === undefined ? pairOfSeed(seed) : readyPair(ready);
  const d = inverse(RSA_EXPONENT, (p - 1n) * (q - 1n));
  const text = (number: bigint, length: number): string => base64url(bytesOfNumber(number, length));
  const members = { kty: "RSA", n: text(p * q, 256), e: text(RSA_EXPONENT, 3) } as const;
  const privateJwk = {
    ...members,
    d: text(d, 256),
    p: text(p, 128),
    q: text(q, 128),
    dp: text(d % (p - 1n), 128),
    dq: text(d % (q - 1n), 128),
    qi: text(inverse(q, p), 128),
  };
  return { kind: "RSA", members, privateJwk };
}
