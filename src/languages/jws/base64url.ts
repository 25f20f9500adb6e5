import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";

/** Bytes as base64url without padding (RFC 4648, 5). */
export function base64url(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of base64url without padding; undefined for what is none. */
export function bytesOfBase64url(text: string): Uint8Array | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  return bytesOfBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}

/** The bytes of standard base64; the caller knows that it is some. */
export function bytesOfBase64(text: string): Uint8Array {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let index = 0; index < letters.length; index++) bytes[index] = letters.charCodeAt(index);
  return bytes;
}

/** An unsigned number as so many bytes, the greatest first. */
export function bytesOfNumber(number: bigint, length: number): Uint8Array {
  return hexToBytes(number.toString(16).padStart(2 * length, "0"));
}

/** The unsigned number that bytes are, the greatest first. */
export function numberOfBytes(bytes: Uint8Array): bigint {
  return BigInt(`0x0${bytesToHex(bytes)}`);
}
