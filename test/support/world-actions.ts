import fc from "fast-check";
import { Rejection, type SecretsClient, type Simulator, type SimulatorOptions } from "../../src/index.ts";
import { createSimulator } from "./checked.ts";

// What people do in a simulated world, as plain data: a counterexample that fast-check prints can be pasted into a test as it
// stands, as the argument of `lived`.

/** The engines: two at the root, one in a namespace. */
export type EngineName = "ldap" | "corp" | "team";

/** One thing that somebody does. */
export type Action =
  | { readonly do: "configure"; readonly engine: EngineName; readonly length?: number; readonly policy?: string }
  | { readonly do: "deconfigure"; readonly engine: EngineName }
  | {
      readonly do: "writeSet";
      readonly engine: EngineName;
      readonly set: string;
      readonly names?: readonly string[];
      readonly ttl?: number;
      readonly maxTtl?: number;
      readonly open?: boolean;
      readonly by?: string;
    }
  | { readonly do: "deleteSet"; readonly engine: EngineName; readonly set: string }
  | {
      readonly do: "checkOut";
      readonly engine: EngineName;
      readonly set: string;
      readonly by: string;
      readonly ttl?: number;
    }
  | {
      readonly do: "checkIn" | "forceCheckIn";
      readonly engine: EngineName;
      readonly set: string;
      readonly by: string;
      readonly names?: readonly string[];
    }
  | { readonly do: "readStatus"; readonly engine: EngineName; readonly set: string; readonly by: string }
  | {
      readonly do: "createToken";
      readonly token: string;
      readonly ttlSeconds?: number;
      readonly uses?: number;
      readonly entity?: string;
      readonly policy?: string;
      readonly namespace?: string;
    }
  /** `lease` counts through the leases that there are, over and over. */
  | { readonly do: "renew"; readonly lease: number; readonly by: string; readonly increment?: number }
  | { readonly do: "revoke"; readonly lease: number; readonly by: string; readonly soon?: boolean }
  | {
      readonly do: "revokePrefix" | "revokeForce";
      readonly prefix: string;
      readonly by: string;
      readonly engine: EngineName;
    }
  | { readonly do: "writePasswordPolicy" | "deletePasswordPolicy"; readonly policy: string }
  | { readonly do: "writePolicy"; readonly policy: string; readonly grants: boolean }
  | { readonly do: "switchDirectory"; readonly on: boolean }
  | {
      readonly do: "failNext";
      readonly count: number;
      readonly at?: "bind" | "search" | "modify";
      readonly name?: string;
    }
  | { readonly do: "delayDirectory"; readonly seconds: number }
  | { readonly do: "addEntry" | "removeEntry"; readonly name: string }
  /** Bob as an entity with groups, and logins of his through an application whose key rotates every hour. */
  | { readonly do: "createPerson" | "forgetPerson" | "rotateKey" | "unregister" | "authorize" | "exchange" }
  | { readonly do: "changePerson"; readonly disabled: boolean }
  | { readonly do: "writeGroup"; readonly group: string; readonly filled: boolean; readonly policy?: string }
  | { readonly do: "writeKey"; readonly algorithm: string }
  | { readonly do: "register"; readonly open: boolean }
  | { readonly do: "wait"; readonly seconds: number }
  | { readonly do: "waitForNext" }
  /** A call that is wrong in itself: it is refused before anything is decided, or while it is. */
  | { readonly do: "mistake"; readonly kind: "control call" | "typed call" | "advance" };

/** What came of an action: answers as their caller sees them, without the request's own id. */
export type Came =
  | { readonly as: "done"; readonly answer?: unknown }
  | { readonly as: "refused"; readonly code: string; readonly data: object; readonly kept: boolean }
  | { readonly as: "mistake"; readonly message: string };

// --- the world in which they do it ----------------------------------------------------------------------------------

const ACCOUNTS = ["svc-a", "svc-b", "svc-c", "svc-d", "svc-e"] as const;
const dnOf = (name: string): string => `cn=${name},ou=service,dc=example,dc=com`;
const SERVER = "ldap://directory.test";

const ENGINES: Readonly<Record<EngineName, { readonly mount: string; readonly namespace?: string }>> = {
  ldap: { mount: "ldap" },
  corp: { mount: "corp" },
  team: { mount: "ldap", namespace: "team" },
};

