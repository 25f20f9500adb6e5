import { beforeAll, describe, expect, test } from "vitest";
import type { Simulator } from "../../../src/index.ts";
import { type Asking, byRule, doors, type Fields, type OperationName } from "../driver.ts";
import { defaultMount } from "../two-doors.ts";
import {
  type Answers,
  ASK_FOR_ACCESS_TOKEN,
  DONE_THERE,
  ENTERPRISE,
  FORWARDED,
  LOOK_AT_TOKEN,
  ON_DR_SECONDARY,
  OPEN,
  OPEN_WRAPPINGS,
  OPERATIONS,
  READ_BY_PRIMARY,
  READ_THERE,
  REFUSED_THERE,
  type Requests,
  ROOT_ONLY,
  SUDO,
  WHILE_SEALED,
} from "./matrix-lists.ts";
import * as worlds from "./matrix-worlds.ts";

// Who is let in where, for every operation that there is: by each kind of caller, place and cluster (decisions-secrets-core.md, A.3, A.8 and
// A.10; decisions-replication.md, 3). What is expected comes from the lists, and where a request is let in from what a caller gets who
// may do everything. A failure shows every operation that answers otherwise.

const NAMES = OPERATIONS.map(({ name }) => name);

/** By their names: whoever reads a failure has to find them. */
const LISTS: { readonly [list: string]: Iterable<string> } = {
  OPEN,
  LOOK_AT_TOKEN,
  ASK_FOR_ACCESS_TOKEN,
  OPEN_WRAPPINGS,
  SUDO,
  ENTERPRISE,
  ROOT_ONLY,
  WHILE_SEALED: Object.keys(WHILE_SEALED),
  ON_DR_SECONDARY: Object.keys(ON_DR_SECONDARY),
};
/** Each operation is in one of these. */
const LISTS_OF_ALL: { readonly [list: string]: Iterable<string> } = {
  READ_THERE: Object.keys(READ_THERE),
  REFUSED_THERE,
  DONE_THERE: Object.keys(DONE_THERE),
  READ_BY_PRIMARY: Object.keys(READ_BY_PRIMARY),
  FORWARDED: Object.keys(FORWARDED),
};

test("the lists have every operation, and nothing else", () => {
  const listed = new Set(Object.values(LISTS_OF_ALL).flatMap((list) => [...list]));
  const missing = NAMES.filter((name) => !listed.has(name));
  const lists = Object.keys(LISTS_OF_ALL).join(" or ");
  const owed = `put into ${lists} of matrix-lists.ts, and into each of ${Object.keys(LISTS)} that it belongs to`;
  expect(missing.map((name) => `${name} has to be ${owed}`)).toEqual([]);
  const known: ReadonlySet<string> = new Set(NAMES);
  const stale = Object.entries({ ...LISTS, ...LISTS_OF_ALL }).flatMap(([list, names]) =>
    [...names].filter((name) => !known.has(name)).map((name) => `${name} in ${list}`),
  );
  expect(stale.map((name) => `${name} is no operation`)).toEqual([]);
});

/** A kind of request, with the operations that are refused, and how: all others are answered as who may do everything usually is. */
interface Kind {
  readonly rule: string;
  readonly world: worlds.World;
  readonly asking: Asking;
  readonly refused: (name: string) => string | false;
}

const { community, enterprise, failing, sealed, drSecondary } = worlds;

/** By somebody who has a token of a world. */
const by = (who: string, { made }: worlds.World): Asking => ({ token: made[who] ?? expect.fail(`nobody is ${who}`) });

const refusedToNobody =
  (wrapping = "403 permission_denied") =>
  (name: string): string | false => {
    if (ASK_FOR_ACCESS_TOKEN.has(name)) return "401 invalid_token";
    if (OPEN_WRAPPINGS.has(name)) return wrapping;
    return !OPEN.has(name) && "403 permission_denied";
  };

