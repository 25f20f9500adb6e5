import type { Capability } from "./capabilities.ts";
import { PatternTree, type Rule } from "./pattern-tree.ts";

/** What a policy grants on the paths that a pattern fits. */
export interface PathRule {
  /** Exact, or with a `*` at the end for any rest, or with `+` for exactly one segment, which may be empty. */
  readonly path: string;
  readonly capabilities: readonly Capability[];
}

/** The rules of several policies as one: per path the union of what they grant, and nothing at all where one denies. */
export class RuleBook {
  readonly #exact = new Map<string, Set<Capability>>();
  /** Rules for any rest of a path, by the text before it. */
  readonly #prefixes = new Map<string, Set<Capability>>();
  /** How long these texts are, the longest first: policies have many rules, but few lengths. */
  readonly #prefixLengths: readonly number[];
  /** Rules with `+`. */
  readonly #patterns: PatternTree;

  readonly #policies: readonly (readonly PathRule[])[];
  /** What the words that its rules say are called elsewhere, by the renaming. */
  readonly #meant = new WeakMap<Renames, readonly string[]>();

  constructor(policies: readonly (readonly PathRule[])[]) {
    this.#policies = policies;
    const patterns = new Map<string, Set<Capability>>();
    for (const rules of policies) {
      for (const { path, capabilities } of rules) {
        const [table, key] = this.#placeOf(path, patterns);
        const granted = table.get(key) ?? new Set();
        // An empty list denies (A.8).
        for (const capability of capabilities.length === 0 ? (["deny"] as const) : capabilities)
          granted.add(capability);
        table.set(key, granted);
      }
    }
    this.#prefixLengths = [...new Set([...this.#prefixes.keys()].map((prefix) => prefix.length))].sort(
      (left, right) => right - left,
    );
    this.#patterns = new PatternTree(
      [...patterns]
        .map(([pattern, granted]) => ({ pattern, granted }))
        .sort((left, right) => bySpecificity(left.pattern, right.pattern)),
    );
  }

  #placeOf(path: string, patterns: Map<string, Set<Capability>>): readonly [Map<string, Set<Capability>>, string] {
    if (path.split("/").includes("+")) return [patterns, path];
    return path.endsWith("*") ? [this.#prefixes, path.slice(0, -1)] : [this.#exact, path];
  }

  /** What is granted on a path: exactly one rule applies, the most specific. */
  capabilitiesOn(path: string): ReadonlySet<Capability> {
    return deniedIfAny(this.#exact.get(path) ?? this.#bestRule(path)?.granted);
  }

  /** What is granted on a listing of a path, whose trailing slash an exact rule may have or lack (amendments.md, S5). */
  capabilitiesOnListing(path: string): ReadonlySet<Capability> {
    const bare = path.endsWith("/") ? path.slice(0, -1) : path;
    const listed = `${bare}/`;
    const exact = this.#exact.get(listed) ?? this.#exact.get(bare);
    return deniedIfAny(exact ?? this.#bestRule(listed)?.granted);
  }

  /**
   * What is granted on a path that is called by another one as well, because a vocabulary renames it: rule text knows both words. Rules that
   * say the same path in either are one; of others the more specific applies.
   */
  capabilitiesOnEither(path: string, other: string, listing: boolean): ReadonlySet<Capability> {
    const one = this.ruleOn(path, listing);
    const two = this.ruleOn(other, listing);
    if (one === undefined || two === undefined || one.granted === two.granted)
      return deniedIfAny((one ?? two)?.granted);
    if (saidAs(two.pattern, other, path) === one.pattern) return deniedIfAny(new Set([...one.granted, ...two.granted]));
    return deniedIfAny(bySpecificity(one.pattern, two.pattern) < 0 ? one.granted : two.granted);
  }

  /** Whether a rule calls something in a path by the word of a vocabulary: else it is no matter that there are other words. */
  callsOtherwise(path: string, renames: Renames): boolean {
    let meant = this.#meant.get(renames);
    if (meant === undefined) {
      const said = [...renames].filter(([word]) =>
        this.#policies.some((rules) => rules.some((rule) => says(rule, word))),
      );
      meant = said.map(([, neutral]) => neutral);
      this.#meant.set(renames, meant);
    }
    return meant.some((word) => path.includes(word));
  }

  /** Whether a rule grants anything on a path that begins with a mount's, whatever other rules deny. */
  reachesBelow(mount: string): boolean {
    return this.#policies.some((rules) =>
      rules.some(
        ({ path, capabilities }) =>
          capabilities.length > 0 && !capabilities.includes("deny") && goesBelow(path.split("/"), mount.split("/")),
      ),
    );
  }

  /** The rule that applies to a path, or to a listing of it. */
  ruleOn(path: string, listing: boolean): Rule | undefined {
    const bare = path.endsWith("/") ? path.slice(0, -1) : path;
    for (const pattern of listing ? [`${bare}/`, bare] : [path]) {
      const granted = this.#exact.get(pattern);
      if (granted !== undefined) return { pattern, granted };
    }
    return this.#bestRule(listing ? `${bare}/` : path);
  }

  /** The most specific of the rules with wildcards that fit. */
  #bestRule(path: string): Rule | undefined {
    const pattern = this.#patterns.find(path);
    const prefix = this.#longestPrefix(path);
    if (pattern === undefined || prefix === undefined) return pattern ?? prefix;
    return bySpecificity(pattern.pattern, prefix.pattern) < 0 ? pattern : prefix;
  }

  #longestPrefix(path: string): Rule | undefined {
    for (const length of this.#prefixLengths) {
      const prefix = path.slice(0, length);
      const granted = prefix.length < length ? undefined : this.#prefixes.get(prefix);
      if (granted !== undefined) return { pattern: `${prefix}*`, granted };
    }
    return undefined;
  }
}

