import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import type { CryptoKey, JWTPayload } from "jose";
import type { RsaKey } from "./rsa-test-keys.ts";

/**
 * A JWT signed with RS256. Equal claims and keys give equal bytes, every time and everywhere.
 *
 * Our choice: RSASSA-PKCS1-v1_5 is written out here because Web Crypto only signs in promises, and answers that are given at once
 * show tokens, too. A signature takes about 4 ms. What verifies is jose.
 *
 * @param claims as they stand in the token, in this order
 */
export function signJwt(claims: object, key: RsaKey): string {
  const header = { alg: "RS256", kid: key.kid, typ: "JWT" };
  const signed = `${encoded(header)}.${encoded(claims)}`;
  return `${signed}.${base64url(signature(utf8ToBytes(signed), key))}`;
}

/** The public half of a key, as a JWK. */
export function publicJwk({ kid, n, e }: RsaKey): PublicJwk {
  return { kty: "RSA", use: "sig", alg: "RS256", kid, n, e };
}

export interface PublicJwk {
  readonly kty: "RSA";
  readonly use: "sig";
  readonly alg: "RS256";
  readonly kid: string;
  readonly n: string;
  readonly e: string;
}

function encoded(value: object): string {
  return base64url(utf8ToBytes(JSON.stringify(value)));
}

function base64url(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const MODULUS_BYTES = 256;

/** What stands before a SHA-256 hash in what is signed (RFC 8017, 9.2, note 1). */
const DIGEST_INFO = "3031300d060960864801650304020105000420";

/** RFC 8017, 8.2.1, with the Chinese remainders of 5.1.2. */
function signature(message: Uint8Array, key: RsaKey): Uint8Array {
  const digest = DIGEST_INFO + bytesToHex(sha256(message));
  const padding = "ff".repeat(MODULUS_BYTES - 3 - digest.length / 2);
  const number = BigInt(`0x0001${padding}00${digest}`);
  const [p, q] = [numberOf(key.p), numberOf(key.q)];
  const left = power(number % p, numberOf(key.dp), p);
  const right = power(number % q, numberOf(key.dq), q);
  const difference = (((left - right) % p) + p) % p;
  const signed = right + q * ((difference * numberOf(key.qi)) % p);
  return hexToBytes(signed.toString(16).padStart(2 * MODULUS_BYTES, "0"));
}

function numberOf(text: string): bigint {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  let digits = "0x";
  for (let index = 0; index < binary.length; index++) digits += binary.charCodeAt(index).toString(16).padStart(2, "0");
  return BigInt(digits);
}

/** `base` to the power of `exponent`, four bits of it at a time. */
function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  const powers = [1n];
  for (let index = 1; index < 16; index++) powers.push(((powers[index - 1] as bigint) * base) % modulus);
  let result = 1n;
  for (const digit of exponent.toString(16)) {
    for (let squaring = 0; squaring < 4; squaring++) result = (result * result) % modulus;
    const factor = Number.parseInt(digit, 16);
    if (factor > 0) result = (result * (powers[factor] as bigint)) % modulus;
  }
  return result;
}

/** As `signJwt`, by Web Crypto through jose, which is imported when it is first needed: five times as fast for who can wait. */
export async function signJwtSoon(claims: JWTPayload, key: RsaKey): Promise<string> {
  const { importJWK, SignJWT } = await import("jose");
  let imported = importedKeys.get(key);
  if (imported === undefined) {
    imported = importJWK({ kty: "RSA", ...key }, "RS256") as Promise<CryptoKey>;
    importedKeys.set(key, imported);
  }
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: key.kid, typ: "JWT" }).sign(await imported);
}

/** Keys as Web Crypto takes them, by what they were made of. */
const importedKeys = new WeakMap<RsaKey, Promise<CryptoKey>>();
