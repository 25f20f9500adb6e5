import type { Modification } from "../../languages/ldif/record.ts";
import type { AttributeValue } from "./state.ts";

/** What equal values of an attribute have in common. */
export type ValueKey = (attribute: string, value: AttributeValue) => string;

/** The values of an attribute while it is modified. A modification costs what it names, or takes away, and not what is held besides. */
export class HeldValues {
  readonly #keyOf: (value: AttributeValue) => string;
  /** In their order; what has gone leaves a gap. */
  #values: (AttributeValue | undefined)[] = [];
  /** Where equal values stand. */
  #places = new Map<string, number[]>();
  #size = 0;

  constructor(attribute: string, values: readonly AttributeValue[], keyOf: ValueKey) {
    this.#keyOf = (value) => keyOf(attribute, value);
    this.#add(values);
  }

  get size(): number {
    return this.#size;
  }

  has(value: AttributeValue): boolean {
    return this.#places.has(this.#keyOf(value));
  }

  list(): readonly AttributeValue[] {
    return this.#values.filter((value) => value !== undefined);
  }

  /** Carries out a modification that can be carried out. */
  change({ operation, values }: Modification): {
    readonly goes: readonly AttributeValue[];
    readonly comes: readonly AttributeValue[];
  } {
    switch (operation) {
      case "add":
        return { goes: [], comes: this.#add(values) };
      case "replace":
        return { goes: this.#clear(), comes: this.#add(values) };
      case "delete":
        return {
          goes: values.length === 0 ? this.#clear() : values.flatMap((value) => this.#remove(value)),
          comes: [],
        };
      default:
        return operation satisfies never;
    }
  }

  #add(values: readonly AttributeValue[]): readonly AttributeValue[] {
    for (const value of values) {
      const key = this.#keyOf(value);
      const places = this.#places.get(key);
      if (places === undefined) this.#places.set(key, [this.#values.length]);
      else places.push(this.#values.length);
      this.#values.push(value);
      this.#size += 1;
    }
    return values;
  }

  #clear(): readonly AttributeValue[] {
    const gone = this.list();
    this.#values = [];
    this.#places = new Map();
    this.#size = 0;
    return gone;
  }

  #remove(value: AttributeValue): readonly AttributeValue[] {
    const key = this.#keyOf(value);
    const gone: AttributeValue[] = [];
    for (const place of this.#places.get(key) ?? []) {
      gone.push(this.#values[place] as AttributeValue);
      this.#values[place] = undefined;
      this.#size -= 1;
    }
    this.#places.delete(key);
    return gone;
  }
}
