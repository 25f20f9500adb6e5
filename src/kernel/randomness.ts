import { customRandom } from "nanoid";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import { hashOfText } from "./hash.ts";

/** Digits, upper and lower case letters: the alphabet of ids and passwords. */
export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * A stream of random values that its key decides: equal keys, equal values, on every platform.
 *
 * A command draws from the stream of its position in the log, so what it draws depends on the seed and on how many
 * commits went before, and on nothing else (design, invariant 3).
 */
export class Draw {
  readonly #key: string;
  #next: (() => number) | undefined;

  constructor(key: string) {
    this.#key = key;
  }

  /** An unsigned integer of 32 bits. */
  uint32(): number {
    this.#next ??= streamOf(this.#key);
    return this.#next() >>> 0;
  }

  /** An integer from 0 up to, not including, `bound` (at most 2^32), all equally likely. */
  below(bound: number): number {
    if (!Number.isInteger(bound) || bound < 1 || bound > 2 ** 32)
      throw new RangeError(`nothing can be drawn below ${bound}`);
    const limit = 2 ** 32 - (2 ** 32 % bound);
    for (;;) {
      const word = this.uint32();
      if (word < limit) return word % bound;
    }
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let index = 0; index < length; index += 4) {
      const word = this.uint32();
      bytes[index] = word;
      bytes[index + 1] = word >>> 8;
      bytes[index + 2] = word >>> 16;
      bytes[index + 3] = word >>> 24;
    }
    return bytes;
  }

  /** Text of `length` characters of an alphabet of 2 to 256 characters, all equally likely. */
  text(alphabet: string, length: number): string {
    if (length === 0) return "";
    const text = customRandom(alphabet, length, (count) => this.bytes(count))();
    // nanoid builds its text piece by piece; reading a character makes one flat string of it, which is far smaller.
    text.charCodeAt(0);
    return text;
  }

  base62(length: number): string {
    return this.text(BASE62, length);
  }

  /** A UUID of version 4 (RFC 9562). */
  uuid(): string {
    const a = this.uint32();
    const b = this.uint32();
    const c = this.uint32();
    const d = this.uint32();
    const version = 0x4000 | ((b >>> 0) & 0x0fff);
    const variant = 0x8000 | ((c >>> 16) & 0x3fff);
    return `${hex32(a)}-${hex16(b >>> 16)}-${hex16(version)}-${hex16(variant)}-${hex16(c)}${hex32(d)}`;
  }

  /** A shuffled copy: all orders are equally likely. */
  shuffle<T>(items: readonly T[]): T[] {
    const copy = [...items];
    for (let last = copy.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      const item = copy[last] as T;
      copy[last] = copy[other] as T;
      copy[other] = item;
    }
    return copy;
  }
}

/** The start of all keys of a seed's streams. A number and a text of the same digits are different seeds. */
export function seedKey(seed: number | string): string {
  return typeof seed === "number" ? `${seed}` : JSON.stringify(seed);
}

const HEX_PAIRS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hex16(word: number): string {
  return (HEX_PAIRS[(word >>> 8) & 255] as string) + (HEX_PAIRS[word & 255] as string);
}

function hex32(word: number): string {
  return hex16(word >>> 16) + hex16(word);
}

function streamOf(key: string): () => number {
  const { a, b, c, d } = hashOfText(key);
  const generator = xoroshiro128plusFromState([a | 0, b | 0, c | 0, d | 0 || 1]);
  return () => generator.next();
}
