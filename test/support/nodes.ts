import type { Commit } from "../../src/kernel/commit.ts";
import { foldCommit } from "../../src/kernel/fold.ts";
import { Table } from "../../src/kernel/table.ts";
import type { Node as TreeNode } from "../../src/kernel/tree.ts";
import { worldModel } from "../../src/simulator/services.ts";
import type { World } from "../../src/simulator/world.ts";
import { privateField } from "./private-field.ts";

type Node = TreeNode<unknown>;

const roots = new WeakMap<Table<unknown>, Node>();

function rootOf(table: Table<unknown>): Node {
  const root = roots.get(table) ?? (privateField(table, "#root") as Node);
  roots.set(table, root);
  return root;
}

/** How many nodes of its tables a state does not share with another: what the change from one to the other has made. */
function nodesMade(before: unknown, after: unknown): number {
  if (before === after || typeof after !== "object" || after === null) return 0;
  if (after instanceof Table) {
    return (
      newNodes(before instanceof Table ? [rootOf(before)] : [], [rootOf(after)]) + nodesMadeInValues(before, after)
    );
  }
  const known = (typeof before === "object" && before !== null ? before : {}) as Record<string, unknown>;
  return Object.entries(after).reduce((sum, [key, value]) => sum + nodesMade(known[key], value), 0);
}

/** How many nodes of tables commits make, on average, from the state before them on. */
export function nodesPerCommit(before: World, commits: readonly Commit[]): number {
  let [made, state] = [0, before];
  for (const commit of commits) {
    const after = foldCommit(worldModel, state, commit);
    made += nodesMade(state, after);
    state = after;
  }
  return made / commits.length;
}

/** Tables in the values of a table, such as those of a mount. */
function nodesMadeInValues(before: unknown, after: Table<unknown>): number {
  const known = before instanceof Table ? before : Table.of<unknown>();
  let made = 0;
  for (const [, was, is] of Table.changes(known, after)) made += nodesMade(was, is);
  return made;
}

/** Level by level: whatever is shared is left alone with all below it. */
function newNodes(before: readonly Node[], after: readonly Node[]): number {
  const [known, kept] = [new Set(before), new Set(after)];
  const made = after.filter((node) => !known.has(node));
  if (made.length === 0) return 0;
  const gone = before.filter((node) => !kept.has(node));
  const below = (nodes: readonly Node[]): Node[] => nodes.flatMap(({ children }) => children ?? []);
  return made.length + newNodes(below(gone), below(made));
}
