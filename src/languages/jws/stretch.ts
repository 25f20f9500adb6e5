import { sha512 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

/** As many bytes as one likes out of a seed: SHA-512 of it and a counter. Equal seeds, equal bytes, on every platform. */
export function stretched(seed: string, purpose: string, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let block = 0; block * 64 < length; block++) {
    bytes.set(sha512(utf8ToBytes(`${seed}:${purpose}:${block}`)).subarray(0, length - block * 64), block * 64);
  }
  return bytes;
}
