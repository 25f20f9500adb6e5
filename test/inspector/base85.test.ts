import fc from "fast-check";
import { expect, test } from "vitest";
import { base85, bytesOfBase85 } from "../../src/inspector/base85.ts";
import { runs } from "../support/runs.ts";

test("bytes come back from text that means nothing in HTML, five characters for four", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      const text = base85(bytes);
      expect(text.length).toBe(Math.ceil((bytes.length * 5) / 4));
      expect(text).toMatch(/^[#-;=-x]*$/);
      expect(bytesOfBase85(text)).toEqual(bytes);
    }),
    runs(1_000),
  );
});

// Written by others: Ascii85 of "Man " is `9jqo^`, each character two places on here.
test.each([
  ["Man ", ";lsq`"],
  ["", ""],
])("%s", (text, written) => {
  expect(base85(new TextEncoder().encode(text))).toBe(written);
});
