import { matches } from "../../../languages/glob.ts";

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
