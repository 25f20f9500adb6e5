import type { ECDSA } from "@noble/curves/abstract/weierstrass.js";
import { base64url, bytesOfNumber } from "./base64url.ts";
import { secretScalar } from "./key.ts";
import { p521 } from "./p521.ts";

/**
 * The signature of ES512 over a text, in base64url (RFC 7518, 3.4). It is that of RFC 6979: equal seeds and texts, equal bytes. So
 * whoever knows the seed checks one by making it again.
 */
export async function es512Signature(text: string, seed: string): Promise<string> {
  const curve = await p521();
  widen(curve);
  return base64url(curve.sign(new TextEncoder().encode(text), bytesOfNumber(secretScalar("P-521", seed), 66)));
}

/** How many signatures curves have made. */
const signatures = new WeakMap<ECDSA, number>();

/** A process that has signed so often is a long run, and will sign more often than that. */
const MANY = 200;

/** A table of multiples for windows so wide takes some 90 ms, and a third of the time of each signature after it. */
const WIDE_WINDOW_BITS = 8;

function widen(curve: ECDSA): void {
  const before = signatures.get(curve) ?? 0;
  if (before === MANY) curve.Point.BASE.precompute(WIDE_WINDOW_BITS);
  signatures.set(curve, before + 1);
}
