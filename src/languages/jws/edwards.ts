import { sha512 } from "@noble/hashes/sha2.js";
import { bytesOfNumber, numberOfBytes } from "./base64url.ts";
import { inverse, mod } from "./modular.ts";

const PRIME = 2n ** 255n - 19n;
const D = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n;

/** A point of edwards25519 in extended coordinates (RFC 8032, 5.1.4). */
interface Extended {
  readonly x: bigint;
  readonly y: bigint;
  readonly z: bigint;
  readonly t: bigint;
}

const BASE_X = 0x216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51an;
const BASE_Y = 0x6666666666666666666666666666666666666666666666666666666666666658n;
const BASE: Extended = { x: BASE_X, y: BASE_Y, z: 1n, t: (BASE_X * BASE_Y) % PRIME };

/** The Ed25519 public key of a private one, both of 32 bytes (RFC 8032, 5.1.5). */
export function ed25519PublicKey(secret: Uint8Array): Uint8Array {
  const half = sha512(secret).slice(0, 32);
  half[0] = (half[0] as number) & 248;
  half[31] = ((half[31] as number) & 127) | 64;
  let sum: Extended = { x: 0n, y: 1n, z: 1n, t: 0n };
  for (const digit of numberOfBytes(half.reverse()).toString(2)) {
    sum = added(sum, sum);
    if (digit === "1") sum = added(sum, BASE);
  }
  const z = inverse(sum.z, PRIME);
  const x = (sum.x * z) % PRIME;
  const encoded = bytesOfNumber((sum.y * z) % PRIME, 32).reverse();
  encoded[31] = (encoded[31] as number) | Number((x & 1n) << 7n);
  return encoded;
}

/** Complete: it adds a point to itself as well (RFC 8032, 5.1.4). */
function added(left: Extended, right: Extended): Extended {
  const a = ((left.y - left.x) * (right.y - right.x)) % PRIME;
  const b = ((left.y + left.x) * (right.y + right.x)) % PRIME;
  const c = (((left.t * 2n * D) % PRIME) * right.t) % PRIME;
  const d = (left.z * 2n * right.z) % PRIME;
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return { x: mod(e * f, PRIME), y: mod(g * h, PRIME), z: mod(f * g, PRIME), t: mod(e * h, PRIME) };
}