/** Says by itself that a capability lacks. */
const REFUSED_BY_ITSELF: Answers = { "mounts.ui.read": "403 mount_out_of_reach" };

const KINDS: readonly Kind[] = [
  {
    rule: "with no token",
    world: enterprise,
    asking: { token: null },
    refused: (name) => !LOOK_AT_TOKEN.has(name) && refusedToNobody()(name),
  },
  {
    rule: "with a bad token",
    world: enterprise,
    asking: { token: "scs.nobody" },
    refused: refusedToNobody("400 wrapping_token_invalid"),
  },
  {
    rule: "with an expired token",
    world: enterprise,
    asking: by("expired", enterprise),
    refused: refusedToNobody("400 wrapping_token_invalid"),
  },
  {
    rule: "without the capability",
    world: enterprise,
    asking: by("powerless", enterprise),
    refused: (name) => !LOOK_AT_TOKEN.has(name) && (REFUSED_BY_ITSELF[name] ?? refusedToNobody()(name)),
  },
  {
    rule: "without sudo",
    world: enterprise,
    asking: by("plain", enterprise),
    refused: (name) => SUDO.has(name) && "403 permission_denied",
  },
  {
    rule: "in a child namespace",
    world: enterprise,
    asking: { ...by("mighty", enterprise), namespace: "team" },
    refused: (name) => ROOT_ONLY.has(name) && "404 unsupported_path",
  },
  {
    rule: "in a namespace that is not there",
    world: enterprise,
    asking: { ...by("mighty", enterprise), namespace: "nowhere" },
    refused: () => "404 namespace_not_found",
  },
  {
    rule: "while the cluster is sealed",
    world: sealed,
    asking: by("mighty", sealed),
    refused: (name) => WHILE_SEALED[name] ?? "503 sealed",
  },
  {
    rule: "under a rule that answers with a status",
    world: failing,
    asking: by("mighty", failing),
    refused: () => "503 request_failed",
  },
  {
    rule: "with the community licence",
    world: community,
    asking: by("mighty", community),
    refused: (name) => ENTERPRISE.has(name) && "404 unsupported_path",
  },
  {
    // Were the gate behind the look at the token, the answer would be 403; and what it lets through asks for none.
    rule: "on a disaster-recovery secondary, with no token",
    world: drSecondary,
    asking: { token: null },
    refused: (name) => ON_DR_SECONDARY[name] ?? "400 dr_secondary",
  },
];

const { secondary, secondaryAlone, unreachable } = worlds;

/** What a performance secondary is asked for, and what comes of it: the answer, and whose data is another than before. */
interface There {
  readonly rule: string;
  readonly rows: readonly Row[];
  readonly with: RegExp;
  /** Without a line to its primary; by default the same. */
  readonly without?: RegExp;
}

interface Row {
  readonly name: OperationName;
  readonly fields: Fields;
  readonly mount?: string;
}

const emptyRows = (names: ReadonlySet<string>): Row[] =>
  OPERATIONS.filter(({ name }) => names.has(name)).map(({ name, empty }) => ({ name, fields: empty }));
const rowsOf = (requests: Requests): Row[] =>
  OPERATIONS.flatMap(({ name, empty }) => {
    const given = requests[name];
    if (given === undefined) return [];
    return { name, fields: { ...empty, ...(typeof given === "function" ? given(secondary.made) : given) } };
  });
/** The writes of engines, in a mount that only the secondary has. */
const inLocalMounts: readonly Row[] = OPERATIONS.filter(({ name, ofEngine }) => ofEngine && name in FORWARDED).map(
  ({ name, empty }) => ({ name, fields: empty, mount: defaultMount(name).replace(/^(auth\/)?/, "$1local/") }),
);

