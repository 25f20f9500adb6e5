import fc from "fast-check";
import { describe, expect } from "vitest";
import { Rejection, rehearse, replay, type Simulator } from "../../src/index.ts";
import { createSimulator, property } from "../support/checked.ts";
import { runs } from "../support/runs.ts";
import { indexFaults } from "../support/world-checks.ts";

// What people do with the roles of a directory engine, as plain data.

type Action =
  | {
      readonly do: "writeStatic";
      readonly role: string;
      readonly period?: number;
      readonly skip?: boolean;
      readonly dn?: boolean;
    }
  | { readonly do: "deleteStatic" | "rotate"; readonly role: string }
  | { readonly do: "rotateRoot" | "seal" | "unseal" | "stop" | "start" | "configure" | "deconfigure" }
  | { readonly do: "directory"; readonly up: boolean }
  | { readonly do: "fail"; readonly count: number; readonly at?: "bind" | "search" | "modify" | "add" | "delete" }
  | { readonly do: "writeDynamic"; readonly rollback: boolean; readonly ttl: number }
  | { readonly do: "deleteDynamic" }
  | { readonly do: "credentials" }
  | { readonly do: "revoke"; readonly lease: number }
  | { readonly do: "wait"; readonly seconds: number };

const BASE = "ou=service,dc=example,dc=com";
const ACCOUNTS = ["a", "b", "c"];
const dnOf = (account: string) => `cn=${account},${BASE}`;
const CONFIG = { binddn: "cn=engine,dc=example,dc=com", bindpass: "bind-secret", userdn: BASE };
const ADD = `dn: cn={{.Username}},${BASE}\nobjectClass: dynamic\ncn: {{.Username}}\n`;
const MARK = `dn: cn={{.Username}},${BASE}\nchangetype: modify\nadd: note\nnote: made\n-\n`;
const REMOVE = `dn: cn={{.Username}},${BASE}\nchangetype: delete\n`;

const role = fc.constantFrom(...ACCOUNTS);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      {
        do: fc.constant("writeStatic" as const),
        role,
        period: fc.integer({ min: 3, max: 40 }),
        skip: fc.boolean(),
        dn: fc.boolean(),
      },
      { requiredKeys: ["do", "role"] },
    ),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("deleteStatic" as const, "rotate" as const), role }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "rotateRoot" as const,
        "seal" as const,
        "unseal" as const,
        "unseal" as const,
        "stop" as const,
        "start" as const,
        "start" as const,
        "configure" as const,
        "configure" as const,
        "deconfigure" as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("directory" as const), up: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        do: fc.constant("fail" as const),
        count: fc.integer({ min: 1, max: 3 }),
        at: fc.constantFrom("bind" as const, "search" as const, "modify" as const, "add" as const, "delete" as const),
      },
      { requiredKeys: ["do", "count"] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("writeDynamic" as const),
      rollback: fc.boolean(),
      ttl: fc.integer({ min: 1, max: 90 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "deleteDynamic" as const }) },
  { weight: 3, arbitrary: fc.constant({ do: "credentials" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("revoke" as const), lease: fc.nat(5) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.integer({ min: 1, max: 60 }) }) },
);
const story = fc.array(action, { minLength: 5, maxLength: 40 });

function newWorld(): Simulator {
  const sim = createSimulator({ seed: 31, history: { checkpointEvery: 4 } });
  for (const account of ACCOUNTS) sim.directory.addEntry(dnOf(account), { cn: account, userPassword: "seeded" });
  const main = sim.secrets.cluster("main");
  main.as(main.rootToken).ldapConfig.write(CONFIG);
  return sim;
}

