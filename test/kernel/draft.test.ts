import { describe, expect, it } from "vitest";
import { produce, produceFlat } from "../../src/kernel/draft.ts";
import { deepFreeze } from "../../src/kernel/plain.ts";
import { Table } from "../../src/kernel/table.ts";

interface Shelf {
  readonly name: string;
  readonly tins: Table<Tin>;
  readonly labels: readonly { readonly text: string }[];
  readonly door: { readonly open: boolean; readonly paint: { readonly colour: string } };
}

interface Tin {
  readonly of: string;
  readonly left: { readonly grams: number };
}

const shelf: Shelf = deepFreeze({
  name: "top",
  tins: Table.from<Tin>([["tea", { of: "tea", left: { grams: 100 } }]]),
  labels: [{ text: "dry" }, { text: "cool" }],
  door: { open: false, paint: { colour: "green" } },
});

describe("producing a state", () => {
  it("changes what the recipe changes, shares the rest, and leaves the base as it was", () => {
    const text = JSON.stringify(shelf);
    const next = produce(shelf, (draft) => {
      draft.door.open = true;
    });
    expect(next).toEqual({ ...shelf, door: { open: true, paint: { colour: "green" } } });
    expect(next.door.paint).toBe(shelf.door.paint);
    expect(next.tins).toBe(shelf.tins);
    expect(next.labels).toBe(shelf.labels);
    expect(JSON.stringify(shelf)).toBe(text);
  });

  it("gives the base itself when the recipe changes nothing", () => {
    expect(produce(shelf, () => undefined)).toBe(shelf);
    expect(
      produce(shelf, (draft) => {
        draft.door.open = false;
      }),
    ).toBe(shelf);
  });

  it("freezes what is new, however deep it lies", () => {
    const next = produce(shelf, (draft) => {
      draft.labels.push({ text: "new" });
      draft.door = { open: true, paint: { colour: "red" } };
    });
    for (const part of [next, next.labels, next.labels[2], next.door, next.door.paint]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it("freezes what was moved about within a draft", () => {
    const next = produce(shelf, (draft) => {
      const [first, second] = draft.labels;
      if (first === undefined || second === undefined) return;
      first.text = "wet";
      draft.labels = [second, first];
    });
    expect(next.labels).toEqual([{ text: "cool" }, { text: "wet" }]);
    expect(next.labels.every((label) => Object.isFrozen(label))).toBe(true);
  });

  it("lets a table be replaced like a value", () => {
    const next = produce(shelf, (draft) => {
      draft.tins = draft.tins.set("rice", { of: "rice", left: { grams: 500 } });
    });
    expect([...next.tins.keys()]).toEqual(["rice", "tea"]);
    expect([...shelf.tins.keys()]).toEqual(["tea"]);
  });

  it("does not let a draft into a table", () => {
    expect(() =>
      produce(shelf, (draft) => {
        draft.tins = draft.tins.set("odd", draft.door as unknown as Tin);
      }),
    ).toThrow("a draft cannot be kept");
  });

  it("passes on what a recipe throws", () => {
    expect(() =>
      produce(shelf, () => {
        throw new RangeError("too high");
      }),
    ).toThrow(RangeError);
  });
});

describe("producing a part that is flat to its recipe", () => {
  it("replaces members, freezes what is new, and leaves the base as it was", () => {
    const next = produceFlat(shelf, (copy) => {
      copy.door = { open: true, paint: { colour: "red" } };
    });
    expect(next).toEqual({ ...shelf, door: { open: true, paint: { colour: "red" } } });
    expect(shelf.door.open).toBe(false);
    for (const part of [next, next.door, next.door.paint]) expect(Object.isFrozen(part)).toBe(true);
  });

  it("gives the base itself when every member is as it was", () => {
    expect(produceFlat(shelf, () => undefined)).toBe(shelf);
    expect(
      produceFlat(shelf, (copy) => {
        copy.name = "top";
      }),
    ).toBe(shelf);
  });

  it("tells a member that came from one that went", () => {
    const bare: { readonly label?: string; readonly price?: number } = Object.freeze({ label: "tea" });
    expect(
      produceFlat(bare, (copy) => {
        delete copy.label;
        copy.price = 1;
      }),
    ).toEqual({ price: 1 });
    const emptied = produceFlat(bare, (copy) => {
      delete copy.label;
    });
    expect(emptied).toEqual({});
    expect(Object.isFrozen(emptied)).toBe(true);
  });

  it("refuses to reach below a member", () => {
    expect(() =>
      produceFlat(shelf, (copy) => {
        (copy.door as { open: boolean }).open = true;
      }),
    ).toThrow(TypeError);
  });
});
