/**
 * Texts in the order of their bytes in UTF-8, sorted in place.
 *
 * @example
 * inByteOrder(["😀", "～", "a"]) // ["a", "～", "😀"]; by code units, as `sort` has it, 😀 comes before ～
 */
export function inByteOrder(texts: string[]): string[] {
  return texts.sort(byBytes);
}

function byBytes(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    const difference = rank(left.charCodeAt(index)) - rank(right.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Code units are in the order of bytes, but for surrogates: what they stand for comes after all else. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
