import { isObject, isTexts, own } from "../../languages/objects.ts";

/** What a role allows. Absent members are those that were not given. */
export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs?: readonly string[];
}

const MEMBERS = ["apiGroups", "resources", "resourceNames", "nonResourceURLs", "verbs"] as const;

/**
 * Reads policy rules. Members that a rule does not have are left out.
 *
 * @returns what is wrong with them, in words, when they are none
 */
export function readRules(given: unknown): readonly PolicyRule[] | string {
  if (!Array.isArray(given)) return "rules are an array";
  const rules: PolicyRule[] = [];
  for (const rule of given as readonly unknown[]) {
    if (!isObject(rule)) return "a rule is an object";
    const read: Record<string, readonly string[]> = {};
    for (const member of MEMBERS) {
      const texts = own(rule, member);
      if (texts === undefined || texts === null) continue;
      if (!isTexts(texts)) return `${member} of a rule are an array of texts`;
      read[member] = [...texts];
    }
    rules.push(read);
  }
  return rules;
}