/** A simulator with three engines, a directory and a few tokens, ready for actions. */
export function newLendingWorld(options: SimulatorOptions = {}): Simulator {
  const sim = createSimulator({ seed: 7, ...options });
  const main = sim.secrets.cluster("main");
  sim.directory.addEntry("cn=admin,dc=example,dc=com", { cn: "admin", userPassword: "admin-pass" });
  for (const name of ACCOUNTS) sim.directory.addEntry(dnOf(name), { objectClass: "person", cn: name });
  main.createNamespace("team");
  main.mount("corp", { type: "ldap" });
  main.mount("ldap", { type: "ldap", namespace: "team" });
  main.writePolicy("lender", 'path "*" { capabilities = ["create", "read", "update", "delete", "list"] }');
  // Tokens that never expire, so that people who wait for long can go on.
  main.createToken({ id: "ann", policies: ["root"] });
  main.createToken({ id: "bob", policies: ["root"], entityId: "e-bob" });
  perform(sim, { do: "configure", engine: "ldap" });
  return sim;
}

/** A world in which all of this has happened. */
export function lived(actions: readonly Action[], options: SimulatorOptions = {}): Simulator {
  const sim = newLendingWorld(options);
  for (const action of actions) perform(sim, action);
  return sim;
}

/** Does one thing and tells what came of it. Errors that are no refusals and no complaints about arguments are thrown on. */
export function perform(sim: Simulator, action: Action): Came {
  try {
    return { as: "done", ...shownAnswer(done(sim, action)) };
  } catch (error) {
    if (error instanceof Rejection) {
      return { as: "refused", code: error.code, data: error.data, kept: error.position !== undefined };
    }
    if (action.do === "mistake" && error instanceof TypeError) return { as: "mistake", message: error.message };
    throw error;
  }
}

function shownAnswer(answer: unknown): { readonly answer?: unknown } {
  if (answer === undefined) return {};
  if (typeof answer !== "object" || answer === null || !("request_id" in answer)) return { answer };
  const { request_id: _, ...rest } = answer;
  return { answer: rest };
}

