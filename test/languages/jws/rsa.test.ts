import { expect, test } from "vitest";
import { pairOfSeed } from "../../../src/languages/jws/rsa.ts";

test("the primes of a seed are searched once in a process, however often a log is replayed", () => {
  const pair = pairOfSeed("a seed of this test");
  expect(pairOfSeed("a seed of this test")).toBe(pair);
  expect(pair.p).not.toBe(pair.q);
});
