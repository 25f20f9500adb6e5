import { base64url, bytesOfNumber } from "./base64url.ts";
import { secretScalar } from "./key.ts";

/**
 * The signature of ES512 over a text, in base64url (RFC 7518, 3.4). It is that of RFC 6979: equal seeds and texts, equal bytes. So
 * whoever knows the seed checks one by making it again.
 */
export async function es512Signature(text: string, seed: string): Promise<string> {
  const { p521 } = await import("@noble/curves/nist.js");
  if (!tuned.has(p521)) {
    p521.Point.BASE.precompute(WINDOW_BITS);
    tuned.add(p521);
  }
  return base64url(p521.sign(new TextEncoder().encode(text), bytesOfNumber(secretScalar("P-521", seed), 66)));
}

/**
 * The first signature waits for a table of multiples, which the library makes for windows of 6 bits: that takes twice as long as one for
 * 4, and a process that tells a story signs a few times. Whoever signs hundreds of times waits a quarter longer for each.
 */
const WINDOW_BITS = 4;

/** The curves whose window is set: setting it throws the table away. */
const tuned = new WeakSet<object>();