function done(sim: Simulator, action: Action): unknown {
  const main = sim.secrets.cluster("main");
  const root = main.as(main.rootToken);
  const client = (by: string, engine: EngineName): SecretsClient => main.as(tokenOf(sim, by), namespaceOf(engine));
  const library = (by: string, engine: EngineName) => client(by, engine).at(ENGINES[engine].mount).library;
  const config = (engine: EngineName) => client("root", engine).at(ENGINES[engine].mount).ldapConfig;
  switch (action.do) {
    case "configure":
      return config(action.engine).write({
        binddn: "cn=admin,dc=example,dc=com",
        bindpass: "admin-pass",
        userdn: "ou=service,dc=example,dc=com",
        url: SERVER,
        ...(action.length === undefined ? {} : { length: action.length }),
        ...(action.policy === undefined ? {} : { password_policy: action.policy }),
      });
    case "deconfigure":
      return config(action.engine).delete();
    case "writeSet":
      return library(action.by ?? "root", action.engine).write({
        set_name: action.set,
        ...(action.names === undefined ? {} : { service_account_names: action.names }),
        ...(action.ttl === undefined ? {} : { ttl: action.ttl }),
        ...(action.maxTtl === undefined ? {} : { max_ttl: action.maxTtl }),
        ...(action.open === undefined ? {} : { disable_check_in_enforcement: action.open }),
      });
    case "deleteSet":
      return library("root", action.engine).delete({ set_name: action.set });
    case "checkOut":
      return library(action.by, action.engine).checkOut({
        set_name: action.set,
        ...(action.ttl === undefined ? {} : { ttl: action.ttl }),
      });
    case "checkIn":
    case "forceCheckIn":
      return library(action.by, action.engine)[action.do]({
        set_name: action.set,
        ...(action.names === undefined ? {} : { service_account_names: action.names }),
      });
    case "readStatus":
      return library(action.by, action.engine).status({ set_name: action.set });
    case "createToken":
      return main.createToken({
        id: action.token,
        policies: [action.policy ?? "lender"],
        ...(action.ttlSeconds === undefined ? {} : { ttl: `${action.ttlSeconds}s` }),
        ...(action.uses === undefined ? {} : { numUses: action.uses }),
        ...(action.entity === undefined ? {} : { entityId: action.entity }),
        ...(action.namespace === undefined ? {} : { namespace: action.namespace }),
      });
    case "renew": {
      const lease = leaseAt(sim, action.lease);
      return client(action.by, lease.engine).leases.renew({
        lease_id: lease.id,
        ...(action.increment === undefined ? {} : { increment: action.increment }),
      });
    }
    case "revoke": {
      const lease = leaseAt(sim, action.lease);
      return client(action.by, lease.engine).leases.revoke({
        lease_id: lease.id,
        ...(action.soon === undefined ? {} : { sync: !action.soon }),
      });
    }
    case "revokePrefix":
    case "revokeForce":
      return client(action.by, action.engine).leases[action.do]({ prefix: action.prefix });
    case "writePasswordPolicy":
      return main.as(main.rootToken).passwordPolicies.write({
        name: action.policy,
        policy: 'length = 8 rule "charset" { charset = "abcdef" min-chars = 2 } rule "charset" { charset = "0123" }',
      });
    case "deletePasswordPolicy":
      return main.as(main.rootToken).passwordPolicies.delete({ name: action.policy });
    case "writePolicy":
      return main.writePolicy(
        action.policy,
        `path "*" { capabilities = [${action.grants ? '"create", "read", "update", "delete", "list", "sudo"' : '"deny"'}] }`,
      );
    case "switchDirectory":
      return sim.directory.setAvailable(action.on);
    case "failNext":
      return sim.directory.failNext({
        count: action.count,
        ...(action.at === undefined ? {} : { operation: action.at }),
        ...(action.name === undefined ? {} : { dn: dnOf(action.name) }),
      });
    case "delayDirectory":
      return sim.directory.server(SERVER).setDelay(`${action.seconds}s`);
    case "addEntry":
      return sim.directory.addEntry(dnOf(action.name), { objectClass: "person", cn: action.name });
    case "removeEntry":
      return sim.directory.removeEntry(dnOf(action.name));
    case "createPerson":
      return main.createEntity({ id: BOB, name: "bob", aliases: [{ name: "bob", mountAccessor: "acc" }] });
    case "forgetPerson":
      return root.identity.entities.delete({ id: BOB });
    case "changePerson":
      return root.identity.entities.write({ id: BOB, disabled: action.disabled });
    case "writeGroup":
      return root.identity.groups.write({
        name: action.group,
        member_entity_ids: action.filled ? [BOB] : [],
        ...(action.policy === undefined ? {} : { policies: [action.policy] }),
      });
    case "writeKey":
      return root.oidc.keys.write({
        name: "hourly",
        algorithm: action.algorithm,
        rotation_period: "1h",
        verification_ttl: "2h",
        allowed_client_ids: "*",
      });
    case "rotateKey":
      return root.oidc.keys.rotate({ name: "hourly" });
    case "register":
      return root.oidc.clients.write({
        name: "app",
        key: "hourly",
        redirect_uris: CALLBACK,
        assignments: action.open ? "allow_all" : [],
        id_token_ttl: "10m",
        access_token_ttl: "20m",
      });
    case "unregister":
      return root.oidc.clients.delete({ name: "app" });
    case "authorize": {
      const { client_id } = root.oidc.clients.read({ name: "app" }).data;
      const asked = { name: "default", client_id, redirect_uri: CALLBACK, response_type: "code", scope: "openid" };
      return main.as("bob").oidc.authorize(asked);
    }
    case "exchange":
      return exchange(sim);
    case "wait":
      return sim.clock.advance(action.seconds * 1_000);
    case "waitForNext":
      return sim.clock.next();
    case "mistake":
      return mistake(sim, action.kind);
    default:
      return action satisfies never;
  }
}

const BOB = "e-bob";
const CALLBACK = "https://app.test/callback";

/** Shows the first code that waits. What is signed comes later, and so does a refusal: nobody waits for either. */
function exchange(sim: Simulator): undefined {
  const main = sim.secrets.cluster("main");
  const { client_id, client_secret } = main.as(main.rootToken).oidc.clients.read({ name: "app" }).data;
  const code = sim.state.secrets["main"]?.local.oidcCodes.first()?.[0];
  const shown = { name: "default", grant_type: "authorization_code", redirect_uri: CALLBACK, client_id, client_secret };
  main
    .as()
    .oidc.token({ ...shown, code })
    .catch(() => undefined);
  return undefined;
}

