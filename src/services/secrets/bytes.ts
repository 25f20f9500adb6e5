import { hexToBytes } from "@noble/hashes/utils.js";
import { bytesOfBase64 } from "../../languages/jws/base64url.ts";

/** Bytes as standard base64. */
export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

export { bytesOfBase64 };

/** The bytes of a text in hexadecimal or else in standard base64; undefined for one that is neither. */
export function bytesOf(text: string): Uint8Array | undefined {
  if (text.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(text)) {
    return hexToBytes(text);
  }
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? bytesOfBase64(text) : undefined;
}

export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
