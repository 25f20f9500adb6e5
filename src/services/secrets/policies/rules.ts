/** What a token may do with a path; `sudo` comes on top of the others. */
export const CAPABILITIES = ["create", "read", "update", "patch", "delete", "list", "sudo", "deny"] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** What a policy grants on the paths that a pattern fits. */
export interface PathRule {
  /** Exact, or with a `*` at the end for any rest, or with `+` for exactly one segment. */
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
  /** Rules with `+`, the most specific first. */
  readonly #patterns: readonly CompiledPattern[];

  constructor(policies: readonly (readonly PathRule[])[]) {
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
    this.#patterns = [...patterns]
      .sort(([left], [right]) => bySpecificity(left, right))
      .map(([pattern, granted]) => ({ pattern, fits: matcherOf(pattern), granted }));
  }

  #placeOf(path: string, patterns: Map<string, Set<Capability>>): readonly [Map<string, Set<Capability>>, string] {
    if (path.split("/").includes("+")) return [patterns, path];
    return path.endsWith("*") ? [this.#prefixes, path.slice(0, -1)] : [this.#exact, path];
  }

  /** What is granted on a path: exactly one rule applies, the most specific. */
  capabilitiesOn(path: string): ReadonlySet<Capability> {
    return deniedIfAny(this.#exact.get(path) ?? this.#best([path]));
  }

  /** What is granted on a listing of a path, whose trailing slash a rule may have or lack. */
  capabilitiesOnListing(path: string): ReadonlySet<Capability> {
    const bare = path.endsWith("/") ? path.slice(0, -1) : path;
    const listed = `${bare}/`;
    const exact = this.#exact.get(listed) ?? this.#exact.get(bare);
    return deniedIfAny(exact ?? this.#best([listed, bare]));
  }

  /** The most specific of the rules with wildcards that fit one of these spellings. */
  #best(spellings: readonly string[]): ReadonlySet<Capability> | undefined {
    const pattern = this.#patterns.find(({ fits }) => spellings.some(fits));
    const prefix = this.#longestPrefix(spellings);
    if (pattern === undefined || prefix === undefined) return (pattern ?? prefix)?.granted;
    return bySpecificity(pattern.pattern, prefix.pattern) < 0 ? pattern.granted : prefix.granted;
  }

  #longestPrefix(spellings: readonly string[]): Pick<CompiledPattern, "pattern" | "granted"> | undefined {
    for (const length of this.#prefixLengths) {
      for (const path of spellings) {
        const prefix = path.slice(0, length);
        const granted = prefix.length < length ? undefined : this.#prefixes.get(prefix);
        if (granted !== undefined) return { pattern: `${prefix}*`, granted };
      }
    }
    return undefined;
  }
}

const NOTHING: ReadonlySet<Capability> = new Set();

function deniedIfAny(granted: ReadonlySet<Capability> | undefined): ReadonlySet<Capability> {
  return granted === undefined || granted.has("deny") ? NOTHING : granted;
}

interface CompiledPattern {
  readonly pattern: string;
  readonly fits: (path: string) => boolean;
  readonly granted: Set<Capability>;
}

/** Tells whether a pattern fits a path: `+` is one segment that is not empty, a last `*` is any rest. */
function matcherOf(pattern: string): (path: string) => boolean {
  const open = pattern.endsWith("*");
  const text = open ? pattern.slice(0, -1) : pattern;
  const wanted = text.split("/");
  if (open && !wanted.includes("+")) return (path) => path.startsWith(text);
  const last = wanted.length - 1;
  return (path) => {
    const given = path.split("/");
    if (open ? given.length < wanted.length : given.length !== wanted.length) return false;
    return wanted.every((segment, index) => {
      const actual = given[index] as string;
      if (segment === "+") return actual !== "";
      return open && index === last ? actual.startsWith(segment) : actual === segment;
    });
  };
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
