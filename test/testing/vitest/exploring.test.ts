// @module-tag full: the runner runs within the runner.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "./nested.ts";

it("test.explore fails with what it found, and leaves it where failed tests leave their logs", async () => {
  const { named, folder } = await run({
    include: ["specs/exploring.spec.ts"],
    test: { expect: { requireAssertions: true } },
  });
  expect(named("a program that takes what comes").passed).toBe(true);
  const { passed, messages } = named("a program that hopes");
  expect(passed).toBe(false);
  const [message = ""] = messages;
  expect(message).toContain("program shop: fetch failed");
  expect(message).toMatch(/schedule \d+, shrunk: \S+ \S* ?reset/);
  expect(message).toContain('again: explore("that hopes", { ..., only: "');
  for (const [, file = ""] of message.matchAll(/^(?:scenario|log): (\S+)$/gm)) {
    expect(file).toMatch(/^hindcast-failures\/that-hopes\./);
    expect(existsSync(join(folder, file))).toBe(true);
  }
});