function mistake(sim: Simulator, kind: "control call" | "typed call" | "advance"): unknown {
  const main = sim.secrets.cluster("main");
  switch (kind) {
    case "control call":
      return main.createToken({ policies: ["lender"], ttl: "an hour" });
    case "typed call":
      return main.as(main.rootToken).library.checkOut({ set_name: 7 as unknown as string });
    case "advance":
      return sim.clock.advance(-1);
    default:
      return kind satisfies never;
  }
}

/** The token that a name stands for; nobody has none. */
function tokenOf(sim: Simulator, by: string): string | undefined {
  if (by === "nobody") return undefined;
  return by === "root" ? sim.secrets.cluster("main").rootToken : by;
}

function namespaceOf(engine: EngineName): { readonly namespace?: string } {
  const { namespace } = ENGINES[engine];
  return namespace === undefined ? {} : { namespace };
}

function leaseAt(sim: Simulator, number: number): { readonly id: string; readonly engine: EngineName } {
  const leases = sim.state.secrets["main"]?.local.leases;
  const [id, lease] = leases?.at(number % Math.max(leases.size, 1)) ?? [];
  return {
    id: id ?? "ldap/library/ops/check-out/none",
    engine: lease?.engine.namespace === undefined ? "ldap" : "team",
  };
}

// --- actions at random ----------------------------------------------------------------------------------------------

/** One of these, the first as likely as its weight says, and so on. */
const weighted = <T>(...choices: readonly (readonly [weight: number, value: T])[]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));

const engine = weighted<EngineName>([6, "ldap"], [1, "corp"], [2, "team"]);
const set = weighted([7, "ops"], [1, "dev"], [1, "Team/DB"]);
const account = fc.constantFrom(...ACCOUNTS, ...ACCOUNTS, "svc-nowhere");
const token = fc.constantFrom("eve", "once", "few", "brief");
const by = weighted(
  [9, "ann"],
  [7, "bob"],
  [3, "root"],
  [2, "eve"],
  [2, "once"],
  [2, "few"],
  [2, "brief"],
  [1, "nobody"],
  [1, "unknown"],
);
const seconds = fc.constantFrom(1, 10, 20, 60, 600, 3_600, 86_400);
const accounts = fc.uniqueArray(account, { maxLength: 3 });

/** An action with members at random; those that come out undefined are left out. */
function action(name: Action["do"], members: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Action> {
  return fc.record(members, { noNullPrototype: true }).map((given) => {
    const there = Object.entries(given).filter(([, value]) => value !== undefined);
    return { do: name, ...Object.fromEntries(there) } as Action;
  });
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });

