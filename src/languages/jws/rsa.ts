import { numberOfBytes } from "./base64url.ts";
import { power } from "./modular.ts";
import { RSA_PRIMES } from "./rsa-primes.ts";
import { stretched } from "./stretch.ts";

export const RSA_EXPONENT = 65_537n;

export interface RsaPrimes {
  readonly p: bigint;
  readonly q: bigint;
}

/** How many pairs of primes are ready to be used. */
export const READY_PAIRS = (RSA_PRIMES.length * (RSA_PRIMES.length - 1)) / 2;

/** One of the pairs that are ready, by its number from 0. */
export function readyPair(pair: number): RsaPrimes {
  if (pair < 0 || pair >= READY_PAIRS) throw new RangeError(`there is no ready pair ${pair}`);
  let first = 0;
  let rest = pair;
  while (rest >= RSA_PRIMES.length - 1 - first) rest -= RSA_PRIMES.length - 1 - first++;
  return { p: primeAt(first), q: primeAt(first + 1 + rest) };
}

function primeAt(index: number): bigint {
  const text = RSA_PRIMES[index] ?? "";
  return numberOfBytes(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
}

/** Searches that were made in this process: each replay of a log asks for the same. */
const found = new Map<string, RsaPrimes>();

/** What is found beyond so many is not remembered: a process may live long. */
const MOST_FOUND = 512;

/** The pair of primes that a seed stands for. It takes some tenths of a second for the first time. */
export function pairOfSeed(seed: string): RsaPrimes {
  const known = found.get(seed);
  if (known !== undefined) return known;
  const pair = Object.freeze({ p: primeOfSeed(seed, "p"), q: primeOfSeed(seed, "q") });
  // oxlint-disable-next-line hindcast/no-module-state -- a pair follows from its seed alone: that it is remembered shows in time only
  if (found.size < MOST_FOUND) found.set(seed, pair);
  return pair;
}

const BITS = 1024;

/** The first prime from a number of the seed's on whose two highest bits are set, so that two such make 2048 bits. */
function primeOfSeed(seed: string, purpose: string): bigint {
  const start = numberOfBytes(stretched(seed, `rsa ${purpose}`, BITS / 8)) | (3n << BigInt(BITS - 2)) | 1n;
  const smallPrimes = primesBelow(8_192);
  const rests = smallPrimes.map((prime) => Number(start % BigInt(prime)));
  for (let step = 0; ; step += 2) {
    if (smallPrimes.some((prime, index) => ((rests[index] as number) + step) % prime === 0)) continue;
    const candidate = start + BigInt(step);
    if ((candidate - 1n) % RSA_EXPONENT !== 0n && isProbablyPrime(candidate)) return candidate;
  }
}

/** Odd primes. They are found when a key is searched, which takes a hundred times as long, and not when this is imported. */
function primesBelow(bound: number): number[] {
  const primes: number[] = [];
  for (let number = 3; number < bound; number += 2) {
    if (primes.every((prime) => prime * prime > number || number % prime !== 0)) primes.push(number);
  }
  return primes;
}

/** Fermat's test with 2, then that of Miller and Rabin with 3: who draws 1024 bits at random meets no exception to both. */
function isProbablyPrime(candidate: bigint): boolean {
  if (power(2n, candidate - 1n, candidate) !== 1n) return false;
  let odd = candidate - 1n;
  let halvings = 0;
  for (; (odd & 1n) === 0n; odd >>= 1n) halvings += 1;
  let value = power(3n, odd, candidate);
  if (value === 1n || value === candidate - 1n) return true;
  for (let round = 1; round < halvings; round++) {
    value = (value * value) % candidate;
    if (value === candidate - 1n) return true;
  }
  return false;
}
