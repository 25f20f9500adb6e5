import type { LdifValue, Modification } from "../../languages/ldif/record.ts";

/** What equal values of an attribute have in common. */
export type ValueKey = (attribute: string, value: LdifValue) => string;

/** The values of an attribute while it is modified. A modification costs what it names, or takes away, and not what is held besides. */
export class HeldValues {
  readonly #keyOf: (value: LdifValue) => string;
  /** In their order; what has gone leaves a gap. */
  #values: (LdifValue | undefined)[] = [];
  /** Where equal values stand. */
  #places = new Map<string, number[]>();
  #size = 0;

  constructor(attribute: string, values: readonly LdifValue[], keyOf: ValueKey) {
    this.#keyOf = (value) => keyOf(attribute, value);
    this.#add(values);
  }

  get size(): number {
    return this.#size;
  }

  has(value: LdifValue): boolean {
    return this.#places.has(this.#keyOf(value));
  }

  list(): readonly LdifValue[] {
    return this.#values.filter((value) => value !== undefined);
  }

  /** Carries out a modification that can be carried out. */
  change({ operation, values }: Modification): {
    readonly goes: readonly LdifValue[];
    readonly comes: readonly LdifValue[];
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

  #add(values: readonly LdifValue[]): readonly LdifValue[] {
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

  #clear(): readonly LdifValue[] {
    const gone = this.list();
    this.#values = [];
    this.#places = new Map();
    this.#size = 0;
    return gone;
  }

  #remove(value: LdifValue): readonly LdifValue[] {
    const key = this.#keyOf(value);
    const gone: LdifValue[] = [];
    for (const place of this.#places.get(key) ?? []) {
      gone.push(this.#values[place] as LdifValue);
      this.#values[place] = undefined;
      this.#size -= 1;
    }
    this.#places.delete(key);
    return gone;
  }
}
