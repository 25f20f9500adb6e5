import { matches } from "../../../languages/glob.ts";
import { shown } from "../../../languages/shown.ts";
import type { ServiceWords } from "../../../languages/vocabulary/words.ts";
import { type Bearer, policyNamesOf } from "../access.ts";
import type { Policy, PolicySlice } from "../policies/state.ts";
import { closest } from "./glob.ts";
import { parseRules, type Rules } from "./parse.ts";
import { LABELLED, type Level, OPERATOR, SINGLE, VARIABLES } from "./words.ts";

// Source of all rules in this file: decisions-scheduler-acl.md, section 8, "Resolution".

/** What capabilities are asked of. */
export type CapabilityKind =
  | "namespace"
  | "node_pool"
  | "host_volume"
  | "variables"
  | "agent"
  | "node"
  | "quota"
  | "operator"
  | "plugin";

/** The rules of policies: a policy is frozen, so what it says is read once. */
const parsed = new WeakMap<Policy, Rules>();

function rulesOf(policy: Policy, words: ServiceWords | undefined): Rules {
  let rules = parsed.get(policy);
  if (rules === undefined) {
    rules = parseRules(policy.rules, words);
    parsed.set(policy, rules);
  }
  return rules;
}

/**
 * What a bearer may do with something, sorted; nothing where it is denied or nobody says anything.
 *
 * @param name of the namespace, node pool or host volume; of variables `<namespace>/<path>`
 * @throws TypeError for a kind that is none, and for a kind with names that was given none
 */
export function capabilitiesOf(
  region: PolicySlice,
  bearer: Bearer,
  kind: CapabilityKind,
  name: string | undefined,
  words?: ServiceWords,
): string[] {
  const isNamed = LABELLED.has(kind) || kind === "variables";
  if (!isNamed && !SINGLE.has(kind)) {
    throw new TypeError(`capabilities: ${shown(kind)} is no kind: there are ${KINDS.join(", ")}`);
  }
  if (isNamed && typeof name !== "string") {
    throw new TypeError(`capabilities: the name of the ${kind} is ${shown(name)}, and has to be a string`);
  }
  const capabilities =
    bearer.kind === "management" ? everything(kind) : granted(region, bearer, kind, name ?? "", words);
  return [...new Set(capabilities)].sort();
}

const KINDS = [...LABELLED.keys(), "variables", ...SINGLE.keys()];

function everything(kind: CapabilityKind): readonly string[] {
  if (kind === "variables") return VARIABLES;
  if (kind === "plugin") return ["read", "list"];
  if (kind === "operator") return ["read", "write", ...OPERATOR.capabilities];
  return LABELLED.get(kind)?.capabilities ?? ["read", "write"];
}

function granted(
  region: PolicySlice,
  bearer: Exclude<Bearer, { readonly kind: "management" }>,
  kind: CapabilityKind,
  name: string,
  words: ServiceWords | undefined,
): readonly string[] {
  // Policies that are not there are skipped silently.
  const rules = [...new Set(policyNamesOf(bearer))].flatMap((policy) => {
    const existing = region.policies.get(policy);
    return existing === undefined ? [] : [rulesOf(existing, words)];
  });
  if (kind === "variables") return ofVariables(rules, name);
  if (LABELLED.has(kind)) {
    return lookedUp(
      rules.flatMap(({ labelled }) => labelled.filter((rule) => rule.kind === kind)),
      name,
    );
  }
  const level = strongest(rules.flatMap(({ levels }) => levels.get(kind) ?? []));
  const ofLevel = impliedBy(kind, level);
  if (kind !== "operator") return ofLevel;
  const own = rules.flatMap(({ operator }) => operator);
  // The policy write wins over a denial (amendments.md, N4).
  const isDenied = own.includes("deny") && level !== "write";
  return [...ofLevel, ...(isDenied ? [] : own.filter((capability) => capability !== "deny"))];
}

/** Exact labels hide patterns, and a denial clears its label in whatever policy it stands. */
function lookedUp(
  rules: readonly { readonly label: string; readonly capabilities: readonly string[] }[],
  name: string,
): readonly string[] {
  const labels = new Set(rules.map(({ label }) => label));
  const looked = labels.has(name) ? name : closest(labels, name);
  const capabilities = rules.flatMap((rule) => (rule.label === looked ? rule.capabilities : []));
  return capabilities.includes("deny") ? [] : capabilities;
}

/**
 * Namespace and path are matched apart, and the closest pair counts. Of one path in several blocks a denial clears its own list only
 * (amendments.md, N3).
 */
function ofVariables(rules: readonly Rules[], name: string): readonly string[] {
  const slash = name.indexOf("/");
  const [inNamespace, below] = [name.slice(0, slash), name.slice(slash + 1)];
  const labelled = rules.flatMap(({ variables }) =>
    variables
      .filter(({ namespace, path }) => matches(namespace, inNamespace) && matches(path, below))
      .map(({ namespace, path, capabilities }) => ({
        label: `${namespace}/${path}`,
        capabilities: capabilities.includes("deny") ? [] : capabilities,
      })),
  );
  return lookedUp(labelled, name);
}

const STRENGTH: readonly Level[] = ["deny", "write", "read", "list", "scale"];

function strongest(levels: readonly Level[]): Level | undefined {
  return STRENGTH.find((level) => levels.includes(level));
}

function impliedBy(kind: CapabilityKind, level: Level | undefined): readonly string[] {
  switch (level) {
    case "write":
      // Of plugins, writing grants nothing.
      return kind === "plugin" ? [] : ["read", "write"];
    case "read":
      return kind === "plugin" ? ["read", "list"] : ["read"];
    case "list":
      return ["list"];
    case "deny":
    case "scale":
    case undefined:
      return [];
    default:
      return level satisfies never;
  }
}
