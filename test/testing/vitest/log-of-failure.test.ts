import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { FailedTest } from "../../../src/explore/kept-files.ts";
import { dropKept, keepLog } from "../../../src/testing/vitest/log-of-failure.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hindcast-failures-"));
});

afterEach(() => rmSync(root, { recursive: true }));

function tried(name: string, place: number, repeats = 0, retries = 0): FailedTest {
  const file = { filepath: join(root, "a.test.ts"), name: "a.test.ts" };
  return { id: `1_${place}`, name, file, repeats, retries };
}

const left = (): string[] => readdirSync(join(root, "logs/a.test.ts")).sort();

/** What earlier runs left of two tests whose names begin alike. */
function earlier(): void {
  for (const [repeats, retries] of [
    [0, 0],
    [0, 1],
    [1, 0],
    [2, 1],
  ]) {
    keepLog(tried("loan", 1, repeats, retries), "logs", () => ["{}\n"]);
  }
  keepLog(tried("loan", 12), "logs", () => ["{}\n"]);
  keepLog(tried("loan", 12, 0, 1), "logs", () => ["{}\n"]);
}

it("a test that passes at once leaves none of the logs of its tries, and those of others stay", () => {
  earlier();
  expect(left()).toHaveLength(6);
  dropKept(tried("loan", 1), "logs", true);
  expect(left()).toEqual(["loan-12-retry1.ndjson", "loan-12.ndjson"]);
});

it("one that fails at first leaves that log, and those of this run's later tries", () => {
  earlier();
  dropKept(tried("loan", 1), "logs", false);
  expect(left()).toEqual(["loan-1.ndjson", "loan-12-retry1.ndjson", "loan-12.ndjson"]);
  keepLog(tried("loan", 1, 0, 1), "logs", () => ["{}\n"]);
  dropKept(tried("loan", 1, 0, 1), "logs", false);
  dropKept(tried("loan", 1, 0, 2), "logs", true);
  expect(left()).toEqual(["loan-1-retry1.ndjson", "loan-1.ndjson", "loan-12-retry1.ndjson", "loan-12.ndjson"]);
});

it("where nothing was left, nothing happens", () => {
  expect(() => dropKept(tried("loan", 1), "logs", true)).not.toThrow();
});
