import { test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { LanguageError } from "../../src/languages/language-error.ts";
import { parseLdif } from "../../src/languages/ldif/parse.ts";
import { mutatedLdif } from "../languages/ldif/mutations.ts";

describe("a hundred thousand mutated LDIF texts", () => {
  test.prop([mutatedLdif], { numRuns: 100_000 })("are read or refused, and nothing else happens", (text) => {
    const before = performance.now();
    try {
      expect(Array.isArray(parseLdif(text))).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(LanguageError);
    }
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});
