import { differencesText } from "../kernel/difference-text.ts";
import { format } from "../simulator/format.ts";
import type { Simulator } from "../simulator/types.ts";

/** A step changes much that says little, such as indexes: whoever wants it all asks `sim.diff`. */
const CHANGES_TOLD = 8;

/** Where a step that failed left things. */
export interface FailedStep {
  readonly sim: Simulator;
  /** The position before the step. */
  readonly from: number;
  /** The fork on which its expectation ran, when it came to that. */
  readonly fork: Simulator | undefined;
}

/**
 * What a failed step changed, how its last commit came about, and how the last one came about that its expectation made in its
 * fork: text for whoever looks for the cause.
 */
export function whyText({ sim, from, fork }: FailedStep): string {
  const to = sim.position;
  const parts: string[] = [];
  if (to > from) {
    const commits = to === from + 1 ? `commit #${to}` : `commits #${from + 1} to #${to}`;
    parts.push(`changed by ${commits}:`, indented(differencesText(sim.diff(from, to), CHANGES_TOLD)));
    parts.push("last came", indented(explanationText(sim, to)));
  }
  if (fork !== undefined && fork.position > to) {
    parts.push("in its fork, the expectation came to", indented(explanationText(fork, fork.position)));
  }
  return parts.length === 0 ? "the step recorded nothing" : parts.join("\n");
}

/** Without its changes: they are told for the whole step, or are those of a trial. */
function explanationText(sim: Simulator, position: number): string {
  return format({ ...sim.explain(position), changes: [] });
}

function indented(text: string): string {
  return text.replace(/^/gm, "  ");
}
