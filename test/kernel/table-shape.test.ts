import { describe, expect, it } from "vitest";
import { Draw } from "../../src/kernel/randomness.ts";
import { Table } from "../../src/kernel/table.ts";
import { MAX_ENTRIES, type Node as TreeNode } from "../../src/kernel/tree.ts";
import { privateField } from "../support/private-field.ts";

// How a table's tree looks inside. No method shows it, but the cost of every look-up and write depends on it, and what each
// checkpoint keeps. Whoever builds the tree differently rewrites this file.

type Node = TreeNode<unknown>;

const rootOf = (table: Table<unknown>): Node => privateField(table, "#root") as Node;

const nodesOf = (node: Node): Node[] => [node, ...(node.children ?? []).flatMap(nodesOf)];

const leavesOf = (node: Node): Node[] => nodesOf(node).filter(({ children }) => children === undefined);

const depthOf = (node: Node): number => 1 + Math.max(0, ...(node.children ?? []).map(depthOf));

/** What is wrong with a node and all below it. */
function faultsOf(node: Node): string[] {
  const { keys, values, children, size } = node;
  const ascending = keys.every((key, index) => index === 0 || (keys[index - 1] as string) < key);
  const faults = [
    ...(keys.length <= MAX_ENTRIES ? [] : [`${keys.length} entries in a node`]),
    ...(ascending ? [] : [`keys out of order: ${keys.join()}`]),
  ];
  if (children === undefined) {
    return values?.length === keys.length && size === keys.length ? faults : [...faults, "a leaf that miscounts"];
  }
  const sum = children.reduce((total, child) => total + child.size, 0);
  const divided = children.every((child, index) => child.keys[0] === keys[index]) && children.length === keys.length;
  return [
    ...faults,
    ...(sum === size ? [] : [`a node of ${sum} that says ${size}`]),
    ...(divided ? [] : ["a dividing key that is not the smallest below it"]),
    ...(new Set(children.map(depthOf)).size === 1 ? [] : ["branches of different depths"]),
    ...children.flatMap(faultsOf),
  ];
}

function treeFaults(table: Table<unknown>): string[] {
  const root = rootOf(table);
  const empty = root.size === 0 ? 0 : nodesOf(root).filter(({ keys }) => keys.length === 0).length;
  return [
    ...faultsOf(root),
    ...(empty === 0 ? [] : [`${empty} empty nodes`]),
    ...(root.children?.length === 1 ? ["a root with one child"] : []),
  ];
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index}`.padStart(6, "0"));

const tableOf = (keys: readonly string[]): Table<string> => Table.from(keys.map((key) => [key, key] as const));

describe("the tree of a table", () => {
  it.each<[life: string, keyOf: (draw: Draw, round: number) => string, shareOfDeletions: number]>([
    ["grows at random", (draw) => `${draw.below(4_000)}`, 25],
    ["shrinks at random", (draw) => `${draw.below(4_000)}`, 75],
    ["grows at its end, as deadlines do", (draw, round) => `${round - draw.below(300)}`.padStart(8, "0"), 50],
    ["lives in few clusters, as leases by token", (draw) => `${draw.below(5)}/${draw.base62(2)}`, 45],
  ])("is in order after each of 3,000 writes when it %s", (life, keyOf, shareOfDeletions) => {
    const draw = new Draw(life);
    let table: Table<unknown> = draw.below(2) === 0 ? tableOf(numbered(2_000)) : Table.of<unknown>();
    for (let round = 0; round < 3_000; round++) {
      const key = keyOf(draw, round);
      table = draw.below(100) < shareOfDeletions ? table.delete(key) : table.set(key, round);
      if (round % 50 === 0) expect(treeFaults(table)).toEqual([]);
    }
    expect(treeFaults(table)).toEqual([]);
  });

  it.each<[order: string, keys: string[], perLeaf: number]>([
    ["ascending", numbered(10_000), 13],
    ["shuffled", new Draw("shape").shuffle(numbered(10_000)), 8],
    ["descending", numbered(10_000).reverse(), 7],
  ])("is flat and well filled after 10,000 keys in %s order", (_, keys, perLeaf) => {
    const root = rootOf(tableOf(keys));
    expect(depthOf(root)).toBeLessThanOrEqual(5);
    expect(root.size / leavesOf(root).length).toBeGreaterThanOrEqual(perLeaf);
  });

  it("becomes small again when most of its entries go", () => {
    const keys = new Draw("shape").shuffle(numbered(10_000));
    let table = tableOf(keys);
    for (const key of keys.slice(100)) table = table.delete(key);
    const root = rootOf(table);
    expect(root.size).toBe(100);
    expect(leavesOf(root).length).toBeLessThanOrEqual(50);
    expect(depthOf(root)).toBeLessThanOrEqual(4);
    expect(treeFaults(table)).toEqual([]);
  });

  it("shares with the version before all but one path", () => {
    const before = tableOf(numbered(10_000));
    const known = new Set(nodesOf(rootOf(before)));
    const fresh = (after: Table<string>): number => nodesOf(rootOf(after)).filter((node) => !known.has(node)).length;
    const depth = depthOf(rootOf(before));
    expect(fresh(before.set("005000", "other"))).toBe(depth);
    expect(fresh(before.delete("005000"))).toBeLessThanOrEqual(depth + 1);
    expect(fresh(before.set("005000x", "new"))).toBeLessThanOrEqual(2 * depth + 1);
  });
});
