/** Bytes as base64url without padding (RFC 4648, 5). */
export function base64url(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of base64url without padding; undefined for what is none. */
export function bytesOfBase64url(text: string): Uint8Array | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}

/** An unsigned number as so many bytes, the greatest first. */
export function bytesOfNumber(number: bigint, length: number): Uint8Array {
  const digits = number.toString(16).padStart(2 * length, "0");
  return Uint8Array.from({ length }, (_, index) => Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16));
}

/** The unsigned number that bytes are, the greatest first. */
export function numberOfBytes(bytes: Uint8Array): bigint {
  let digits = "0x0";
  for (const byte of bytes) digits += byte.toString(16).padStart(2, "0");
  return BigInt(digits);
}
