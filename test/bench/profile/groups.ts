/** What a piece of time went to. */
export interface Group {
  readonly name: string;
  /** `physics` is work that is done by whoever keeps what we keep: others could only do less of it. */
  readonly kind: "physics" | "library" | "ours";
  /** Whether a place belongs here: `function  file:line`, as the profile has it; without a file it is built in. */
  readonly holds: (place: string) => boolean;
}

const file = (pattern: RegExp) => {
  const within = new RegExp(`  (?:${pattern.source})`);
  return (place: string): boolean => within.test(place);
};

const builtIn = (...names: readonly string[]) => {
  const known = new Set(names);
  return (place: string): boolean => known.has(place);
};

/** In the order in which they are asked, and shown. The last one takes what is left. */
export const groups: readonly Group[] = [
  { name: "garbage collection", kind: "physics", holds: builtIn("(garbage collector)") },
  { name: "JSON", kind: "physics", holds: builtIn("stringify", "parse") },
  {
    name: "freezing, copying",
    kind: "physics",
    holds: either(builtIn("freeze", "structuredClone"), file(/src\/kernel\/plain\.js/)),
  },
  { name: "hashing", kind: "physics", holds: file(/src\/kernel\/hash\.js|@noble\//) },
  { name: "Request, Response, URL", kind: "physics", holds: file(/node:/) },
  { name: "tables (our tree)", kind: "ours", holds: file(/src\/kernel\/(?:table|tree|tree-changes)\.js/) },
  { name: "deciding, folding, log", kind: "ours", holds: file(/src\/kernel\/(?!machine|randomness|hash|plain)/) },
  { name: "randomness, ids", kind: "ours", holds: file(/src\/kernel\/randomness\.js|pure-rand\/|nanoid\//) },
  { name: "doors: HTTP, typed calls", kind: "ours", holds: file(/src\/(?:http|simulator)|valibot\//) },
  { name: "rules of the services", kind: "ours", holds: file(/src\/(?:services|surroundings|languages)\//) },
  { name: "immer", kind: "library", holds: file(/immer\//) },
  { name: "charts (xstate)", kind: "library", holds: file(/xstate\/|machines\/|src\/kernel\/machine\.js/) },
  { name: "the bench itself", kind: "ours", holds: file(/test\/bench\//) },
  { name: "the engine, all else", kind: "physics", holds: () => true },
];

function either(...some: readonly ((place: string) => boolean)[]): (place: string) => boolean {
  return (place) => some.some((holds) => holds(place));
}

/** Shares of the whole, by the name of the group: together they are 1. */
export function sharesOf(selfUs: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const total = [...selfUs.values()].reduce((sum, us) => sum + us, 0);
  const shares = new Map(groups.map(({ name }) => [name, 0]));
  for (const [place, us] of selfUs) {
    const group = groups.find(({ holds }) => holds(place));
    if (group !== undefined && total > 0) shares.set(group.name, (shares.get(group.name) ?? 0) + us / total);
  }
  return shares;
}