/** One action. Those that lead on are likelier than those that get in the way. */
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 10,
    arbitrary: action("writeSet", {
      engine,
      set,
      names: maybe(accounts),
      ttl: maybe(fc.constantFrom(0, 60, 600, 86_400, 90_000)),
      maxTtl: maybe(fc.constantFrom(0, 600, 86_400)),
      open: maybe(fc.boolean()),
      by: maybe(by),
    }),
  },
  {
    weight: 10,
    arbitrary: action("writeSet", { engine, set, names: fc.shuffledSubarray([...ACCOUNTS], { minLength: 1 }) }),
  },
  { weight: 40, arbitrary: action("checkOut", { engine, set, by, ttl: maybe(seconds) }) },
  { weight: 20, arbitrary: action("checkIn", { engine, set, by, names: maybe(accounts) }) },
  { weight: 5, arbitrary: action("forceCheckIn", { engine, set, by, names: maybe(accounts) }) },
  { weight: 3, arbitrary: action("deleteSet", { engine, set }) },
  { weight: 5, arbitrary: action("readStatus", { engine, set, by }) },
  {
    weight: 16,
    arbitrary: action("createToken", {
      token,
      ttlSeconds: maybe(seconds),
      uses: maybe(fc.integer({ min: 1, max: 3 })),
      entity: maybe(fc.constantFrom("e-bob", 'e "quoted" ', "__proto__")),
      policy: maybe(weighted([5, "lender"], [1, "root"], [1, "nothing"], [1, "extra"])),
      namespace: maybe(weighted<string | undefined>([3, undefined], [1, "team"])),
    }),
  },
  { weight: 12, arbitrary: action("renew", { lease: fc.nat({ max: 5 }), by, increment: maybe(seconds) }) },
  { weight: 8, arbitrary: action("revoke", { lease: fc.nat({ max: 5 }), by, soon: maybe(fc.boolean()) }) },
  {
    weight: 2,
    arbitrary: action("revokePrefix", {
      prefix: fc.constantFrom("ldap", "ldap/library/ops", "corp"),
      by: weighted([3, "root"], [1, "ann"]),
      engine,
    }),
  },
  {
    weight: 2,
    arbitrary: action("revokeForce", {
      prefix: fc.constantFrom("ldap", "corp"),
      by: weighted([3, "root"], [1, "ann"]),
      engine,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.oneof(
      action("configure", { engine, length: maybe(fc.constantFrom(8, 40)) }),
      action("configure", { engine, policy: weighted([3, "words"], [1, ""]) }),
    ),
  },
  { weight: 2, arbitrary: action("deconfigure", { engine }) },
  {
    weight: 12,
    arbitrary: fc.oneof(
      { weight: 3, arbitrary: action("createPerson", {}) },
      { weight: 1, arbitrary: action("forgetPerson", {}) },
      { weight: 1, arbitrary: action("changePerson", { disabled: fc.boolean() }) },
      {
        weight: 2,
        arbitrary: action("writeGroup", {
          group: fc.constantFrom("g", "h"),
          filled: fc.boolean(),
          policy: maybe(fc.constantFrom("lender", "extra")),
        }),
      },
      { weight: 3, arbitrary: action("writeKey", { algorithm: fc.constantFrom("ES256", "EdDSA") }) },
      { weight: 1, arbitrary: action("rotateKey", {}) },
      { weight: 3, arbitrary: action("register", { open: fc.boolean() }) },
      { weight: 1, arbitrary: action("unregister", {}) },
      { weight: 4, arbitrary: action("authorize", {}) },
      { weight: 4, arbitrary: action("exchange", {}) },
    ),
  },
  { weight: 2, arbitrary: action("writePasswordPolicy", { policy: fc.constant("words") }) },
  { weight: 1, arbitrary: action("deletePasswordPolicy", { policy: fc.constant("words") }) },
  {
    weight: 2,
    arbitrary: action("writePolicy", {
      policy: fc.constantFrom("extra", "lender"),
      grants: weighted([4, true], [1, false]),
    }),
  },
  { weight: 4, arbitrary: action("switchDirectory", { on: weighted([2, true], [1, false]) }) },
  {
    weight: 10,
    arbitrary: action("failNext", {
      count: fc.integer({ min: 1, max: 3 }),
      at: maybe(fc.constantFrom("bind", "search", "modify")),
      name: maybe(fc.constantFrom(...ACCOUNTS)),
    }),
  },
  { weight: 3, arbitrary: action("delayDirectory", { seconds: fc.constantFrom(0, 0, 29, 30) }) },
  { weight: 4, arbitrary: action("addEntry", { name: account }) },
  { weight: 3, arbitrary: action("removeEntry", { name: account }) },
  { weight: 14, arbitrary: action("wait", { seconds }) },
  { weight: 12, arbitrary: action("waitForNext", {}) },
  { weight: 3, arbitrary: action("mistake", { kind: fc.constantFrom("control call", "typed call", "advance") }) },
);

const BEGINNING: readonly Action[] = [
  { do: "writeSet", engine: "ldap", set: "ops", names: ["svc-a", "svc-b", "svc-c"], ttl: 600, maxTtl: 3_600 },
  { do: "configure", engine: "team" },
  { do: "writeSet", engine: "team", set: "ops", names: ["svc-d", "svc-e"] },
];

/** What people do, one thing after the other: most of the time with a few sets to begin with. */
export function stories(maxLength = 40): fc.Arbitrary<readonly Action[]> {
  return fc
    .tuple(weighted([5, BEGINNING], [1, []]), fc.array(anyAction, { maxLength, size: "max" }))
    .map(([first, rest]) => [...first, ...rest]);
}
