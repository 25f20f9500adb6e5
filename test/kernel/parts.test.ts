import { describe, expect, it } from "vitest";
import { withEntry, withMember } from "../../src/kernel/parts.ts";
import { deepFreeze } from "../../src/kernel/plain.ts";
import { Table } from "../../src/kernel/table.ts";

interface Shelf {
  readonly name: string;
  readonly door?: { readonly open: boolean };
}

const shelf: Shelf = deepFreeze({ name: "top", door: { open: false } });
const tins = Table.from([["tea", deepFreeze({ grams: 100 })]]);

describe("changing a member", () => {
  it("puts what becomes of it in its place, and leaves the object as it was", () => {
    expect(withMember(shelf, "door", () => ({ open: true }))).toEqual({ name: "top", door: { open: true } });
    expect(shelf.door?.open).toBe(false);
  });

  it("freezes the copy, and what was put into it", () => {
    const next = withMember(shelf, "door", () => ({ open: true }));
    for (const part of [next, next.door]) expect(Object.isFrozen(part)).toBe(true);
  });

  it("gives the object itself when the member stays the same", () => {
    expect(withMember(shelf, "door", (door) => door)).toBe(shelf);
  });

  it("knows own members only", () => {
    const byName: Readonly<Record<string, number>> = Object.freeze({ a: 1 });
    for (const name of ["constructor", "toString", "__proto__"]) expect(withMember(byName, name, () => 2)).toBe(byName);
  });

  it("leaves away what is not there", () => {
    const open: Shelf = { name: "open" };
    expect(withMember(open, "door", () => ({ open: true }))).toBe(open);
  });
});

describe("changing an entry of a table", () => {
  it("puts what becomes of it in its place, frozen", () => {
    const next = withEntry(tins, "tea", ({ grams }) => ({ grams: grams - 30 }));
    expect(next.get("tea")).toEqual({ grams: 70 });
    expect(Object.isFrozen(next.get("tea"))).toBe(true);
    expect(tins.get("tea")).toEqual({ grams: 100 });
  });

  it("gives the table itself when the entry stays the same", () => {
    expect(withEntry(tins, "tea", (tin) => tin)).toBe(tins);
  });

  it("leaves away what is not there", () => {
    expect(withEntry(tins, "salt", () => ({ grams: 1 }))).toBe(tins);
  });
});
