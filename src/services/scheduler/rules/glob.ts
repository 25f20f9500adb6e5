/** Whether a pattern means a name: `*` stands for any run of characters, also for none. */
export function matches(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === name;
  const last = rest.pop() ?? "";
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let from = first.length;
  const end = name.length - last.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return from <= end;
}

/**
 * The pattern that is closest to a name: the fewest characters that its asterisks stand for; of equally close ones that which sorts
 * last (decisions-scheduler-acl.md, section 8, look-up of a name).
 */
export function closest(patterns: Iterable<string>, name: string): string | undefined {
  let best: { readonly pattern: string; readonly distance: number } | undefined;
  for (const pattern of patterns) {
    if (!pattern.includes("*") || !matches(pattern, name)) continue;
    const distance = name.length - pattern.length + pattern.split("*").length - 1;
    const isCloser = best === undefined || distance < best.distance;
    if (isCloser || (distance === best?.distance && pattern > best.pattern)) best = { pattern, distance };
  }
  return best?.pattern;
}
