import fc from "fast-check";
import { expect, it } from "vitest";
import { inByteOrder } from "../../src/languages/byte-order.ts";

it("is the order in which UTF-8 has the texts", () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom("", "a", "é", "\ud7ff", "\ue000", "～", "😀", "💥") }));
  fc.assert(
    fc.property(texts, (given) => {
      const expected = given.map((text) => Buffer.from(text)).sort(Buffer.compare);
      expect(inByteOrder([...given])).toEqual(expected.map(String));
    }),
  );
});
