import fc from "fast-check";
import { Rejection, type Simulator } from "../../src/index.ts";
import { createSimulator } from "./checked.ts";

// What people do with credentials of an orchestrator, as plain data: a counterexample that fast-check prints can be pasted into a
// test as it stands, as the argument of `orchestrated`.

/** A label selector as people write it. */
export interface Selector {
  readonly matchLabels?: { readonly [name: string]: string };
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

type LabelsGiven = { readonly [name: string]: string };

export type Deed =
  | {
      readonly do: "writeRole";
      readonly role: string;
      readonly mode: 1 | 2 | 3;
      readonly namespaces: readonly string[];
      readonly selector?: Selector;
      readonly clusterWide: boolean;
      readonly template?: string;
    }
  | { readonly do: "deleteRole"; readonly role: string }
  | { readonly do: "configure" | "deconfigure" }
  | {
      readonly do: "creds";
      readonly role: string;
      readonly namespace: string;
      readonly binding: boolean;
      readonly ttl?: number;
      readonly by: "root" | "brief" | "once";
    }
  /** `lease` counts through the leases that there are, over and over. */
  | { readonly do: "revoke"; readonly lease: number; readonly force: boolean }
  | { readonly do: "switch"; readonly on: boolean }
  | {
      readonly do: "failNext";
      readonly count: number;
      readonly verb?: "create" | "delete";
      readonly kind?: "ServiceAccount" | "TokenRequest" | "Role";
    }
  | { readonly do: "label"; readonly namespace: string; readonly labels: LabelsGiven }
  | { readonly do: "removeNamespace" | "addNamespace"; readonly namespace: string }
  | { readonly do: "away"; readonly seconds: number }
  | { readonly do: "wait"; readonly seconds: number };

/** What came of asking for credentials. */
export type Issued = { readonly name: string; readonly jwt: string } | { readonly refused: string };

const ROLES = ["one", "two", "three", "fixed"] as const;
const NAMESPACES = ["default", "shop", "back", "gone"] as const;

export function newOrchestratingWorld(): Simulator {
  const sim = createSimulator({ seed: 7 });
  const main = sim.secrets.cluster("main");
  sim.orchestrator.addNamespace("shop", { labels: { team: "sales", tier: "front" } });
  sim.orchestrator.addNamespace("back", { labels: { team: "ops" } });
  main.createToken({ id: "brief", policies: ["root"], ttl: "2h" });
  main.createToken({ id: "once", policies: ["root"], ttl: "24h", numUses: 3 });
  main.as(main.rootToken).orchestrator.config.write({ orchestrator_host: "https://api.test" });
  return sim;
}

/** A world in which all of this has happened. */
export async function orchestrated(deeds: readonly Deed[]): Promise<Simulator> {
  const sim = newOrchestratingWorld();
  for (const deed of deeds) await act(sim, deed);
  return sim;
}

/** Does one thing; of credentials it tells what came of it. Errors that are no refusals are thrown on. */
export async function act(sim: Simulator, deed: Deed): Promise<Issued | undefined> {
  try {
    return await done(sim, deed);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return deed.do === "creds" ? { refused: error.code } : undefined;
  }
}

const MODE_FIELDS = [
  ["service_account_name", "default"],
  ["orchestrator_role_name", "reader"],
  ["generated_role_rules", '{"rules": [{"verbs": ["get"], "resources": ["pods"], "apiGroups": [""]}]}'],
] as const;

async function done(sim: Simulator, deed: Deed): Promise<Issued | undefined> {
  const main = sim.secrets.cluster("main");
  const admin = main.as(main.rootToken);
  switch (deed.do) {
    case "writeRole":
      await admin.orchestrator.roles.write({
        name: deed.role,
        allowed_orchestrator_namespaces: deed.namespaces,
        allowed_orchestrator_namespace_selector: deed.selector === undefined ? "" : JSON.stringify(deed.selector),
        orchestrator_role_type: deed.clusterWide ? "ClusterRole" : "Role",
        name_template: deed.template ?? "",
        ...Object.fromEntries(
          MODE_FIELDS.map(([field, value], index) => [field, index + 1 === deed.mode ? value : ""]),
        ),
      });
      return undefined;
    case "deleteRole":
      admin.orchestrator.roles.delete({ role: deed.role });
      return undefined;
    case "configure":
      admin.orchestrator.config.write({ orchestrator_host: "https://api.test" });
      return undefined;
    case "deconfigure":
      admin.orchestrator.config.delete();
      return undefined;
    case "creds": {
      const door = deed.by === "root" ? admin : main.as(deed.by);
      const { data } = await door.orchestrator.creds({
        role: deed.role,
        orchestrator_namespace: deed.namespace,
        cluster_role_binding: deed.binding,
        ...(deed.ttl === undefined ? {} : { ttl: deed.ttl }),
      });
      return { name: data.service_account_name, jwt: data.service_account_token };
    }
    case "revoke": {
      const leases = sim.state.secrets["main"]?.local.leases;
      const [id] = leases?.at(deed.lease % Math.max(leases.size, 1)) ?? [];
      if (id === undefined) return undefined;
      if (deed.force) admin.leases.revokeForce({ prefix: id });
      else admin.leases.revoke({ lease_id: id });
      return undefined;
    }
    case "switch":
      sim.orchestrator.setAvailable(deed.on);
      return undefined;
    case "failNext": {
      const { do: _, ...failure } = deed;
      sim.orchestrator.failNext(failure);
      return undefined;
    }
    case "label":
      sim.orchestrator.setNamespaceLabels(deed.namespace, deed.labels);
      return undefined;
    case "removeNamespace":
      sim.orchestrator.removeNamespace(deed.namespace);
      return undefined;
    case "addNamespace":
      sim.orchestrator.addNamespace(deed.namespace);
      return undefined;
    case "away":
      main.seal();
      sim.clock.advance(deed.seconds * 1_000);
      main.unseal();
      return undefined;
    case "wait":
      sim.clock.advance(deed.seconds * 1_000);
      return undefined;
    default:
      return deed satisfies never;
  }
}

// --- deeds at random ------------------------------------------------------------------------------------------------

const word = fc.constantFrom("team", "tier", "none");
const value = fc.constantFrom("sales", "ops", "front");

/** Labels of few names and values, so that selectors meet them. */
export const someLabels: fc.Arbitrary<LabelsGiven> = fc.dictionary(word, value, { maxKeys: 3, noNullPrototype: true });

const expression = fc.oneof(
  fc.record({ key: word, operator: fc.constantFrom("In", "NotIn"), values: fc.uniqueArray(value, { minLength: 1 }) }),
  fc.record({ key: word, operator: fc.constantFrom("Exists", "DoesNotExist") }),
);

/** A selector whose operators are ones. */
export const someSelector: fc.Arbitrary<Selector> = fc.record(
  { matchLabels: someLabels, matchExpressions: fc.array(expression, { maxLength: 3 }) },
  { requiredKeys: [], noNullPrototype: true },
);

const role = fc.constantFrom(...ROLES);
const namespace = fc.constantFrom(...NAMESPACES, "shop", "back");
const seconds = fc.constantFrom(0, 1, 59, 60, 600, 661, 3_600, 90_000);

/** Members that come out undefined are left out. */
const deed = (name: Deed["do"], members: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Deed> =>
  fc.record(members, { noNullPrototype: true }).map((given) => {
    const there = Object.entries(given).filter(([, member]) => member !== undefined);
    return { do: name, ...Object.fromEntries(there) } as Deed;
  });

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });

