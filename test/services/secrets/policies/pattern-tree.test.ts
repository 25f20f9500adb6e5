import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { PatternTree, type Rule } from "../../../../src/services/secrets/policies/pattern-tree.ts";
import { property } from "../../../support/property.ts";
import { runs } from "../../../support/runs.ts";

const granted = new Set(["read"] as const);
const segment = fc.constantFrom("a", "b", "ab", "+", "+", "");
const pattern = fc
  .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "*", "/*", "a*"))
  .map(([segments, end]) => segments.join("/") + end);
const path = fc
  .array(fc.constantFrom("a", "b", "ab", "+", "", "c"), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join("/"));

/** As one reads the rule: `+` is one segment that is not empty, a last `*` is any rest. */
function fits(text: string, asked: string): boolean {
  const open = text.endsWith("*");
  const wanted = (open ? text.slice(0, -1) : text).split("/");
  const given = asked.split("/");
  if (open ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((part, index) => {
    const actual = given[index] as string;
    if (part === "+") return true;
    return open && index === wanted.length - 1 ? actual.startsWith(part) : actual === part;
  });
}

property([fc.uniqueArray(pattern, { maxLength: 12 }), path], runs(2_000))(
  "the first of the rules that fit is found, whatever there is besides",
  (patterns, asked) => {
    const tree = new PatternTree(patterns.map((one): Rule => ({ pattern: one, granted })));
    expect(tree.find(asked)?.pattern).toBe(patterns.find((one) => fits(one, asked)));
  },
);

test("a path costs what it has segments, however many rules there are", () => {
  const many = Array.from({ length: 20_000 }, (_, index) => index);
  const tree = new PatternTree(many.map((index): Rule => ({ pattern: `team/+/app-${index}`, granted })));
  const looks = vi.spyOn(Map.prototype, "get");
  try {
    for (const index of many) tree.find(`team/x/app-${index}`);
    expect(looks.mock.calls.length).toBeLessThan(10 * many.length);
  } finally {
    looks.mockRestore();
  }
});
