import { Immer } from "immer";
import { deepFreeze } from "./plain.ts";
import type { Table } from "./table.ts";

type Primitive = string | number | bigint | boolean | symbol | null | undefined;

/** What a recipe may write to: plain structure becomes mutable, tables stay values that are replaced. */
export type Draft<T> = T extends Primitive
  ? T
  : T extends Table<infer _V>
    ? T
    : T extends object
      ? { -readonly [P in keyof T]: Draft<T[P]> }
      : T;

/**
 * An instance of our own: immer's process-wide switches belong to whoever imports us. It does not freeze: `deepFreeze` knows
 * that what is frozen is frozen below, and asks less of each value.
 */
const immer = new Immer({ autoFreeze: false });

/** The state that a recipe makes of another one; frozen, and shared where nothing changed. */
export function produce<T extends object>(base: T, recipe: (draft: Draft<T>) => void): T {
  return deepFreeze(
    immer.produce(base as object, (draft) => {
      recipe(draft as Draft<T>);
    }) as T,
  );
}

/** What a recipe may write to of a part that is flat to it: its own members, which it replaces. Below them all is frozen. */
export type Flat<T> = { -readonly [P in keyof T]: T[P] };

/**
 * As `produce`, for recipes that replace members and reach into none: a copy by hand, at a tenth of the price of a draft. It is
 * what parts are folded with that hold little but tables.
 *
 * @param copyOf for parts with so many members that a copy has a way of its own
 */
export function produceFlat<T extends object>(
  base: T,
  recipe: (copy: Flat<T>) => void,
  copyOf: (base: T) => Flat<T> = spread,
): T {
  const copy = copyOf(base);
  recipe(copy);
  let isNew = false;
  for (const key in copy) {
    if (copy[key] === base[key]) continue;
    isNew = true;
    deepFreeze(copy[key]);
  }
  // All else that the copy holds is frozen, as it is the base's.
  return isNew || lacksMember(base, copy) ? Object.freeze(copy) : base;
}

function spread<T extends object>(base: T): Flat<T> {
  return { ...base };
}

function lacksMember(base: object, copy: object): boolean {
  for (const key in base) if (!(key in copy)) return true;
  return false;
}
