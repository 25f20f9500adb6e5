import type { Modification } from "../../languages/ldif/record.ts";
import type { AttributeValue } from "./state.ts";

/** What equal values of an attribute have in common. */
export type ValueKey = (attribute: string, value: AttributeValue) => string;

/** The values of an attribute after a modification that can be carried out. */
export function modifiedValues(
  held: readonly AttributeValue[],
  { operation, name, values }: Modification,
  keyOf: ValueKey,
): readonly AttributeValue[] {
  switch (operation) {
    case "add":
      return [...held, ...values];
    case "replace":
      return values;
    case "delete": {
      if (values.length === 0) return [];
      const gone = new Set(values.map((value) => keyOf(name, value)));
      return held.filter((value) => !gone.has(keyOf(name, value)));
    }
    default:
      return operation satisfies never;
  }
}
