import { type Pageable, pageableOf } from "../pagination.ts";
import type { Query } from "../query.ts";
import { refuse } from "../rejections.ts";
import type { EnforcementLevel, OutcomeStatus, PolicyOutcome, PolicySetOutcome } from "./state.ts";

// Source of all rules in this file: decisions-policy-checks.md, 6.4.

/**
 * What an inner outcome can be, as bits: a filter is a set of them, and chooses every policy set that has one of them. That
 * is all that groups of status and level can say, so any number of groups costs the same.
 */
const KINDS = {
  passed: { advisory: 1, mandatory: 2 },
  failed: { advisory: 4, mandatory: 8 },
  errored: { advisory: 16, mandatory: 16 },
} as const satisfies { readonly [S in OutcomeStatus]: { readonly [L in EnforcementLevel]: number } };

/** The kinds that a query asks for; undefined when it asks for everything. */
export type OutcomeFilter = number | undefined;

interface Group {
  status?: OutcomeStatus;
  level?: EnforcementLevel;
  /** The second spelling of the level, which counts when the contract's is absent. */
  otherLevel?: EnforcementLevel;
}

/** Reads the filter of a query. A term that is malformed refuses the whole request, also where it would be ignored. */
export function filterIn(query: Query): OutcomeFilter {
  const groups = new Map<string, Group>();
  for (const [parameter, value] of query) {
    if (parameter === "filter" || parameter.startsWith("filter[")) readTerm(groups, parameter, value);
  }
  // A level alone filters nothing, so a group without a status is none.
  const chosen = [...groups.values()].map(kindsOf).filter((kinds) => kinds !== undefined);
  return chosen.length === 0 ? undefined : chosen.reduce((all, kinds) => all | kinds, 0);
}

const TERM = /^filter\[(\d+)\]\[(status|enforcementLevel|enforcement_level)\]$/;

function readTerm(groups: Map<string, Group>, parameter: string, value: string): void {
  const reason = "a filter is filter[n][status] or filter[n][enforcementLevel], with a number n";
  const [, index = "", member] = TERM.exec(parameter) ?? refuse("filter_invalid", { parameter, reason });
  const key = index.replace(/^0+(?=\d)/, "");
  const group = groups.get(key) ?? {};
  groups.set(key, group);
  if (member === "status") group.status = read(parameter, value, ["passed", "failed", "errored"]);
  else if (member === "enforcementLevel") group.level = read(parameter, value, ["advisory", "mandatory"]);
  else group.otherLevel = read(parameter, value, ["advisory", "mandatory"]);
}

function read<T extends string>(parameter: string, value: string, known: readonly T[]): T {
  const reason = `the value is one of ${known.join(", ")}`;
  return known.find((name) => name === value) ?? refuse("filter_invalid", { parameter, reason });
}

function kindsOf({ status, level, otherLevel }: Group): number | undefined {
  if (status === undefined) return undefined;
  const wanted = level ?? otherLevel;
  return wanted === undefined ? KINDS[status].advisory | KINDS[status].mandatory : KINDS[status][wanted];
}

/** The kinds that a policy set has; one that could not be evaluated is errored. */
function kindsIn({ error, outcomes }: PolicySetOutcome): number {
  return outcomes.reduce((kinds, outcome) => kinds | kindOf(outcome), error === "" ? 0 : KINDS.errored.advisory);
}

function kindOf({ status, enforcement_level }: PolicyOutcome): number {
  return KINDS[status][enforcement_level ?? "advisory"];
}

/**
 * Which sets of an evaluation each filter chooses, by their places. An evaluation's list is one frozen array for its whole life,
 * so it is looked through once per filter, and a page costs the same wherever it is.
 */
const chosenPlaces = new WeakMap<readonly PolicySetOutcome[], Map<number, readonly number[]>>();

/** The sets that a filter chooses, whole and in order. */
export function filtered(sets: readonly PolicySetOutcome[], filter: OutcomeFilter): Pageable<PolicySetOutcome> {
  if (filter === undefined) return pageableOf(sets);
  const places = placesOf(sets, filter);
  return {
    count: places.length,
    slice: (from, to) => places.slice(from, to).map((place) => sets[place] as PolicySetOutcome),
  };
}

function placesOf(sets: readonly PolicySetOutcome[], filter: number): readonly number[] {
  const known = chosenPlaces.get(sets) ?? new Map<number, readonly number[]>();
  chosenPlaces.set(sets, known);
  let places = known.get(filter);
  if (places === undefined) {
    places = sets.flatMap((set, place) => ((kindsIn(set) & filter) === 0 ? [] : [place]));
    known.set(filter, places);
  }
  return places;
}