const anyDeed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 5,
    arbitrary: deed("writeRole", {
      role,
      mode: fc.constantFrom(1, 2, 3, 3),
      namespaces: fc.uniqueArray(fc.constantFrom("*", ...NAMESPACES), { maxLength: 3 }),
      selector: maybe(someSelector),
      clusterWide: fc.boolean(),
      template: maybe(
        fc.constantFrom("fixed", "Upper", "{{ random 8 | lowercase }}", "a b", "{{ .Nope }}", "-x-{{ random 3 }}"),
      ),
    }),
  },
  {
    weight: 14,
    arbitrary: deed("creds", {
      role,
      namespace,
      binding: fc.boolean(),
      ttl: maybe(fc.constantFrom(0, 599, 600, 3_600)),
      by: fc.constantFrom("root", "root", "root", "brief", "once"),
    }),
  },
  { weight: 4, arbitrary: deed("revoke", { lease: fc.nat({ max: 9 }), force: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: deed("failNext", {
      count: fc.constantFrom(1, 2),
      verb: maybe(fc.constantFrom("create", "delete")),
      kind: maybe(fc.constantFrom("ServiceAccount", "TokenRequest", "Role")),
    }),
  },
  { weight: 5, arbitrary: deed("wait", { seconds }) },
  { weight: 1, arbitrary: deed("away", { seconds }) },
  { weight: 2, arbitrary: deed("label", { namespace, labels: someLabels }) },
  { weight: 1, arbitrary: deed("switch", { on: fc.boolean() }) },
  { weight: 1, arbitrary: deed("switch", { on: fc.constant(true) }) },
  { weight: 1, arbitrary: fc.oneof(deed("configure", {}), deed("configure", {}), deed("deconfigure", {})) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      deed("removeNamespace", { namespace }),
      deed("addNamespace", { namespace }),
      deed("deleteRole", { role }),
    ),
  },
);

/** Two roles that work, and then whatever people do. */
export const anyDeeds: fc.Arbitrary<Deed[]> = fc
  .array(anyDeed, { minLength: 5, maxLength: 40, size: "max" })
  .map((deeds) => [
    { do: "writeRole", role: "two", mode: 2, namespaces: ["shop"], clusterWide: false },
    { do: "writeRole", role: "three", mode: 3, namespaces: [], selector: {}, clusterWide: true },
    { do: "writeRole", role: "fixed", mode: 3, namespaces: ["*"], clusterWide: false, template: "fixed" },
    ...deeds,
  ]);