const THERE: readonly There[] = [
  { rule: "what it reads", rows: rowsOf(READ_THERE), with: /^20[024] changes nothing$/ },
  { rule: "what it refuses", rows: emptyRows(REFUSED_THERE), with: /^40[01] .* changes nothing$/ },
  { rule: "what it does itself", rows: rowsOf(DONE_THERE), with: /^20\d changes the secondary$/ },
  {
    rule: "what its primary does",
    rows: rowsOf(FORWARDED),
    with: /^20\d changes the primary$/,
    without: /^500 forwarding_failed changes nothing$/,
  },
  {
    rule: "what its primary reads",
    rows: rowsOf(READ_BY_PRIMARY),
    with: /^200 changes nothing$/,
    without: /^500 forwarding_failed changes nothing$/,
  },
  {
    rule: "what it does itself in a local mount",
    rows: inLocalMounts,
    with: /^\d+ ?(?!forwarding_failed)\w* changes (nothing|the secondary)$/,
  },
];

describe.each(doors())("through %s,", (_, { open }) => {
  /** How an operation is answered: the status, and the code of a refusal. */
  async function answer(sim: Simulator, { cluster }: worlds.World, { name, fields }: Row, asking: Asking) {
    const { status, code } = await open(sim, cluster).call(name, fields, asking);
    return code === undefined ? `${status}` : `${status} ${code}`;
  }

  async function answers(world: worlds.World, asking: Asking): Promise<Answers> {
    const answered: Record<string, string> = {};
    for (const { name, empty } of OPERATIONS) {
      answered[name] = await answer(world.sim.fork(), world, { name, fields: empty }, asking);
    }
    return answered;
  }

  let usual: Answers;
  beforeAll(async () => {
    usual = await answers(enterprise, by("mighty", enterprise));
  });

  test.each(byRule(KINDS))("every operation %s", async (_, { world, asking, refused }) => {
    const found = await answers(world, asking);
    const differ = NAMES.map((name) => [name, found[name], refused(name) || usual[name]] as const)
      .filter(([, got, wanted]) => got !== wanted)
      .map(([name, got, wanted]) => [name, `${got}, and not ${wanted}`]);
    expect(Object.fromEntries(differ)).toEqual({});
  });

  test.each(Object.entries(unreachable))("no operation is decided by a cluster %s", async (_, world) => {
    for (const { name, empty } of OPERATIONS) {
      const sim = world.sim.fork();
      const before = sim.stateHash();
      await expect(answer(sim, world, { name, fields: empty }, by("mighty", world))).rejects.toThrow("fetch failed");
      expect([name, sim.stateHash()]).toEqual([name, before]);
    }
  });

  /** What comes of a request at a performance secondary. */
  async function outcome(world: worlds.World, row: Row): Promise<string> {
    const sim = world.sim.fork();
    const was = sim.state.secrets;
    const asking = { ...by("mighty", world), ...(row.mount === undefined ? {} : { mount: row.mount }) };
    const answered = await answer(sim, world, row, asking);
    const is = sim.state.secrets;
    const another = (cluster: string, part: "replicated" | "local"): boolean =>
      was[cluster]?.[part] !== is[cluster]?.[part];
    const isPrimary = another("primary", "replicated") || another("primary", "local");
    // What the primary changes arrives as an entry, and moves what the secondary knows of its own links.
    const isSecondary = isPrimary ? another("secondary", "local") : was["secondary"] !== is["secondary"];
    const changed = [...(isPrimary ? ["the primary"] : []), ...(isSecondary ? ["the secondary"] : [])];
    return `${answered} changes ${changed.join(" and ") || "nothing"}`;
  }

  test.each(byRule(THERE))("a performance secondary: %s", async (_, { rows, with: wanted, without }) => {
    expect(rows).not.toEqual([]);
    const differ: Record<string, string> = {};
    for (const row of rows) {
      const found = await outcome(secondary, row);
      if (!wanted.test(found)) differ[row.name] = found;
      const cut = await outcome(secondaryAlone, row);
      if (without === undefined ? cut !== found : !without.test(cut)) differ[`${row.name} without a primary`] = cut;
    }
    expect(differ).toEqual({});
  });
});
