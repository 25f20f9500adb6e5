import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Plain } from "../../../kernel/plain.ts";
import type { Table } from "../../../kernel/table.ts";
import type { InMount } from "../place.ts";

/**
 * What is stored at a path: the object that was sent, whole. It is its JSON text where doubles do not hold its numbers as they were
 * written, or a copy would exhaust the stack (amendments.md, S30).
 */
export type KvData = KvObject | string;

export type KvObject = { readonly [name: string]: Plain | undefined };

/** What is stored, as far as doubles hold it. */
export function objectOf(data: KvData): KvObject {
  return typeof data === "string" ? (JSON.parse(data) as KvObject) : data;
}

/** A store of values without versions. */
export interface KvSlice {
  readonly entries: Table<KvData>;
}

/** The facts of stores without versions. */
export interface KvEvents {
  /** It took the place of what was there. */
  KvWritten: InMount & { readonly path: string; readonly data: KvData };
  KvDeleted: InMount & { readonly path: string };
}

export const kvEvolvers: FlatEvolvers<KvSlice, KvEvents> = {
  KvWritten: (mount, { path, data }) => {
    mount.entries = mount.entries.set(path, data);
  },
  KvDeleted: (mount, { path }) => {
    mount.entries = mount.entries.delete(path);
  },
};
