import type { Difference } from "../../kernel/diff.ts";
import { isContentHashed } from "../../kernel/hash.ts";
import { type PathStep, pathText } from "../../kernel/state-path.ts";
import { Table } from "../../kernel/table.ts";
import type { TreeRow } from "../protocol.ts";
import { textShown } from "./shown-values.ts";

/** So many members are shown of what has many. */
const MEMBERS_SHOWN = 200;

/** The rows of a state as a tree in which some paths are open. What a commit changed is marked, and all around it. */
export function treeOf(state: unknown, open: ReadonlySet<string>, changes: readonly Difference[]): TreeRow[] {
  const changed = changes.map(({ path }) => path);
  const rows: TreeRow[] = [];
  const walk = (parent: unknown, steps: readonly PathStep[]): void => {
    let shown = 0;
    for (const [step, value] of membersOf(parent)) {
      if (shown === MEMBERS_SHOWN) {
        rows.push({
          path: "",
          name: "",
          depth: steps.length,
          text: `and ${sizeOf(parent) - shown} more`,
          isChanged: false,
        });
        return;
      }
      shown += 1;
      const own = [...steps, step];
      const path = pathText(own);
      const opens = isParent(value) && sizeOf(value) > 0;
      const isOpen = opens && open.has(path);
      rows.push({
        path,
        name: nameOf(step),
        depth: steps.length,
        text: opens ? `${sizeOf(value)}` : textShown(JSON.stringify(value) ?? "nothing"),
        ...(opens ? { isOpen } : {}),
        isChanged: changed.some((other) => other === path || isBelow(other, path) || isBelow(path, other)),
      });
      if (isOpen) walk(value, own);
    }
  };
  walk(state, []);
  return rows;
}

function isBelow(path: string, above: string): boolean {
  return path.startsWith(above) && /[.[]/.test(path[above.length] ?? "");
}

function nameOf(step: PathStep): string {
  switch (step.kind) {
    case "index":
      return `${step.index}`;
    case "key":
      return step.key;
    case "member":
      return step.name;
  }
}

function isParent(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return value instanceof Table || !isContentHashed(value);
}

function sizeOf(value: unknown): number {
  if (value instanceof Table) return value.size;
  return isParent(value) ? Object.keys(value).length : 0;
}

function* membersOf(value: unknown): Generator<readonly [PathStep, unknown]> {
  if (value instanceof Table) {
    for (const [key, member] of value as Table<unknown>) yield [{ kind: "key", key }, member];
  } else if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) yield [{ kind: "index", index }, member as unknown];
  } else if (isParent(value)) {
    for (const [name, member] of Object.entries(value)) yield [{ kind: "member", name }, member as unknown];
  }
}