/** Does it, and says whether it was done; what the service refuses is not. */
function perform(sim: Simulator, action: Action): boolean {
  const main = sim.secrets.cluster("main");
  const admin = main.as(main.rootToken);
  const leases = () => [...(sim.state.secrets["main"]?.local.leases.keys() ?? [])];
  try {
    switch (action.do) {
      case "writeStatic":
        admin.staticRoles.write({
          role_name: action.role,
          username: action.role,
          rotation_period: action.period,
          skip_import_rotation: action.skip,
          dn: action.dn === true ? dnOf(action.role) : undefined,
        });
        break;
      case "deleteStatic":
        admin.staticRoles.delete({ role_name: action.role });
        break;
      case "rotate":
        admin.staticRoles.rotate({ role_name: action.role });
        break;
      case "rotateRoot":
        admin.ldapConfig.rotateRoot();
        break;
      case "configure":
        if (sim.state.secrets["main"]?.replicated.mounts.get("ldap/") !== undefined)
          admin.ldapConfig.write({ url: "ldap://x" });
        break;
      case "deconfigure":
        // Who forgets the configuration forgets the bind password with it, so it comes back as it was at once.
        admin.ldapConfig.write({ request_timeout: 5 });
        break;
      case "seal":
      case "unseal":
        main[action.do]();
        break;
      case "stop":
      case "start":
        sim.network[action.do](main);
        break;
      case "directory":
        sim.directory.setAvailable(action.up);
        break;
      case "fail":
        sim.directory.failNext({ count: action.count, ...(action.at === undefined ? {} : { operation: action.at }) });
        break;
      case "writeDynamic":
        admin.dynamicRoles.write({
          role_name: "dev",
          creation_ldif: `${ADD}\n${MARK}`,
          deletion_ldif: REMOVE,
          rollback_ldif: action.rollback ? REMOVE : "",
          default_ttl: action.ttl,
        });
        break;
      case "deleteDynamic":
        admin.dynamicRoles.delete({ role_name: "dev" });
        break;
      case "credentials":
        admin.dynamicRoles.credentials({ role_name: "dev" });
        break;
      case "revoke":
        admin.leases.revoke({ lease_id: leases()[action.lease % Math.max(leases().length, 1)] ?? "none" });
        break;
      case "wait":
        sim.clock.advance(action.seconds * 1000);
        break;
    }
    return true;
  } catch (error) {
    if (error instanceof Rejection || (error instanceof TypeError && error.message === "fetch failed")) return false;
    throw error;
  }
}

function engineOf(sim: Simulator) {
  const mount = sim.state.secrets["main"]?.replicated.mounts.get("ldap/");
  if (mount?.type !== "ldap") throw new Error("the engine is gone");
  return mount;
}

/** Passwords that the engine keeps and the directory does not. */
function passwordFaults(sim: Simulator): string[] {
  const { roles, config } = engineOf(sim);
  const held = [...(roles?.staticRoles ?? [])].map(
    ([name, { username, password }]) => [name, dnOf(username), password] as const,
  );
  return [...held, ["the bind account", CONFIG.binddn, config?.bindpass ?? ""] as const]
    .filter(
      ([, dn, password]) => password !== "" && sim.directory.entry(dn)?.attributes["userPassword"]?.[0] !== password,
    )
    .map(([name]) => `${name} has another password in the directory`);
}

/** Rotations to come that no role has, and roles without one; and the one deadline that there should be. */
function rotationFaults(sim: Simulator): string[] {
  const { roles } = engineOf(sim);
  if (roles === undefined) return [];
  const wanted = [...roles.staticRoles].map(
    ([name, { dueAtMs, retryAtMs }]) => `${String(retryAtMs ?? dueAtMs).padStart(20, "0")} ${name}`,
  );
  const usernames = [...roles.staticRoles].map(([name, { username }]) => `${username} ${name}`);
  const armed = [...(sim.state.secrets["main"]?.replicated.calendar ?? [])];
  const faults: string[] = [];
  if (JSON.stringify(wanted.sort()) !== JSON.stringify([...roles.rotations.keys()]))
    faults.push("other rotations are to come");
  if (
    JSON.stringify(usernames.sort()) !==
    JSON.stringify([...roles.usernames].map(([username, name]) => `${username} ${name}`))
  )
    faults.push("other usernames are managed");
  if (
    JSON.stringify(armed.map(([key]) => key)) !== JSON.stringify(roles.deadline === undefined ? [] : [roles.deadline])
  )
    faults.push("another deadline is armed");
  if (armed.length !== Math.min(wanted.length, 1)) faults.push(`${armed.length} deadlines for ${wanted.length} roles`);
  return faults;
}

