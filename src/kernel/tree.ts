import { addHashes, type Hash, hashOfEntry, NO_HASH, type SelectiveHasher } from "./hash.ts";

// The nodes of the B+ tree behind `Table`. Nothing here changes a node: each function returns a new one, or the same.
// Arrays are made by slicing, splicing into a copy and mapping, never by pushing: what push reserves would be kept for ever.

/** Entries a tree node holds at most. Small nodes copy less per write and so keep less per checkpoint. */
export const MAX_ENTRIES = 16;
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

export interface Branch<V> {
  /** The smallest key below each child. */
  readonly keys: readonly string[];
  readonly values: undefined;
  readonly children: readonly Node<V>[];
  readonly size: number;
  hash: Hash | undefined;
}

export type Node<V> = Leaf<V> | Branch<V>;

export function leaf<V>(keys: readonly string[], values: readonly V[]): Leaf<V> {
  return { keys, values, children: undefined, size: keys.length, hash: undefined };
}

export function branch<V>(children: readonly Node<V>[]): Branch<V> {
  const keys = children.map((child) => child.keys[0] as string);
  let size = 0;
  for (const child of children) size += child.size;
  return { keys, values: undefined, children, size, hash: undefined };
}

export function firstOf<V>(root: Node<V>): readonly [string, V] {
  let node = root;
  while (node.children !== undefined) node = node.children[0] as Node<V>;
  return [node.keys[0] as string, node.values[0] as V];
}

/** The index of the first key that is not smaller. */
export function lowerBound(keys: readonly string[], key: string): number {
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
export function childAt(keys: readonly string[], key: string): number {
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
export function inserted<V>(node: Node<V>, key: string, value: V): Node<V> {
  if (node.children === undefined) {
    const index = lowerBound(node.keys, key);
    if (node.keys[index] === key) {
      if (node.values[index] === value) return node;
      const values = node.values.slice();
      values[index] = value;
      return leaf(node.keys, values);
    }
    return leaf(node.keys.toSpliced(index, 0, key), node.values.toSpliced(index, 0, value));
  }
  const at = childAt(node.keys, key);
  const child = node.children[at] as Node<V>;
  const next = inserted(child, key, value);
  if (next === child) return node;
  if (next.keys.length <= MAX_ENTRIES) return withChild(node, at, next);
  return branch(node.children.toSpliced(at, 1, ...split(next, at === node.children.length - 1)));
}

/** The node with what becomes of an entry: the same one when it has no such entry, or when that stays what it was. */
export function replaced<V>(node: Node<V>, key: string, change: (value: V) => V): Node<V> {
  if (node.children === undefined) {
    const index = lowerBound(node.keys, key);
    if (node.keys[index] !== key) return node;
    const before = node.values[index] as V;
    const after = change(before);
    if (after === before) return node;
    const values = node.values.slice();
    values[index] = after;
    return leaf(node.keys, values);
  }
  const at = childAt(node.keys, key);
  const child = node.children[at] as Node<V>;
  const next = replaced(child, key, change);
  return next === child ? node : withChild(node, at, next);
}

/** The node without the key: the same one when it has none, undefined when nothing is left. */
export function removed<V>(node: Node<V>, key: string): Node<V> | undefined {
  if (node.children === undefined) {
    const index = lowerBound(node.keys, key);
    if (node.keys[index] !== key) return node;
    if (node.keys.length === 1) return undefined;
    return leaf(node.keys.toSpliced(index, 1), node.values.toSpliced(index, 1));
  }
  const at = childAt(node.keys, key);
  const child = node.children[at] as Node<V>;
  const next = removed(child, key);
  if (next === child) return node;
  if (next === undefined) {
    return node.children.length === 1 ? undefined : branch(node.children.toSpliced(at, 1));
  }
  if (next.keys.length <= FEW_ENTRIES && node.children.length > 1) {
    const left = at === 0 ? 0 : at - 1;
    const pair: readonly [Node<V>, Node<V>] =
      at === 0 ? [next, node.children[1] as Node<V>] : [node.children[at - 1] as Node<V>, next];
    if (pair[0].keys.length + pair[1].keys.length <= JOINED_ENTRIES) {
      return branch(node.children.toSpliced(left, 2, joined(pair[0], pair[1])));
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
export function split<V>(node: Node<V>, atRightEdge: boolean): [Node<V>, Node<V>] {
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

/** The sum of the hashes of all entries below a node, remembered with it. */
export function hashOfNode<V>(node: Node<V>, by?: SelectiveHasher): Hash {
  if (by !== undefined) return by.remembered(node, true, () => sumOfNode(node, by));
  node.hash ??= sumOfNode(node, undefined);
  return node.hash;
}

function sumOfNode<V>(node: Node<V>, by: SelectiveHasher | undefined): Hash {
  let sum = NO_HASH;
  if (node.children !== undefined) {
    for (const child of node.children) sum = addHashes(sum, hashOfNode(child, by));
    return sum;
  }
  for (let index = 0; index < node.keys.length; index++) {
    const key = node.keys[index] as string;
    const value = node.values[index];
    sum = addHashes(sum, by === undefined ? hashOfEntry(key, value) : by.hashOfEntry(key, value));
  }
  return sum;
}
