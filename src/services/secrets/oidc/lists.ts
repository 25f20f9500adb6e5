/**
 * A list as the configuration keeps it: trimmed, without empty items, each once, sorted.
 *
 * Source: decisions-oidc.md, 1 "Array normalisation".
 */
export function sortedItems(items: readonly string[]): readonly string[] {
  return [...new Set(items.map((item) => item.trim()).filter((item) => item !== ""))].sort();
}

/** Whether a sorted list has an item: lists of ids may be long. */
export function hasItem(sorted: readonly string[], item: string): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as string) < item) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === item;
}

/** Whether a sorted list allows an id, by itself or with all others. */
export function allows(sorted: readonly string[], id: string): boolean {
  return hasItem(sorted, "*") || hasItem(sorted, id);
}