describe("the roles of a directory engine", () => {
  property([story], runs(60))("an engine's password, once rotated, binds in the directory", (actions) => {
    const sim = newWorld();
    for (const each of actions) {
      perform(sim, each);
      expect([...passwordFaults(sim), ...rotationFaults(sim), ...indexFaults(sim.state)]).toEqual([]);
    }
  });

  property([story], runs(60))(
    "every dynamic account is leased, gone, irrevocable, or left by a failed creation whose rollback was none or failed",
    (actions) => {
      const sim = newWorld();
      const left = new Set<string>();
      for (const each of actions) {
        const before = new Set(sim.directory.search(BASE, "(objectClass=dynamic)").map(({ dn }) => dn));
        const done = perform(sim, each);
        const leased = new Set(
          [...(sim.state.secrets["main"]?.local.leases.values() ?? [])].flatMap(({ grant }) =>
            grant.type === "credentials" ? [`cn=${grant.fields.Username},${BASE}`] : [],
          ),
        );
        for (const { dn } of sim.directory.search(BASE, "(objectClass=dynamic)")) {
          if (each.do === "credentials" && !done && !before.has(dn)) left.add(dn);
          expect(leased.has(dn) || left.has(dn), `${dn} after ${JSON.stringify(each)}`).toBe(true);
        }
      }
      const rollbacks = sim.log.commits().filter(({ failed }) => failed === "user_not_created").length;
      expect(left.size).toBeLessThanOrEqual(rollbacks);
    },
  );

  property([story], runs(40))("every story replays, and is decided anew the same", async (actions) => {
    const sim = newWorld();
    for (const each of actions) perform(sim, each);
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
    expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
  });

  const plan = fc.record({
    periods: fc.array(fc.integer({ min: 5, max: 30 }), { minLength: 1, maxLength: 3 }),
    skips: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    outages: fc.uniqueArray(fc.integer({ min: 1, max: 120 }), { maxLength: 6 }),
    sealed: fc.option(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 })), { nil: undefined }),
    steps: fc.array(fc.integer({ min: 1, max: 37 }), { minLength: 1, maxLength: 8 }),
  });

  property([plan], runs(80))(
    "rotations happen exactly at the instants that a second-by-second reference computes",
    ({ periods, skips, outages, sealed, steps }) => {
      const sim = newWorld();
      const main = sim.secrets.cluster("main");
      periods.forEach((rotation_period, index) => {
        const name = ACCOUNTS[index] as string;
        const skip_import_rotation = skips[index] as boolean;
        main
          .as(main.rootToken)
          .staticRoles.write({ role_name: name, username: name, rotation_period, skip_import_rotation });
      });
      // The directory goes down and up again, and the cluster is sealed for a while, half a second after whole ones.
      const start = sim.clock.now();
      const switches = [...outages].sort((left, right) => left - right);
      const until = 130;
      // At one instant deadlines fire first; those that the unsealing lets fire come after all.
      const wakesAt = sealed === undefined ? undefined : sealed[0] + sealed[1] + 0.5;
      const isUp = (second: number) =>
        switches.filter((switched) => switched + 0.5 < second || (switched + 0.5 === second && second === wakesAt))
          .length %
          2 ===
        0;
      const sleeps = (second: number) => sealed !== undefined && second > sealed[0] && second <= sealed[0] + sealed[1];

      const walk = (to: number) => {
        for (let step = 0; sim.clock.now() < start + to * 1000; step++) {
          const left = start + to * 1000 - sim.clock.now();
          sim.clock.advance(Math.min((steps[step % steps.length] ?? 1) * 1000, left));
        }
      };
      const doings: [second: number, does: () => void][] = switches.map((second, index) => [
        second + 0.5,
        () => sim.directory.setAvailable(index % 2 === 1),
      ]);
      if (sealed !== undefined) {
        doings.push([sealed[0] + 0.5, () => main.seal()], [sealed[0] + sealed[1] + 0.5, () => main.unseal()]);
      }
      // At one instant the directory is switched first: a sort keeps the order of equals.
      for (const [second, does] of doings.sort(([left], [right]) => left - right)) {
        walk(second);
        does();
      }
      walk(until);

      // The reference: each role by itself, second by second; what was due while it slept happens half a second later.
      const expected = periods.flatMap((period, index) => {
        const rotations: [number, string][] = [];
        let due = period;
        for (let half = 1; half <= until * 2; half++) {
          const second = half / 2;
          if (second < due || sleeps(second)) continue;
          if (isUp(second)) {
            rotations.push([second, ACCOUNTS[index] as string]);
            due = second + period;
          } else {
            due = second + 10;
          }
        }
        return rotations;
      });
      const actual = sim.log
        .commits()
        .flatMap(({ atMs, events }) =>
          events
            .filter(({ type }) => type === "StaticRoleRotated")
            .map(({ data }): [number, string] => [(atMs - start) / 1000, (data as { role: string }).role]),
        );
      const inOrder = (rows: [number, string][]) => rows.map(([second, name]) => `${second} ${name}`).sort();
      expect(inOrder(actual)).toEqual(inOrder(expected));
    },
  );
});
