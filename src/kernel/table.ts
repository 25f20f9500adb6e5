import { addHashes, type ContentHashed, type Hash, hashOfEntry, NO_HASH } from "./hash.ts";
import { deepFreeze } from "./plain.ts";

/** Entries a tree node holds at most. Small nodes copy less per write and so keep less per checkpoint. */
const MAX_ENTRIES = 16;
/** Two neighbours are joined when one has become this small and both fit into one node with room to spare. */
const FEW_ENTRIES = 4;
const JOINED_ENTRIES = 12;

interface Leaf<V> {
  readonly keys: readonly string[];
  readonly values: readonly V[];
  readonly children: undefined;
  readonly size: number;
  hash: Hash | undefined;
}

interface Branch<V> {
  /** The smallest key below each child. */
  readonly keys: readonly string[];
  readonly values: undefined;
  readonly children: readonly Node<V>[];
  readonly size: number;
  hash: Hash | undefined;
}

type Node<V> = Leaf<V> | Branch<V>;

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
  contentHash(): Hash {
    return hashOfNode(this.#root);
  }

  /** An object of the entries, for JSON and for people. */
  toJSON(): { readonly [key: string]: V } {
    const object = Object.create(null) as Record<string, V>;
    for (const [key, value] of this.entries()) object[key] = value;
    return object;
  }
}

function leaf<V>(keys: readonly string[], values: readonly V[]): Leaf<V> {
  return { keys, values, children: undefined, size: keys.length, hash: undefined };
}

function branch<V>(children: readonly Node<V>[]): Branch<V> {
  const keys: string[] = [];
  let size = 0;
  for (const child of children) {
    keys.push(child.keys[0] as string);
    size += child.size;
  }
  return { keys, values: undefined, children, size, hash: undefined };
}

function firstOf<V>(root: Node<V>): readonly [string, V] {
  let node = root;
  while (node.children !== undefined) node = node.children[0] as Node<V>;
  return [node.keys[0] as string, node.values[0] as V];
}

/** The index of the first key that is not smaller. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The child whose range holds the key; the first one for keys before all. */
function childAt(keys: readonly string[], key: string): number {
  let low = 1;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as string) <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The node with the entry: the same one when nothing changed, one entry too large when it has to be split. */
function inserted<V>(node: Node<V>, key: string, value: V): Node<V> {
  if (node.children === undefined) {
    const index = lowerBound(node.keys, key);
    if (node.keys[index] === key) {
      if (node.values[index] === value) return node;
      const values = node.values.slice();
      values[index] = value;
      return leaf(node.keys, values);
    }
    return leaf(withItem(node.keys, index, key), withItem(node.values, index, value));
  }
  const at = childAt(node.keys, key);
  const child = node.children[at] as Node<V>;
  const next = inserted(child, key, value);
  if (next === child) return node;
  if (next.keys.length <= MAX_ENTRIES) return withChild(node, at, next);
  const children = node.children.slice();
  children.splice(at, 1, ...split(next, at === node.children.length - 1));
  return branch(children);
}

/** The node without the key: the same one when it has none, undefined when nothing is left. */
function removed<V>(node: Node<V>, key: string): Node<V> | undefined {
  if (node.children === undefined) {
    const index = lowerBound(node.keys, key);
    if (node.keys[index] !== key) return node;
    if (node.keys.length === 1) return undefined;
    return leaf(withoutItem(node.keys, index), withoutItem(node.values, index));
  }
  const at = childAt(node.keys, key);
  const child = node.children[at] as Node<V>;
  const next = removed(child, key);
  if (next === child) return node;
  if (next === undefined) {
    const children = withoutItem(node.children, at);
    return children.length === 0 ? undefined : branch(children);
  }
  if (next.keys.length <= FEW_ENTRIES && node.children.length > 1) {
    const left = at === 0 ? 0 : at - 1;
    const pair: readonly [Node<V>, Node<V>] =
      at === 0 ? [next, node.children[1] as Node<V>] : [node.children[at - 1] as Node<V>, next];
    if (pair[0].keys.length + pair[1].keys.length <= JOINED_ENTRIES) {
      const children = node.children.slice();
      children.splice(left, 2, joined(pair[0], pair[1]));
      return branch(children);
    }
  }
  return withChild(node, at, next);
}

