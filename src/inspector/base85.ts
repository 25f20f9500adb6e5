// Bytes in five characters for four, as Ascii85 has them, where base64 takes four for three: a page is a sixteenth smaller by that.

/** The character of 0. Behind it come the others in their order, but one: `<` would mean something in HTML. */
const FIRST = 0x23;
const LESS_THAN = 0x3c;
const INSTEAD = FIRST + 85;

const STEPS = [85 ** 4, 85 ** 3, 85 ** 2, 85, 1];

/** Bytes as text that means nothing in HTML. Of a last group of less than four bytes, one character more than there are bytes is written. */
export function base85(bytes: Uint8Array): string {
  const codes = new Uint8Array(bytes.length + Math.ceil(bytes.length / 4));
  let at = 0;
  for (let start = 0; start < bytes.length; start += 4) {
    let value = 0;
    for (let index = start; index < start + 4; index++) value = value * 256 + (bytes[index] ?? 0);
    for (const step of STEPS) {
      const code = FIRST + (Math.floor(value / step) % 85);
      // What does not fit any more belongs to bytes that are not there.
      codes[at++] = code === LESS_THAN ? INSTEAD : code;
    }
  }
  return new TextDecoder().decode(codes);
}

/** The bytes that a text of `base85` stands for. */
export function bytesOfBase85(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.floor((text.length * 4) / 5));
  let at = 0;
  for (let start = 0; start < text.length; start += 5) {
    let value = 0;
    for (let index = start; index < start + 5; index++) {
      const code = index < text.length ? text.charCodeAt(index) : FIRST + 84;
      value = value * 85 + (code === INSTEAD ? LESS_THAN : code) - FIRST;
    }
    for (let shift = 24; shift >= 0; shift -= 8) bytes[at++] = value >>> shift;
  }
  return bytes;
}
