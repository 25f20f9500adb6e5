import fc from "fast-check";
import { expect, test } from "vitest";
import type { LdifValue, Modification } from "../../../src/languages/ldif/record.ts";
import { HeldValues } from "../../../src/surroundings/directory/modifications.ts";
import { valueKey } from "../../../src/surroundings/directory/state.ts";
import { property } from "../../support/property.ts";

/** As one reads the rule: a modification looks at all that is held. */
function simply(held: readonly LdifValue[], { operation, name, values }: Modification): readonly LdifValue[] {
  if (operation === "add") return [...held, ...values];
  if (operation === "replace" || values.length === 0) return values;
  const gone = values.map((value) => valueKey(name, value));
  return held.filter((value) => !gone.includes(valueKey(name, value)));
}

const values = fc.array(fc.constantFrom("a", "A", "b", "c", "d"), { maxLength: 3 });
const modification = fc.record<Modification>({
  operation: fc.constantFrom("add", "replace", "delete"),
  name: fc.constant("m"),
  values,
});

property([values, fc.array(modification, { maxLength: 12 })])(
  "modifications leave what the rule says, and tell what went and came",
  (before, modifications) => {
    const held = new HeldValues("m", before, valueKey);
    let expected: readonly LdifValue[] = before;
    for (const one of modifications) {
      const after = simply(expected, one);
      const { goes, comes } = held.change(one);
      expect(goes.length - comes.length).toBe(expected.length - after.length);
      expected = after;
      expect(held.list()).toEqual(expected);
      expect(held.size).toBe(expected.length);
    }
  },
);

test("a modification costs what it names, however much is held", () => {
  let looks = 0;
  const held = new HeldValues("m", [], (name, value) => {
    looks += 1;
    return valueKey(name, value);
  });
  const many = 5_000;
  for (let each = 0; each < many; each += 1) held.change({ operation: "add", name: "m", values: [`${each}`] });
  for (let each = 0; each < many; each += 1) held.change({ operation: "delete", name: "m", values: [`${each}`] });
  expect(held.size).toBe(0);
  expect(looks).toBe(2 * many);
});
