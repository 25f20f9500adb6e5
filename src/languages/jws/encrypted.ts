import { sha256 } from "@noble/hashes/sha2.js";
import { base64url, bytesOfBase64url, bytesOfNumber, numberOfBytes } from "./base64url.ts";
import { secretScalar } from "./key.ts";
import { stretched } from "./stretch.ts";
import { CURVES, multiple, type Point, publicPoint } from "./weierstrass.ts";

// Compact JWE (RFC 7516) with ECDH-ES on P-521 and AES-256-GCM (RFC 7518, 4.6 and 5.3). All that is random comes from a seed, so that
// equal seeds make equal bytes. What it takes to encrypt is loaded when it is first needed.

const CURVE = CURVES["P-521"];
const HEADER = { alg: "ECDH-ES", enc: "A256GCM" } as const;
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The public key of a seed. */
export function publicPointOfSeed(seed: string): Point {
  return publicPoint(CURVE, secretScalar("P-521", seed));
}

/** A point as SEC 1 writes it without compression: 133 bytes. */
export function bytesOfPoint({ x, y }: Point): Uint8Array {
  return Uint8Array.from([4, ...bytesOfNumber(x, CURVE.size), ...bytesOfNumber(y, CURVE.size)]);
}

/** The point that such bytes are; undefined for what is none of the curve. */
export function pointOfBytes(bytes: Uint8Array): Point | undefined {
  if (bytes.length !== 1 + 2 * CURVE.size || bytes[0] !== 4) return undefined;
  const x = numberOfBytes(bytes.subarray(1, 1 + CURVE.size));
  const y = numberOfBytes(bytes.subarray(1 + CURVE.size));
  return isOnCurve(x, y) ? { x, y } : undefined;
}

/** Source: FIPS 186-5 by way of SP 800-186, 3.2.1.5. */
const B =
  0x0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n;

function isOnCurve(x: bigint, y: bigint): boolean {
  const { prime } = CURVE;
  if (x >= prime || y >= prime) return false;
  return (y * y - (x * x * x - 3n * x + B)) % prime === 0n;
}

/** Plain text for whoever has the private half of a public key. */
export async function encrypted(payload: string, to: Point, seed: string): Promise<string> {
  const { x, y } = publicPointOfSeed(seed);
  const coordinate = (value: bigint): string => base64url(bytesOfNumber(value, CURVE.size));
  const epk = { kty: "EC", crv: "P-521", x: coordinate(x), y: coordinate(y) };
  const header = base64url(utf8(JSON.stringify({ ...HEADER, epk })));
  const iv = stretched(seed, "iv", IV_BYTES);
  const key = sharedKey(seed, to);
  const { gcm } = await import("@noble/ciphers/aes.js");
  const sealed = gcm(key, iv, utf8(header)).encrypt(utf8(payload));
  const [text, tag] = [sealed.subarray(0, -TAG_BYTES), sealed.subarray(-TAG_BYTES)];
  return [header, "", base64url(iv), base64url(text), base64url(tag)].join(".");
}

/** The plain text of such a token, for the seed of the private half; undefined for what that does not open. */
export async function decrypted(token: string, seed: string): Promise<string | undefined> {
  const parts = token.split(".");
  if (parts.length !== 5) return undefined;
  const [header = "", wrapped, ...others] = parts;
  const point = pointOfHeader(header);
  const [iv, text, tag] = others.map(bytesOfBase64url);
  if (wrapped !== "" || point === undefined || iv === undefined || text === undefined || tag === undefined)
    return undefined;
  if (iv.length !== IV_BYTES || tag.length !== TAG_BYTES) return undefined;
  const key = sharedKey(seed, point);
  const { gcm } = await import("@noble/ciphers/aes.js");
  try {
    return new TextDecoder().decode(gcm(key, iv, utf8(header)).decrypt(Uint8Array.from([...text, ...tag])));
  } catch {
    return undefined;
  }
}

function pointOfHeader(header: string): Point | undefined {
  const { alg, enc, epk } = (jsonOf(header) ?? {}) as { readonly [name: string]: unknown };
  if (alg !== HEADER.alg || enc !== HEADER.enc || typeof epk !== "object" || epk === null) return undefined;
  const { crv, x, y } = epk as { readonly [name: string]: unknown };
  if (crv !== "P-521" || typeof x !== "string" || typeof y !== "string") return undefined;
  const [left, right] = [bytesOfBase64url(x), bytesOfBase64url(y)];
  if (left?.length !== CURVE.size || right?.length !== CURVE.size) return undefined;
  return pointOfBytes(Uint8Array.from([4, ...left, ...right]));
}

/** What a part of a token says as JSON; undefined for what is none. */
export function jsonOf(part: string): unknown {
  const bytes = bytesOfBase64url(part);
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** RFC 7518, 4.6.2: one round of the Concat KDF over what both ends agree on. */
function sharedKey(seed: string, other: Point): Uint8Array {
  const agreed = bytesOfNumber(multiple(CURVE, secretScalar("P-521", seed), other).x, CURVE.size);
  const algorithm = utf8(HEADER.enc);
  return sha256(
    Uint8Array.from([
      ...word(1),
      ...agreed,
      ...word(algorithm.length),
      ...algorithm,
      ...word(0),
      ...word(0),
      ...word(KEY_BYTES * 8),
    ]),
  );
}

function word(value: number): Uint8Array {
  return bytesOfNumber(BigInt(value), 4);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
