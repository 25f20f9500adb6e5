/**
 * The number that a literal of block syntax or JSON spells: decimal with fraction and exponent, hexadecimal after `0x`,
 * octal after a leading `0`, as in HCL1.
 *
 * @example
 * numberOf("-1.5e3") // -1500
 * numberOf("0x1F") // 31
 * numberOf("010") // 8
 */
export function numberOf(literal: string): number {
  const magnitude = literal.startsWith("-") ? literal.slice(1) : literal;
  const value = isOctal(magnitude) ? parseInt(magnitude, 8) : Number(magnitude);
  return literal.startsWith("-") ? 0 - value : value;
}

function isOctal(magnitude: string): boolean {
  return /^0[0-7]+$/.test(magnitude);
}
