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

/** What makes 1 with a value that shares no divisor with the modulus. */
export function inverse(value: bigint, modulus: bigint): bigint {
  let [rest, last] = [mod(value, modulus), modulus];
  let [factor, before] = [1n, 0n];
  while (rest > 1n) {
    const quotient = last / rest;
    [last, rest] = [rest, last - quotient * rest];
    [before, factor] = [factor, before - quotient * factor];
  }
  return mod(factor, modulus);
}
