import { hmac } from "@noble/hashes/hmac.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { concatBytes } from "@noble/hashes/utils.js";
import { bytesOfNumber, numberOfBytes } from "./base64url.ts";
import { baseMultiple } from "./comb.ts";
import { inverse } from "./modular.ts";
import { CURVES, type Curve, type CurveName } from "./weierstrass.ts";

/** The hash that goes with a curve (RFC 7518, 3.4). */
const HASHES = { "P-256": sha256, "P-384": sha384, "P-521": sha512 } as const;
type Hash = (typeof HASHES)[CurveName];

/** Where the nonces of a key come from. */
interface Nonces {
  /** How many binary digits one has at most. */
  readonly digits: (curve: Curve) => number;
  /** One after the other for a message whose hash is known, until one is good. */
  readonly of: (curve: Curve, hash: Hash, secret: bigint, message: bigint) => Iterable<bigint>;
}

/**
 * The signature of ECDSA over a message (FIPS 186-5, 6.4), both its numbers as bytes. Of the two that are as good it is the one with the
 * smaller second number. Equal keys and messages, equal bytes.
 *
 * @param nonces by default those of RFC 6979
 */
export function ecdsaSignature(
  name: CurveName,
  message: Uint8Array,
  secret: bigint,
  nonces: Nonces = NONCES_OF_RFC_6979,
): Uint8Array {
  const curve = CURVES[name];
  const { order, size } = curve;
  const hash = numberOfBytes(HASHES[name](message)) % order;
  for (const nonce of nonces.of(curve, HASHES[name], secret, hash)) {
    const r = baseMultiple(curve, nonce, nonces.digits(curve)).x % order;
    const s = (inverse(nonce, order) * (hash + r * secret)) % order;
    if (r === 0n || s === 0n) continue;
    return concatBytes(bytesOfNumber(r, size), bytesOfNumber(2n * s > order ? order - s : s, size));
  }
  throw new Error("there is always another nonce");
}

const NONCES_OF_RFC_6979: Nonces = { digits: ({ order }) => order.toString(2).length, of: noncesOfRfc6979 };

/**
 * Our choice: short ones, with which a signature is just as good and takes a third of the time. They would tell a key to whoever has some
 * signatures, and so does its seed: nothing here is a secret from the one who simulates.
 */
export const SHORT_NONCES: Nonces = { digits: () => SHORT_NONCE_BITS, of: shortNonces };

/** As long as two that are equal are not to be expected. */
const SHORT_NONCE_BITS = 128;

function* shortNonces({ size }: Curve, hash: Hash, secret: bigint, message: bigint): Generator<bigint> {
  const key = bytesOfNumber(secret, size);
  for (let bytes = bytesOfNumber(message, size); ; ) {
    bytes = hmac(hash, key, bytes);
    yield numberOfBytes(bytes.subarray(0, SHORT_NONCE_BITS / 8));
  }
}

/** RFC 6979, 3.2. */
function* noncesOfRfc6979({ order, size }: Curve, hash: Hash, secret: bigint, message: bigint): Generator<bigint> {
  const seed = concatBytes(bytesOfNumber(secret, size), bytesOfNumber(message, size));
  let value = new Uint8Array(hash.outputLen).fill(1);
  let key = new Uint8Array(hash.outputLen);
  const next = (...more: Uint8Array[]): void => {
    if (more.length > 0) key = hmac(hash, key, concatBytes(value, ...more));
    value = hmac(hash, key, value);
  };
  const surplus = BigInt(8 * size - order.toString(2).length);
  next(Uint8Array.of(0), seed);
  next(Uint8Array.of(1), seed);
  for (;;) {
    let bytes = new Uint8Array();
    while (bytes.length < size) {
      next();
      bytes = concatBytes(bytes, value);
    }
    const nonce = numberOfBytes(bytes.subarray(0, size)) >> surplus;
    if (nonce > 0n && nonce < order) yield nonce;
    next(Uint8Array.of(0));
  }
}
