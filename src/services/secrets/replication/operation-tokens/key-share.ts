import { bytesOfBase64 } from "../../bytes.ts";

/** Shares of a 32-byte key have 33 bytes, and shorter keys have shorter ones (decisions-replication.md, 8.2). */
const LEAST_BYTES = 16;
const MOST_BYTES = 33;

/** What a text is: the bytes of a share, bytes that are none, or no bytes at all. */
export type GivenShare = { readonly share: Uint8Array } | "of_another_length" | "not_encoded";

/** Reads a share in hexadecimal or base64. Some texts are both: hexadecimal counts when what it makes can be a share. */
export function readKeyShare(text: string): GivenShare {
  const readings = [bytesOfHex(text), bytesOfText(text)].filter((bytes) => bytes !== undefined);
  const share = readings.find(({ length }) => length >= LEAST_BYTES && length <= MOST_BYTES);
  if (share !== undefined) return { share };
  return readings.length > 0 ? "of_another_length" : "not_encoded";
}

function bytesOfHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]+$/.test(text)) return undefined;
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(2 * index, 2 * index + 2), 16),
  );
}

function bytesOfText(text: string): Uint8Array | undefined {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? bytesOfBase64(text) : undefined;
}