function withChild<V>(node: Branch<V>, at: number, child: Node<V>): Branch<V> {
  const children = node.children.slice();
  const before = children[at] as Node<V>;
  children[at] = child;
  let keys = node.keys;
  const smallest = child.keys[0] as string;
  if (keys[at] !== smallest) {
    const changed = keys.slice();
    changed[at] = smallest;
    keys = changed;
  }
  return { keys, values: undefined, children, size: node.size - before.size + child.size, hash: undefined };
}

/** Halves a node; at the right edge the left part stays full, because keys that grow never come back to it. */
function split<V>(node: Node<V>, atRightEdge: boolean): [Node<V>, Node<V>] {
  const at = atRightEdge ? MAX_ENTRIES - 2 : node.keys.length >>> 1;
  if (node.children === undefined) {
    return [leaf(node.keys.slice(0, at), node.values.slice(0, at)), leaf(node.keys.slice(at), node.values.slice(at))];
  }
  return [branch(node.children.slice(0, at)), branch(node.children.slice(at))];
}

function joined<V>(left: Node<V>, right: Node<V>): Node<V> {
  if (left.children === undefined || right.children === undefined) {
    return leaf([...left.keys, ...right.keys], [...(left.values as readonly V[]), ...(right.values as readonly V[])]);
  }
  return branch([...left.children, ...right.children]);
}

function withItem<T>(items: readonly T[], index: number, item: T): T[] {
  const copy = items.slice(0, index);
  copy.push(item);
  for (let rest = index; rest < items.length; rest++) copy.push(items[rest] as T);
  return copy;
}

function withoutItem<T>(items: readonly T[], index: number): T[] {
  const copy = items.slice(0, index);
  for (let rest = index + 1; rest < items.length; rest++) copy.push(items[rest] as T);
  return copy;
}

/** What differs between two rows of nodes of one key range each, level by level: shared nodes drop out on the way down. */
function* changedEntries<V>(
  before: readonly Node<V>[],
  after: readonly Node<V>[],
): Generator<readonly [string, V | undefined, V | undefined]> {
  let [left, right] = [before, after];
  for (;;) {
    const [leftHeight, rightHeight] = [heightOf(left[0]), heightOf(right[0])];
    if (leftHeight === rightHeight) {
      const [inLeft, inRight] = [new Set(left), new Set(right)];
      left = left.filter((node) => !inRight.has(node));
      right = right.filter((node) => !inLeft.has(node));
    }
    if (leftHeight <= 0 && rightHeight <= 0) break;
    if (leftHeight >= rightHeight) left = left.flatMap((node) => node.children ?? [node]);
    if (rightHeight >= leftHeight) right = right.flatMap((node) => node.children ?? [node]);
  }
  yield* mergedLeaves(left, right);
}

/** 0 for a leaf, one more per level; -1 for no node. */
function heightOf<V>(node: Node<V> | undefined): number {
  let height = -1;
  for (let below = node; below !== undefined; below = below.children?.[0]) height += 1;
  return height;
}

function* mergedLeaves<V>(
  left: readonly Node<V>[],
  right: readonly Node<V>[],
): Generator<readonly [string, V | undefined, V | undefined]> {
  const befores = entriesOf(left);
  const afters = entriesOf(right);
  let before = befores.next();
  let after = afters.next();
  while (!before.done || !after.done) {
    const key = before.done ? undefined : before.value[0];
    const otherKey = after.done ? undefined : after.value[0];
    if (otherKey === undefined || (key !== undefined && key < otherKey)) {
      yield [key as string, before.value?.[1], undefined];
      before = befores.next();
    } else if (key === undefined || otherKey < key) {
      yield [otherKey, undefined, after.value?.[1]];
      after = afters.next();
    } else {
      if (before.value?.[1] !== after.value?.[1]) yield [key, before.value?.[1], after.value?.[1]];
      before = befores.next();
      after = afters.next();
    }
  }
}

function* entriesOf<V>(leaves: readonly Node<V>[]): Generator<readonly [string, V], undefined> {
  for (const { keys, values } of leaves) {
    for (let index = 0; index < keys.length; index++) yield [keys[index] as string, values?.[index] as V];
  }
  return undefined;
}

function hashOfNode<V>(node: Node<V>): Hash {
  if (node.hash !== undefined) return node.hash;
  let sum = NO_HASH;
  if (node.children !== undefined) {
    for (const child of node.children) sum = addHashes(sum, hashOfNode(child));
  } else {
    for (let index = 0; index < node.keys.length; index++) {
      sum = addHashes(sum, hashOfEntry(node.keys[index] as string, node.values[index]));
    }
  }
  node.hash = sum;
  return sum;
}
