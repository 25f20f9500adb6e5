/** Compresses by LZMA. The mode is 1 to 9, the thorough. */
export function compress(bytes: Uint8Array, mode?: number): Uint8Array;
/** The bytes that were compressed by LZMA. */
export function decompress(bytes: Uint8Array): Uint8Array<ArrayBuffer>;
