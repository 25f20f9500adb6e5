/** Names of policies as tokens and people hold them: each once, and beside `root` no other (amendments.md, S31). */
export function policyNames(given: readonly string[]): readonly string[] {
  const names = new Set(given.map((name) => name.trim().toLowerCase()).filter((name) => name !== ""));
  return names.has("root") ? ["root"] : [...names].sort();
}

export function hasRoot(policies: readonly string[]): boolean {
  return policies.includes("root");
}
