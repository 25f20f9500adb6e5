import { describe, expect } from "vitest";
import { LanguageError } from "../../src/languages/language-error.ts";
import { parseLdif } from "../../src/languages/ldif/parse.ts";
import { mutatedLdif } from "../languages/ldif/mutations.ts";
import { processorSeconds } from "../support/processor-time.ts";
import { property } from "../support/property.ts";

describe("a hundred thousand mutated LDIF texts", () => {
  property([mutatedLdif], { numRuns: 100_000 })("are read or refused, and nothing else happens", (text) => {
    const before = processorSeconds();
    try {
      expect(Array.isArray(parseLdif(text))).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(LanguageError);
    }
    expect(processorSeconds() - before).toBeLessThan(2);
  });
});
