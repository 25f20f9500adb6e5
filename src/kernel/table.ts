import type { ContentHashed, Hash, SelectiveHasher } from "./hash.ts";
import { deepFreeze } from "./plain.ts";
import {
  type Branch,
  branch,
  childAt,
  firstOf,
  hashOfNode,
  inserted,
  leaf,
  lowerBound,
  MAX_ENTRIES,
  type Node,
  removed,
  replaced,
  split,
} from "./tree.ts";
import { changedEntries } from "./tree-changes.ts";

/**
 * A persistent map from strings to frozen values, sorted by key: the collection for everything that can grow.
 *
 * A write returns a new table and shares all but one path with the old one, so a state can be kept for the price of what
 * changed. Look-up, write, first entry after a key, entry at an index and index of a key cost O(log n). Keys are ordered
 * by UTF-16 code unit, which is byte order for all text without surrogates.
 *
 * It is a B+ tree, opaque to immer: a draft holds a table as one value, and is given another one.
 *
 * @example
 * const ages = Table.of<number>().set("ann", 41).set("bob", 38);
 * ages.get("ann"); // 41
 * [...ages.entries({ prefix: "b" })]; // [["bob", 38]]
 */
export class Table<V> implements Iterable<readonly [string, V]>, ContentHashed {
  static readonly #empty: Table<unknown> = new Table<unknown>(leaf([], []));

  readonly #root: Node<V>;

  private constructor(root: Node<V>) {
    this.#root = root;
    Object.freeze(this);
  }

  /** An empty table. */
  static of<V>(): Table<V> {
    return Table.#empty as Table<V>;
  }

  /** A table of the given entries; of several with one key the last stays. */
  static from<V>(entries: Iterable<readonly [string, V]>): Table<V> {
    let table = Table.of<V>();
    for (const [key, value] of entries) table = table.set(key, value);
    return table;
  }

  /**
   * The entries in which two tables differ, by key: `[key, before, after]`. Nodes that both have are skipped unseen, so the
   * cost is that of what changed.
   */
  static *changes<V>(before: Table<V>, after: Table<V>): Generator<readonly [string, V | undefined, V | undefined]> {
    if (before.#root === after.#root) return;
    yield* changedEntries([before.#root], [after.#root]);
  }

  get size(): number {
    return this.#root.size;
  }

  get(key: string): V | undefined {
    let node = this.#root;
    while (node.children !== undefined) node = node.children[childAt(node.keys, key)] as Node<V>;
    const index = lowerBound(node.keys, key);
    return node.keys[index] === key ? node.values[index] : undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** A table that also has this entry, in the place of one with the same key. Freezes the value; refuses drafts. */
  set(key: string, value: V): Table<V> {
    if (value === undefined) throw new TypeError(`a table holds no undefined, but ${key} was set to it`);
    const root = inserted(this.#root, key, deepFreeze(value));
    if (root === this.#root) return this;
    if (root.keys.length <= MAX_ENTRIES) return new Table(root);
    return new Table(branch(split(root, true)));
  }

  /** A table with what becomes of an entry, if it is there: as `get` and then `set`, on one way down the tree. */
  update(key: string, change: (value: V) => V): Table<V> {
    const root = replaced(this.#root, key, (value) => {
      const after = deepFreeze(change(value));
      if (after === undefined) throw new TypeError(`a table holds no undefined, but ${key} was set to it`);
      return after;
    });
    return root === this.#root ? this : new Table(root);
  }

  /** A table without this key; the same table when it has none. */
  delete(key: string): Table<V> {
    let root = removed(this.#root, key);
    if (root === this.#root) return this;
    if (root === undefined) return Table.of<V>();
    while (root.children !== undefined && root.children.length === 1) root = root.children[0] as Node<V>;
    return new Table(root);
  }

  /** The first entry whose key is `from` or greater. */
  firstFrom(from: string): readonly [string, V] | undefined {
    let node = this.#root;
    let beyond: Node<V> | undefined;
    while (node.children !== undefined) {
      const child = childAt(node.keys, from);
      beyond = node.children[child + 1] ?? beyond;
      node = node.children[child] as Node<V>;
    }
    const index = lowerBound(node.keys, from);
    if (index < node.keys.length) return [node.keys[index] as string, node.values[index] as V];
    return beyond === undefined ? undefined : firstOf(beyond);
  }

  /** The entry with the smallest key. */
  first(): readonly [string, V] | undefined {
    return this.size === 0 ? undefined : firstOf(this.#root);
  }

  /** The entry at an index in key order. */
  at(index: number): readonly [string, V] | undefined {
    if (!(index >= 0 && index < this.size)) return undefined;
    let node = this.#root;
    let rest = index;
    while (node.children !== undefined) {
      let child = 0;
      while (rest >= (node.children[child] as Node<V>).size) rest -= (node.children[child++] as Node<V>).size;
      node = node.children[child] as Node<V>;
    }
    return [node.keys[rest] as string, node.values[rest] as V];
  }

  /** How many keys are smaller than this one. */
  rank(key: string): number {
    let node = this.#root;
    let rank = 0;
    while (node.children !== undefined) {
      const child = childAt(node.keys, key);
      for (let before = 0; before < child; before++) rank += (node.children[before] as Node<V>).size;
      node = node.children[child] as Node<V>;
    }
    return rank + lowerBound(node.keys, key);
  }

  /** Entries in key order: all, those from a key on, or those whose key starts with a prefix. */
  *entries(range: { readonly from?: string; readonly prefix?: string } = {}): Generator<readonly [string, V]> {
    const prefix = range.prefix ?? "";
    const from = range.from !== undefined && range.from > prefix ? range.from : prefix;
    const path: { readonly node: Branch<V>; child: number }[] = [];
    let node: Node<V> | undefined = this.#root;
    let first = true;
    while (node !== undefined) {
      while (node.children !== undefined) {
        const child: number = first ? childAt(node.keys, from) : 0;
        path.push({ node, child });
        node = node.children[child] as Node<V>;
      }
      for (let index = first ? lowerBound(node.keys, from) : 0; index < node.keys.length; index++) {
        const key = node.keys[index] as string;
        if (!key.startsWith(prefix)) return;
        yield [key, node.values[index] as V];
      }
      first = false;
      node = undefined;
      for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
        top.child += 1;
        node = top.node.children[top.child];
        if (node !== undefined) break;
        path.pop();
      }
    }
  }

  /** Keys in order, as `entries` gives them. */
  *keys(range: { readonly from?: string; readonly prefix?: string } = {}): Generator<string> {
    for (const [key] of this.entries(range)) yield key;
  }

  /** Values in the order of their keys, as `entries` gives them. */
  *values(range: { readonly from?: string; readonly prefix?: string } = {}): Generator<V> {
    for (const [, value] of this.entries(range)) yield value;
  }

  [Symbol.iterator](): Generator<readonly [string, V]> {
    return this.entries();
  }

  /** What the entries are, whatever the order in which they came: equal contents, equal hashes. Remembered per node. */
  contentHash(by?: SelectiveHasher): Hash {
    return hashOfNode(this.#root, by);
  }

  /** An object of the entries, for JSON and for people. */
  toJSON(): { readonly [key: string]: V } {
    const object = Object.create(null) as Record<string, V>;
    for (const [key, value] of this.entries()) object[key] = value;
    return object;
  }
}
