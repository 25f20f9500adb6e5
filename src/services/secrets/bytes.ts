/** Bytes as standard base64. */
export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** The bytes of standard base64; the caller knows that it is some. */
export function bytesOfBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The bytes of a text in hexadecimal or else in standard base64; undefined for one that is neither. */
export function bytesOf(text: string): Uint8Array | undefined {
  if (text.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(text)) {
    return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
      Number.parseInt(text.slice(2 * index, 2 * index + 2), 16),
    );
  }
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? bytesOfBase64(text) : undefined;
}

export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
