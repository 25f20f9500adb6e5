import fc from "fast-check";
import { describe, expect } from "vitest";
import { property } from "../../support/checked.ts";
import { runs } from "../../support/runs.ts";
import {
  type Answer,
  type Asking,
  type Fields,
  httpDoor,
  type OperationName,
  type Subject,
  typedDoor,
} from "../driver.ts";
import { dnOf, type LibraryWorld, libraryWorld } from "./library-world.ts";

// One core behind two doors: whatever is asked, both answer alike, and leave the same world.

/** Names of sets: good ones in several spellings, and some that are none. */
const setName = fc.constantFrom("ops", "Ops", "ops/eu", "OPS/EU/x", "constructor", "-x", "a b", "é");
const account = fc.constantFrom("svc-1", "svc-2", "svc-3", "svc-4", "SVC-1", "nobody", "", "__proto__");
const accounts = fc.oneof(
  fc.array(account, { maxLength: 4 }),
  fc.array(account, { maxLength: 3 }).map((names) => names.join(",")),
  fc.constantFrom(null, 5, {}, [[]], [null]),
);
const time = fc.constantFrom(0, 1, 60, 3600, 86_400, "90s", "48h", "30d", "", "-1", "1w", 1.5, null, true, []);
const flag = fc.constantFrom(true, false, "t", "0", "maybe", null, 2);
const odd = fc.record(
  { zeta: fc.jsonValue(), constructor: fc.constant(1), toString: fc.constant("x") },
  { requiredKeys: [] },
);

function fields(members: Record<string, fc.Arbitrary<unknown>>, required: readonly string[]): fc.Arbitrary<Fields> {
  const known = fc.record(members, { requiredKeys: [...required] });
  return fc.tuple(known, odd).map(([given, more]) => ({ ...more, ...given }));
}

const call: fc.Arbitrary<readonly [OperationName, Fields]> = fc.oneof(
  fc.tuple(
    fc.constant<OperationName>("library.write"),
    fields(
      {
        set_name: setName,
        service_account_names: accounts,
        ttl: time,
        max_ttl: time,
        disable_check_in_enforcement: flag,
      },
      ["set_name"],
    ),
  ),
  fc.tuple(fc.constant<OperationName>("library.checkOut"), fields({ set_name: setName, ttl: time }, ["set_name"])),
  fc.tuple(
    fc.constantFrom<OperationName>("library.checkIn", "library.forceCheckIn"),
    fields({ set_name: setName, service_account_names: accounts }, ["set_name"]),
  ),
  fc.tuple(
    fc.constantFrom<OperationName>("library.read", "library.status", "library.delete"),
    fc.record({ set_name: setName }),
  ),
  fc.tuple(fc.constant<OperationName>("library.list"), fc.record({ prefix: setName }, { requiredKeys: [] })),
  fc.tuple(
    fc.constant<OperationName>("ldapConfig.write"),
    fields(
      {
        binddn: fc.constantFrom("cn=admin,dc=example,dc=com", "", "nonsense", 5, []),
        length: fc.constantFrom(8, "12", 0, -1, 1.5, "x", null),
        password_policy: fc.constantFrom("p", "", null),
        schema: fc.constantFrom("open-dir", "racf", "ad", "x"),
        userattr: fc.constantFrom("cn", "uid"),
        starttls: flag,
        request_timeout: time,
      },
      [],
    ),
  ),
  fc.tuple(fc.constantFrom<OperationName>("ldapConfig.read", "ldapConfig.delete"), fc.constant({})),
  fc.tuple(
    fc.constantFrom<OperationName>("leases.renew", "leases.lookup", "leases.revoke"),
    fields({ lease_id: fc.constantFrom("<last lease>", "nothing", "", null, 5), increment: time, sync: flag }, []),
  ),
  fc.tuple(
    fc.constantFrom<OperationName>("leases.revokePrefix", "leases.revokeForce"),
    fc.record({ prefix: fc.constantFrom("ldap", "ldap/library/ops", "nowhere") }),
  ),
  fc.tuple(
    fc.constant<OperationName>("leases.list"),
    fc.record({ prefix: fc.constantFrom("ldap", "ldap/library") }, { requiredKeys: [] }),
  ),
  fc.tuple(
    fc.constant<OperationName>("passwordPolicies.write"),
    fields(
      {
        name: fc.constantFrom("p", "q", "-p"),
        policy: fc.constantFrom('length = 8 rule "charset" { charset = "ab" }', "{", "", null, 5),
      },
      ["name"],
    ),
  ),
  fc.tuple(
    fc.constantFrom<OperationName>("passwordPolicies.read", "passwordPolicies.generate", "passwordPolicies.delete"),
    fc.record({ name: fc.constantFrom("p", "q", "-p") }),
  ),
);

type Step =
  | {
      readonly kind: "call";
      readonly call: readonly [OperationName, Fields];
      readonly who: Who;
      readonly where: Asking;
    }
  | { readonly kind: "advance"; readonly ms: number }
  | { readonly kind: "fault"; readonly fault: (world: LibraryWorld) => void };

type Who = "root" | "ann" | "bob" | "limited" | "nobody";

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      call,
      who: fc.constantFrom<Who>("root", "root", "ann", "bob", "limited", "nobody"),
      where: fc.constantFrom<Asking>(
        {},
        {},
        {},
        {},
        { namespace: "team" },
        { namespace: "nowhere" },
        { mount: "nowhere" },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("advance" as const), ms: fc.constantFrom(1, 999, 60_000, 3_600_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("fault" as const),
      fault: fc.constantFrom<(world: LibraryWorld) => void>(
        ({ directoryUp }) => directoryUp(false),
        ({ directoryUp }) => directoryUp(true),
        ({ sim }) => sim.directory.failNext({ count: 1 }),
        ({ sim }) => sim.directory.failNext({ count: 1, dn: dnOf("svc-2") }),
      ),
    }),
  },
);

async function told(open: Subject["open"], steps: readonly Step[]): Promise<unknown> {
  const world = libraryWorld();
  const { sim, token, root } = world;
  sim.secrets.cluster("main").createNamespace("team");
  world.set("ops", ["svc-1", "svc-2", "svc-3"]);
  const tokens: Record<Who, string | null> = {
    root,
    ann: token({ entityId: "ann" }),
    bob: token(),
    limited: token({ numUses: 3 }),
    nobody: null,
  };
  const door = open(sim);
  const answers: Answer[] = [];
  let lastLease = "none";
  for (const next of steps) {
    if (next.kind === "advance") sim.clock.advance(next.ms);
    else if (next.kind === "fault") next.fault(world);
    else {
      const [operation, given] = next.call;
      const sent = given["lease_id"] === "<last lease>" ? { ...given, lease_id: lastLease } : given;
      const answer = await door.call(operation, sent, { token: tokens[next.who], ...next.where });
      lastLease = (answer.body as { lease_id?: string } | undefined)?.lease_id || lastLease;
      answers.push(answer);
    }
  }
  return { answers, hash: sim.stateHash(), events: sim.log.events() };
}

describe("the typed door and sim.fetch", () => {
  property([fc.array(step, { minLength: 1, maxLength: 25 })], runs(150))(
    "answer alike and leave the same world, whatever is asked",
    async (steps) => {
      const [typed, http] = await Promise.all([typedDoor, httpDoor()].map(({ open }) => told(open, steps)));
      expect(http).toEqual(typed);
    },
  );
});
