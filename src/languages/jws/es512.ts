import { base64url, bytesOfNumber } from "./base64url.ts";
import { secretScalar } from "./key.ts";
import { p521 } from "./p521.ts";

/**
 * The signature of ES512 over a text, in base64url (RFC 7518, 3.4). It is that of RFC 6979: equal seeds and texts, equal bytes. So
 * whoever knows the seed checks one by making it again.
 */
export async function es512Signature(text: string, seed: string): Promise<string> {
  const curve = await p521();
  return base64url(curve.sign(new TextEncoder().encode(text), bytesOfNumber(secretScalar("P-521", seed), 66)));
}