/** Whether a pattern may fit a path below a mount, whose last segment is empty. */
function goesBelow(pattern: readonly string[], mount: readonly string[]): boolean {
  for (const [index, segment] of mount.slice(0, -1).entries()) {
    const said = pattern[index];
    if (said === undefined) return false;
    if (index === pattern.length - 1) return said.endsWith("*") && segment.startsWith(said.slice(0, -1));
    if (said !== "+" && said !== segment) return false;
  }
  return true;
}

const NOTHING: ReadonlySet<Capability> = new Set();

function deniedIfAny(granted: ReadonlySet<Capability> | undefined): ReadonlySet<Capability> {
  return granted === undefined || granted.has("deny") ? NOTHING : granted;
}

/** Words and what they are called elsewhere. */
type Renames = ReadonlyMap<string, string>;

/** Whether a rule has a word as a segment, or ends in what one begins with. */
function says({ path }: PathRule, word: string): boolean {
  const segments = path.split("/");
  const last = segments.at(-1) ?? "";
  return segments.includes(word) || (last.endsWith("*") && last !== "*" && word.startsWith(last.slice(0, -1)));
}

/** A pattern in the words of another path that means the same: segments that both paths spell out take the other's word. */
function saidAs(pattern: string, path: string, other: string): string {
  const [given, wanted] = [path.split("/"), other.split("/")];
  return pattern
    .split("/")
    .map((segment, index) => (segment === given[index] ? (wanted[index] ?? segment) : segment))
    .join("/");
}

/**
 * The order of patterns, the most specific first.
 *
 * Source: decisions-secrets-core.md, A.8 "Priority": the first `*` or `+` further right wins; no trailing `*` beats one;
 * fewer `+`; longer; lexicographically greater.
 */
function bySpecificity(left: string, right: string): number {
  return (
    firstWildcard(right) - firstWildcard(left) ||
    Number(left.endsWith("*")) - Number(right.endsWith("*")) ||
    plusSegments(left) - plusSegments(right) ||
    right.length - left.length ||
    (left < right ? 1 : left > right ? -1 : 0)
  );
}

function firstWildcard(pattern: string): number {
  const plus = pattern.split("/").indexOf("+");
  const plusAt =
    plus < 0 ? Number.POSITIVE_INFINITY : pattern.split("/").slice(0, plus).join("/").length + (plus === 0 ? 0 : 1);
  const star = pattern.endsWith("*") ? pattern.length - 1 : Number.POSITIVE_INFINITY;
  return Math.min(plusAt, star);
}

function plusSegments(pattern: string): number {
  return pattern.split("/").filter((segment) => segment === "+").length;
}
