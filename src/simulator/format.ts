import type { Difference } from "../kernel/diff.ts";
import { rfc3339 } from "../languages/instant.ts";
import type { Explanation } from "./explain.ts";

/** Values longer than this are cut: a difference can hold a whole subtree. */
const VALUE_CHARACTERS = 120;

/**
 * A difference or an explanation as text for people, without colours.
 *
 * @example
 * console.log(format(sim.diff("before", sim.position)));
 * console.log(format(sim.explain(12)));
 */
export function format(what: readonly Difference[] | Explanation): string {
  return isDifferences(what) ? differencesText(what) : explanationText(what);
}

function isDifferences(what: readonly Difference[] | Explanation): what is readonly Difference[] {
  return Array.isArray(what);
}

function differencesText(differences: readonly Difference[]): string {
  return differences.length === 0 ? "no difference" : differences.flatMap(differenceLines).join("\n");
}

function differenceLines({ path, before, after }: Difference): string[] {
  const lines = [path === "" ? "(everything)" : path];
  if (before !== undefined) lines.push(`  - ${shown(before)}`);
  if (after !== undefined) lines.push(`  + ${shown(after)}`);
  return lines;
}

function explanationText(what: Explanation): string {
  const lines = [`#${what.position} at ${rfc3339(what.atMs)}: ${what.operation ?? "no operation"}`];
  if (what.route !== undefined) lines.push(`route     ${what.route}`);
  if (what.evidence !== undefined) lines.push(`evidence  ${what.evidence}`);
  if (what.caller !== undefined && what.caller !== null) lines.push(`caller    ${shown(what.caller)}`);
  for (const { machine, event, from, to } of what.moves) {
    lines.push(`chart     ${machine}: ${event} from ${shown(from)} to ${shown(to)}`);
  }
  for (const { type, data } of what.events) lines.push(`fact      ${type} ${shown(data)}`);
  for (const difference of what.changes) {
    const [path, ...sides] = differenceLines(difference);
    lines.push(`changed   ${path}`, ...sides.map((side) => `        ${side}`));
  }
  if (what.answer !== undefined) lines.push(`answer    ${shown(what.answer)}`);
  return lines.join("\n");
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  if (text.length <= VALUE_CHARACTERS) return text;
  // Half of a surrogate pair is no character.
  return `${text.slice(0, VALUE_CHARACTERS - 3).replace(/[\ud800-\udbff]$/, "")}...`;
}
