/** A hash of 128 bits as four unsigned words. Hashes of entries are added, so their order does not count. */
export interface Hash {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}

/** A collection that knows the hash of its contents, whatever their order. When states are compared, it is one value. */
export interface ContentHashed {
  readonly size: number;
  contentHash(by?: SelectiveHasher): Hash;
}

export function isContentHashed(value: object): value is ContentHashed {
  return "contentHash" in value && typeof value.contentHash === "function";
}

/** The hash of nothing: where a sum starts. */
export const NO_HASH: Hash = Object.freeze({ a: 0, b: 0, c: 0, d: 0 });

export function addHashes(left: Hash, right: Hash): Hash {
  return {
    a: (left.a + right.a) >>> 0,
    b: (left.b + right.b) >>> 0,
    c: (left.c + right.c) >>> 0,
    d: (left.d + right.d) >>> 0,
  };
}

/** Hashes of frozen objects, so that what two states share is hashed once. */
const remembered = new WeakMap<object, Hash>();

/** The hash of plain data and tables: equal values, equal hashes, on every platform. Object keys count in any order. */
export function hashOf(value: unknown): Hash {
  if (typeof value !== "object" || value === null) return hashOfText(`${typeof value}:${String(value)}`);
  const known = remembered.get(value);
  if (known !== undefined) return known;
  const hash = hashOfObject(value);
  if (Object.isFrozen(value)) remembered.set(value, hash);
  return hash;
}

/**
 * Hashes of what some members of objects have no part in, whatever they say. Equal selections hash alike wherever they stand, and what
 * two states share is hashed once.
 */
export class SelectiveHasher {
  readonly #skips: (name: string, member: unknown) => boolean;
  readonly #remembered = new WeakMap<object, Hash>();

  /** @param skips whether a member of an object is left out */
  constructor(skips: (name: string, member: unknown) => boolean) {
    this.#skips = skips;
  }

  skips(name: string, member: unknown): boolean {
    return this.#skips(name, member);
  }

  hashOf(value: unknown): Hash {
    if (typeof value !== "object" || value === null) return hashOf(value);
    return this.remembered(value, Object.isFrozen(value), () => hashOfObject(value, this));
  }

  hashOfEntry(key: string, value: unknown): Hash {
    return mixed(hashOfText(key), this.hashOf(value));
  }

  /** A hash that was made of something before, or that is made now and kept for as long as that is there. */
  remembered(of: object, isFinal: boolean, make: () => Hash): Hash {
    const known = this.#remembered.get(of);
    if (known !== undefined) return known;
    const hash = make();
    if (isFinal) this.#remembered.set(of, hash);
    return hash;
  }
}

/** The hash of one entry of a table or one member of an object. */
export function hashOfEntry(key: string, value: unknown): Hash {
  return mixed(hashOfText(key), hashOf(value));
}

/** Text to 128 bits: the seed of a random stream, too. */
export function hashOfText(text: string): Hash {
  const running = new RunningHash();
  running.add(text);
  return running.value();
}

/**
 * A hash of text that comes in parts. Each step can be undone by nothing but itself, so two texts of one length that differ in
 * one character never hash alike.
 */
export class RunningHash {
  #a = 0x9e3779b9;
  #b = 0x243f6a88;
  #c = 0xb7e15162;
  #d = 0x6a09e667;
  #length = 0;

  add(text: string): void {
    let [a, b, c, d] = [this.#a, this.#b, this.#c, this.#d];
    for (let index = 0; index < text.length; index++) {
      a = (Math.imul(a ^ text.charCodeAt(index), 0x85ebca6b) + b) | 0;
      b = (Math.imul(b ^ (a >>> 15), 0xc2b2ae35) + c) | 0;
      c = (Math.imul(c ^ (b >>> 13), 0x27d4eb2f) + d) | 0;
      d = (Math.imul(d ^ (c >>> 16), 0x165667b1) + a) | 0;
    }
    this.#a = a;
    this.#b = b;
    this.#c = c;
    this.#d = d;
    this.#length += text.length;
  }

  /** The hash of all so far; more may follow. */
  value(): Hash {
    return finished(this.#a ^ this.#length, this.#b, this.#c, this.#d);
  }
}

/** The 32 hexadecimal digits of a hash. */
export function hexOf(hash: Hash): string {
  return [hash.a, hash.b, hash.c, hash.d].map((word) => word.toString(16).padStart(8, "0")).join("");
}

function hashOfObject(value: object, by?: SelectiveHasher): Hash {
  if (isContentHashed(value)) return mixed(hashOfText(`table:${value.size}`), value.contentHash(by));
  const of = (part: unknown): Hash => (by === undefined ? hashOf(part) : by.hashOf(part));
  if (Array.isArray(value)) {
    let hash = hashOfText(`list:${value.length}`);
    for (const item of value) hash = mixed(hash, of(item));
    return hash;
  }
  let sum = NO_HASH;
  for (const key of Object.keys(value)) {
    const member: unknown = (value as Record<string, unknown>)[key];
    if (member === undefined || by?.skips(key, member)) continue;
    sum = addHashes(sum, mixed(hashOfText(key), of(member)));
  }
  return mixed(hashOfText("object"), sum);
}

function mixed(left: Hash, right: Hash): Hash {
  const a = Math.imul(left.a ^ (right.b >>> 15), 0x85ebca6b) + right.a;
  const b = Math.imul(left.b ^ (a >>> 13), 0xc2b2ae35) + right.b;
  const c = Math.imul(left.c ^ (b >>> 16), 0x27d4eb2f) + right.c;
  const d = Math.imul(left.d ^ (c >>> 15), 0x165667b1) + right.d;
  return finished(a, b, c, d);
}

function finished(a0: number, b0: number, c0: number, d0: number): Hash {
  let [a, b, c, d] = [a0, b0, c0, d0];
  for (let round = 0; round < 2; round++) {
    a = Math.imul(a ^ (d >>> 16), 0x85ebca6b) + b;
    b = Math.imul(b ^ (a >>> 13), 0xc2b2ae35) + c;
    c = Math.imul(c ^ (b >>> 16), 0x27d4eb2f) + d;
    d = Math.imul(d ^ (c >>> 15), 0x165667b1) + a;
  }
  return { a: a >>> 0, b: b >>> 0, c: c >>> 0, d: d >>> 0 };
}
