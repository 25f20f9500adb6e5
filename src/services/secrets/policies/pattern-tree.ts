import type { Capability } from "./capabilities.ts";
import type { Limits } from "./limits.ts";

/** A rule that applies, and what it grants. */
export interface Rule {
  readonly pattern: string;
  readonly granted: ReadonlySet<Capability>;
  /** What it asks of requests besides. */
  readonly limits?: Limits | undefined;
}

interface Ranked extends Rule {
  /** Its place among all, the most specific first. */
  readonly rank: number;
}

/** What rules say behind the segments that lead here. */
class Branch {
  readonly next = new Map<string, Branch>();
  /** The rule that ends here. */
  ends: Ranked | undefined;
  /** The rule that ends here, or goes on with any rest. */
  goesOn: Ranked | undefined;
  /** Rules for any rest, by what the next segment begins with, and how long that is. */
  readonly begins = new Map<string, Ranked>();
  readonly lengths = new Set<number>();
  /** The rank of the most specific rule here and below. */
  best = Number.POSITIVE_INFINITY;
}

/** Rules with `+`, segment by segment: what fits a path is found without looking at each of them. */
export class PatternTree {
  readonly #root = new Branch();

  /** @param rules the most specific first */
  constructor(rules: Iterable<Rule>) {
    let rank = 0;
    for (const rule of rules) this.#add({ ...rule, rank: rank++ });
  }

  #add(rule: Ranked): void {
    const isOpen = rule.pattern.endsWith("*");
    const segments = (isOpen ? rule.pattern.slice(0, -1) : rule.pattern).split("/");
    const beginning = isOpen && segments.at(-1) !== "+" ? segments.pop() : undefined;
    let branch = this.#root;
    branch.best = Math.min(branch.best, rule.rank);
    for (const segment of segments) {
      const next = branch.next.get(segment) ?? new Branch();
      branch.next.set(segment, next);
      branch = next;
      branch.best = Math.min(branch.best, rule.rank);
    }
    if (beginning !== undefined) {
      branch.begins.set(beginning, rule);
      branch.lengths.add(beginning.length);
    } else if (isOpen) branch.goesOn = rule;
    else branch.ends = rule;
  }

  /** The most specific of the rules that fit a path. */
  find(path: string): Rule | undefined {
    return sought(this.#root, path.split("/"), 0, undefined);
  }
}

function sought(branch: Branch, path: readonly string[], at: number, found: Ranked | undefined): Ranked | undefined {
  if (branch.best >= (found?.rank ?? Number.POSITIVE_INFINITY)) return found;
  let best = better(found, branch.goesOn);
  const segment = path[at];
  if (segment === undefined) return better(best, branch.ends);
  for (const length of branch.lengths) {
    if (length <= segment.length) best = better(best, branch.begins.get(segment.slice(0, length)));
  }
  // Segments that are spelled out are more specific: what they lead to saves looking at most of the others.
  const spelled = segment === "+" ? undefined : branch.next.get(segment);
  if (spelled !== undefined) best = sought(spelled, path, at + 1, best);
  // `+` is one segment, also an empty one (amendments.md, S5).
  const any = branch.next.get("+");
  return any === undefined ? best : sought(any, path, at + 1, best);
}

function better(one: Ranked | undefined, other: Ranked | undefined): Ranked | undefined {
  return other === undefined || (one !== undefined && one.rank < other.rank) ? one : other;
}
