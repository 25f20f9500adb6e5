import type { Difference } from "../kernel/diff.ts";
import { differenceLines, differencesText, shownValue } from "../kernel/difference-text.ts";
import { refusedMoveText } from "../kernel/refused-move.ts";
import { rfc3339 } from "../languages/instant.ts";
import type { Explanation } from "./explain.ts";

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

function explanationText(what: Explanation): string {
  const lines = [`#${what.position} at ${rfc3339(what.atMs)}: ${what.operation ?? "no operation"}`];
  if (what.route !== undefined) lines.push(`route     ${what.route}`);
  if (what.evidence !== undefined) lines.push(`evidence  ${what.evidence}`);
  if (what.caller !== undefined && what.caller !== null) {
    // A deadline's key says to people what is said in their words.
    const { deadline: _, ...caller } = what.caller;
    lines.push(`caller    ${shownValue(what.armedAt === undefined ? what.caller : caller)}`);
  }
  if (what.armedAt !== undefined) lines.push(`armed     by #${what.armedAt}`);
  for (const { machine, event, from, to, description } of what.moves) {
    lines.push(
      `chart     ${machine}: ${event} from ${shownValue(from)} to ${shownValue(to)}${after(": ", description)}`,
    );
  }
  if (what.refusedMove !== undefined) lines.push(`chart     ${refusedMoveText(what.refusedMove)}`);
  for (const { type, data } of what.events) lines.push(`fact      ${type} ${shownValue(data)}`);
  for (const difference of what.changes) {
    const [path, ...sides] = differenceLines(difference);
    lines.push(`changed   ${path}`, ...sides.map((side) => `        ${side}`));
  }
  for (const { text } of what.why?.facts ?? []) lines.push(`why       ${text}`);
  if (what.answer !== undefined) lines.push(`answer    ${shownValue(what.answer)}`);
  return lines.join("\n");
}

function after(head: string, text: string | undefined): string {
  return text === undefined ? "" : `${head}${text}`;
}
