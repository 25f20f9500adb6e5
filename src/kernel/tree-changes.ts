import type { Node } from "./tree.ts";

/** What differs between two rows of nodes of one key range each, level by level: shared nodes drop out on the way down. */
export function* changedEntries<V>(
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
