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
