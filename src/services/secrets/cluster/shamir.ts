import type { Draw } from "../../../kernel/randomness.ts";

// Shamir's secret sharing over GF(2^8) with the polynomial x^8 + x^4 + x^3 + x + 1, byte by byte. A share is the values of all
// bytes' polynomials at one x, followed by that x: the layout of the real service, and of the library `shamir-secret-sharing`.

const EXP = new Uint8Array(510);
const LOG = new Uint8Array(256);
for (let exponent = 0, power = 1; exponent < 255; exponent++) {
  EXP[exponent] = power;
  EXP[exponent + 255] = power;
  LOG[power] = exponent;
  // Times the generator x + 1.
  const doubled = power << 1;
  power ^= doubled & 0x100 ? doubled ^ 0x11b : doubled;
}

function times(left: number, right: number): number {
  return left === 0 || right === 0 ? 0 : (EXP[(LOG[left] as number) + (LOG[right] as number)] as number);
}

/** @param right is not 0 */
function over(left: number, right: number): number {
  return left === 0 ? 0 : (EXP[(LOG[left] as number) + 255 - (LOG[right] as number)] as number);
}

/**
 * Splits a secret into shares, any `threshold` of which make it again; fewer tell nothing.
 *
 * @param shares 1 to 255
 * @param threshold 1 to `shares`
 * @returns shares one byte longer than the secret
 */
export function split(secret: Uint8Array, shares: number, threshold: number, draw: Draw): Uint8Array[] {
  const places = draw.shuffle(Array.from({ length: 255 }, (_, index) => index + 1)).slice(0, shares);
  const made = places.map((x) => {
    const share = new Uint8Array(secret.length + 1);
    share[secret.length] = x;
    return share;
  });
  for (let index = 0; index < secret.length; index++) {
    const coefficients = draw.bytes(threshold - 1);
    for (const share of made) {
      const x = share[secret.length] as number;
      let value = 0;
      for (let degree = coefficients.length - 1; degree >= 0; degree--)
        value = times(value, x) ^ (coefficients[degree] as number);
      share[index] = times(value, x) ^ (secret[index] as number);
    }
  }
  return made;
}

/** A key has so many. */
export const KEY_BYTES = 32;

/**
 * The shares of a key. With a threshold of 1 each is the key itself (decisions-replication.md, 8.2).
 *
 * @returns as many as were asked for
 */
export function sharesOfKey(key: Uint8Array, shares: number, threshold: number, draw: Draw): Uint8Array[] {
  return threshold === 1 ? Array.from({ length: shares }, () => key) : split(key, shares, threshold, draw);
}

/** The key that as many shares as it takes make; undefined where they are none of one key. */
export function keyOfShares(shares: readonly Uint8Array[], threshold: number): Uint8Array | undefined {
  return threshold === 1 ? shares[0] : combine(shares);
}

/**
 * The secret that shares make. Too few, or shares that do not belong together, make another one: who combines has to know the
 * right one when it comes.
 *
 * @returns undefined for shares of different lengths, or of one x
 */
export function combine(shares: readonly Uint8Array[]): Uint8Array | undefined {
  const length = (shares[0]?.length ?? 0) - 1;
  const places = shares.map((share) => share[share.length - 1] as number);
  if (length < 1 || shares.some((share) => share.length !== length + 1)) return undefined;
  if (places.includes(0) || new Set(places).size < places.length) return undefined;
  // Lagrange at 0: in this field adding is subtracting, so 0 - x is x.
  const weights = places.map((own) =>
    places.reduce((weight, other) => (other === own ? weight : times(weight, over(other, other ^ own))), 1),
  );
  return Uint8Array.from({ length }, (_, index) =>
    shares.reduce((sum, share, which) => sum ^ times(share[index] as number, weights[which] as number), 0),
  );
}
