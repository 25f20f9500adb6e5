/** The remainder that is not negative. */
export function mod(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}

export function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  const digits = exponent.toString(2);
  for (let index = 0; index < digits.length; index++) {
    result = (result * result) % modulus;
    if (digits.charCodeAt(index) === 0x31) result = (result * base) % modulus;
  }
  return result;
}

/**
 * What makes 1 with a value that shares no divisor with the modulus: by the algorithm of Euclid as Lehmer sped it up. Most of its
 * quotients show in the leading digits alone, so that a score of them costs as much as two.
 */
export function inverse(value: bigint, modulus: bigint): bigint {
  let [last, rest] = [modulus, mod(value, modulus)];
  let [before, factor] = [0n, 1n];
  while (rest > 1n) {
    const [a, b, c, d] = leadingSteps(last, rest) ?? [0n, 1n, 1n, -last / rest];
    [last, rest] = [a * last + b * rest, c * last + d * rest];
    [before, factor] = [a * before + b * factor, c * before + d * factor];
  }
  return mod(factor, modulus);
}

/** So many leading digits are taken, and all that is computed of them is exact. */
const LEADING_BITS = 50;

/**
 * What several steps make of two numbers of which the first is greater, as the factors of both in both; undefined where no step is sure
 * without looking at all of their digits. Source: Knuth, The Art of Computer Programming, 4.5.2, algorithm L.
 */
function leadingSteps(last: bigint, rest: bigint): readonly [bigint, bigint, bigint, bigint] | undefined {
  const bits = Math.floor(Math.log2(Number(last)));
  if (bits < LEADING_BITS || !Number.isFinite(bits)) return undefined;
  const shift = BigInt(bits - LEADING_BITS);
  let [x, y] = [Number(last >> shift), Number(rest >> shift)];
  let [a, b, c, d] = [1, 0, 0, 1];
  while (y + c > 0 && y + d > 0) {
    const quotient = Math.floor((x + a) / (y + c));
    if (quotient !== Math.floor((x + b) / (y + d))) break;
    [a, c] = [c, a - quotient * c];
    [b, d] = [d, b - quotient * d];
    [x, y] = [y, x - quotient * y];
  }
  return b === 0 ? undefined : [BigInt(a), BigInt(b), BigInt(c), BigInt(d)];
}
