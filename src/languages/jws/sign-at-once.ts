import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { base64url, bytesOfNumber, numberOfBytes } from "./base64url.ts";
import { type KeySeed, keyMaterial, type RsaPrivateJwk } from "./key.ts";
import { power } from "./modular.ts";

/**
 * As `signedToken`, byte for byte, for keys of RS256 and for who cannot wait: Web Crypto signs in promises only, and an answer that
 * is given at once may show a token, too. It takes some milliseconds, several times as long.
 */
export function signedTokenAtOnce(
  key: KeySeed & { readonly algorithm: "RS256"; readonly kid: string },
  claims: object,
): string {
  const material = keyMaterial(key);
  if (material.kind !== "RSA") throw new TypeError(`a key of ${key.algorithm} is one of RSA`);
  const header = { alg: key.algorithm, kid: key.kid };
  const signed = [header, claims].map((part) => base64url(utf8ToBytes(JSON.stringify(part)))).join(".");
  return `${signed}.${base64url(signature(utf8ToBytes(signed), material.privateJwk))}`;
}

const MODULUS_BYTES = 256;

/** What stands before a SHA-256 hash in what is signed (RFC 8017, 9.2, note 1). */
const DIGEST_INFO = "3031300d060960864801650304020105000420";

/** RSASSA-PKCS1-v1_5 (RFC 8017, 8.2.1), by Chinese remainders (5.1.2). */
function signature(message: Uint8Array, key: RsaPrivateJwk): Uint8Array {
  const digest = DIGEST_INFO + bytesToHex(sha256(message));
  const padding = "ff".repeat(MODULUS_BYTES - 3 - digest.length / 2);
  const number = BigInt(`0x0001${padding}00${digest}`);
  const [p, q] = [numberOf(key.p), numberOf(key.q)];
  const left = power(number % p, numberOf(key.dp), p);
  const right = power(number % q, numberOf(key.dq), q);
  const difference = (((left - right) % p) + p) % p;
  return bytesOfNumber(right + q * ((difference * numberOf(key.qi)) % p), MODULUS_BYTES);
}

function numberOf(text: string): bigint {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return numberOfBytes(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}
