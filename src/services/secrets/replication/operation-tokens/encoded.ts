import { toBase64 } from "../../bytes.ts";

/**
 * A token under a one-time pad of its length, as the last answer of an attempt shows it: the bytes of the one, XORed with those of the
 * other, in base64 without padding (decisions-replication.md, 8.3).
 */
export function encodedToken(token: string, otp: string): string {
  const bytes = new TextEncoder().encode(token);
  const pad = new TextEncoder().encode(otp);
  return toBase64(bytes.map((byte, index) => byte ^ (pad[index] as number))).replaceAll("=", "");
}
