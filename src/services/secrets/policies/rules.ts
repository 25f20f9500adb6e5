import type { Capability } from "./capabilities.ts";
import { type Limits, mergedLimits } from "./limits.ts";
import { PatternTree, type Rule } from "./pattern-tree.ts";

/** What a policy grants on the paths that a pattern fits. */
export interface PathRule {
  /**
   * Exact, or with a `*` at the end for any rest, or with `+` for exactly one segment, which may be empty. `{{...}}` is filled in by the
   * entity of the token.
   */
  readonly path: string;
  readonly capabilities: readonly Capability[];
  readonly limits?: Limits;
}

/**
 * The rules of several policies as one: per path the union of what they grant, and nothing at all where one denies. Rules with templates
 * are no part of it: they count once they are filled.
 */
export class RuleBook {
  readonly #exact = new Map<string, Rule>();
  /** Rules for any rest of a path, by the text before it. */
  readonly #prefixes = new Map<string, Rule>();
  /** How long these texts are, the longest first: policies have many rules, but few lengths. */
  readonly #prefixLengths: readonly number[];
  /** Rules with `+`. */
  readonly #patterns: PatternTree;

  readonly #policies: readonly (readonly PathRule[])[];
  /** What the words that its rules say are called elsewhere, by the renaming. */
  readonly #meant = new WeakMap<Renames, readonly string[]>();
  /** All rules, with templates, where some have one. */
  readonly #templated: readonly (readonly PathRule[])[];
  readonly #filled = new WeakMap<object, Map<string, RuleBook>>();

  constructor(policies: readonly (readonly PathRule[])[]) {
    const isTemplated = policies.some((rules) => rules.some(({ path }) => isTemplate(path)));
    this.#templated = isTemplated ? policies : [];
    this.#policies = isTemplated ? policies.map((rules) => rules.filter(({ path }) => !isTemplate(path))) : policies;
    const patterns = new Map<string, Rule>();
    for (const rules of this.#policies) {
      for (const rule of rules) {
        const [table, key] = this.#placeOf(rule.path, patterns);
        table.set(key, withRule(table.get(key), rule));
      }
    }
    this.#prefixLengths = [...new Set([...this.#prefixes.keys()].map((prefix) => prefix.length))].sort(
      (left, right) => right - left,
    );
    this.#patterns = new PatternTree(
      [...patterns.values()].sort((left, right) => bySpecificity(left.pattern, right.pattern)),
    );
  }

  get isTemplated(): boolean {
    return this.#templated.length > 0;
  }

  /**
   * The same with its templates filled in.
   *
   * @param people those among whom somebody is: what was filled in counts as long as nothing of them changes
   * @param who who it is
   * @param fill a path with its template filled in; undefined where something has no value
   */
  filledFor(people: object, who: string, fill: (path: string) => string | undefined): RuleBook {
    const books = this.#filled.get(people) ?? new Map<string, RuleBook>();
    this.#filled.set(people, books);
    const filled = (rule: PathRule): readonly PathRule[] => {
      const path = isTemplate(rule.path) ? fill(rule.path) : rule.path;
      return path === undefined ? [] : [{ ...rule, path }];
    };
    const book = books.get(who) ?? new RuleBook(this.#templated.map((rules) => rules.flatMap(filled)));
    books.set(who, book);
    return book;
  }

  #placeOf(path: string, patterns: Map<string, Rule>): readonly [Map<string, Rule>, string] {
    if (path.split("/").includes("+")) return [patterns, path];
    return path.endsWith("*") ? [this.#prefixes, path.slice(0, -1)] : [this.#exact, path];
  }

  /**
   * The rule that applies to a path that is called by another one as well, because a vocabulary renames it: rule text knows both words. Rules
   * that say the same path in either are one; of others the more specific applies.
   */
  ruleOnEither(path: string, other: string, listing: boolean): Rule | undefined {
    const one = this.ruleOn(path, listing);
    const two = this.ruleOn(other, listing);
    if (one === undefined || two === undefined || one === two) return one ?? two;
    if (saidAs(two.pattern, other, path) === one.pattern) {
      return merged(one, two);
    }
    return bySpecificity(one.pattern, two.pattern) < 0 ? one : two;
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

  /**
   * The rule that applies to a path, or to a listing of it: exactly one does, the most specific. The slash at the end of a listing an exact
   * rule may have or lack (amendments.md, S5).
   */
  ruleOn(path: string, listing: boolean): Rule | undefined {
    if (!listing) return this.#exact.get(path) ?? this.#bestRule(path);
    const bare = path.endsWith("/") ? path.slice(0, -1) : path;
    const listed = `${bare}/`;
    return this.#exact.get(listed) ?? this.#exact.get(bare) ?? this.#bestRule(listed);
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
      const rule = prefix.length < length ? undefined : this.#prefixes.get(prefix);
      if (rule !== undefined) return rule;
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

/** Whether a path has directives that the entity of a token fills in. */
export function isTemplate(path: string): boolean {
  return path.includes("{{");
}

/** A rule of a path as it stands after another one of that path (README.md, 2.6). */
function withRule(before: Rule | undefined, { path, capabilities, limits }: PathRule): Rule {
  // An empty list denies (A.8).
  const granted = new Set<Capability>(capabilities.length === 0 ? ["deny"] : capabilities);
  const rule = { pattern: path, granted, limits };
  return before === undefined ? rule : merged(before, rule);
}

function merged(one: Rule, two: Rule): Rule {
  return {
    pattern: one.pattern,
    granted: new Set([...one.granted, ...two.granted]),
    limits: mergedLimits(one.limits, two.limits),
  };
}

const NOTHING: ReadonlySet<Capability> = new Set();

/** What a rule grants; nothing where it denies. */
export function grantedBy(rule: Rule | undefined): ReadonlySet<Capability> {
  return rule === undefined || rule.granted.has("deny") ? NOTHING : rule.granted;
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
