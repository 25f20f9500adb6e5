import { liesWithin } from "../../../languages/cidr.ts";
import { wordsOf } from "../../../languages/vocabulary/worded.ts";
import { argument, type Fact, fact, recorded, textGiven } from "../../kit/why.ts";
import {
  entityIsBarred,
  entityOf,
  LOOPBACK,
  limitFaultIn,
  neededCapability,
  policiesOf,
  ruleBookFor,
  rulesNamed,
  rulesOn,
} from "../access.ts";
import { askedOf, mountAsked, readingOf, type SecretsExplainers, type SecretsMet } from "../explaining.ts";
import type { NamespacePath } from "../place.ts";
import type { Token } from "../tokens/state.ts";
import { accessorFacts, callerFacts, nameOf, tokenFacts } from "../tokens/why.ts";
import { renamedPath } from "../words/path.ts";
import { clusterOf, namespaceAt } from "../world.ts";
import type { PolicyRefusals } from "./rejections.ts";
import { grantedBy, isTemplate } from "./rules.ts";
import { filledPath } from "./templates.ts";

/** Why the endpoints of access policies refuse. */
export const policyWhy: SecretsExplainers<PolicyRefusals> = {
  policy_not_writable: (_, { policy }) => [fact("policy", `${policy} is the service's own`)],
  policy_not_deletable: (_, { policy }) => [fact("policy", `${policy} is the service's own`)],
  policy_missing: argument("policy", "the document of the policy"),
  policy_invalid: (_, { reason }) => [fact("argument", `policy: ${reason}`)],
  capability_token_missing: (met, { kind }) => argument(kind, "what is asked about")(met, {}),
  capability_token_unknown: (met, { kind }) =>
    kind === "token" ? tokenFacts(met, textGiven(met, kind)) : accessorFacts(met, textGiven(met, kind)),
  capability_paths_missing: argument("paths", "a list of paths"),
};

/** Why a request was not let in, in the order in which it is looked at (decisions-secrets-core.md, A.3, 7). */
export function deniedFacts(met: SecretsMet): readonly Fact[] {
  const { state, caller, nowMs } = met;
  const { operation } = askedOf(met);
  if (operation?.access.open !== undefined) return loginFacts(met);
  const token = clusterOf(state, caller.cluster).local.tokens.get(caller.token ?? "");
  if (token === undefined || (token.expiresAtMs ?? Number.POSITIVE_INFINITY) <= nowMs) return callerFacts(met);
  return [gateFact(met, token) ?? policyFact(met, token), ...callerFacts(met)];
}

/** The gates before the policies of a token that is valid. */
function gateFact(met: SecretsMet, token: Token): Fact | undefined {
  const { state, caller } = met;
  const { address = LOOPBACK } = caller;
  const { boundCidrs = [], namespace = "" } = token;
  if (boundCidrs.length > 0 && !liesWithin([address], boundCidrs)) {
    return fact("gate", `${nameOf(token)} may be used from ${boundCidrs.join(", ")}, and was from ${address}`);
  }
  if (entityIsBarred({ state, caller }, token)) return entityFact(met, token.entityId);
  if ((caller.namespace ?? "").startsWith(namespace)) return undefined;
  return fact(
    "namespace",
    `${nameOf(token)} is one of namespace ${namespace}, and namespace ${caller.namespace ?? "root"} was asked`,
  );
}

function entityFact({ past }: SecretsMet, entity: string): Fact {
  const end = past.last("EntityDeleted", ({ id }) => id === entity);
  const disabled = past.last("EntityWritten", ({ id }) => id === entity);
  return (
    recorded("gate", `its entity ${entity} was deleted`, end) ??
    recorded("gate", `its entity ${entity} is disabled, written last`, disabled) ??
    fact("gate", `its entity ${entity} is disabled`)
  );
}

/** What the policies of a token say of a request, and what was needed. */
function policyFact(met: SecretsMet, token: Token): Fact {
  const { caller } = met;
  const reading = readingOf(met);
  const { verb, path, operation } = askedOf(met);
  const isListing = verb === "LIST";
  const input = { ...(met.command.input as object), mount: mountAsked(met) };
  const needed = neededCapability(reading, verb, operation, input as never);
  const rules = rulesOn(reading, token, path, isListing);
  const isGranted = rules !== "all" && rules.some((rule) => grantedBy(rule).has(needed));
  const fault = isGranted ? limitFaultIn(rules, needed, askedOf(met), caller) : undefined;
  const lacks = isGranted && fault === undefined ? "sudo" : needed;
  const { policies, elsewhere } = policiesOf(reading, token);
  const own = [{ namespace: token.namespace, policies }, ...(elsewhere === undefined ? [] : [elsewhere])];
  const said = own.map((one) => ruleText(met, token, one, path, isListing));
  const below = caller.namespace ?? "";
  const head = `${below}${spokenPath(met, path)} needs ${lacks}; policies ${own.flatMap((one) => one.policies).join(", ") || "none"}`;
  const position = said.find((one) => one.position !== undefined)?.position;
  const text = `${head}: ${[...said.map((one) => one.text), ...(fault === undefined ? [] : [fault])].join("; ")}`;
  return { kind: "policy", ...(position === undefined ? {} : { position }), text };
}

/** A path as clients of a vocabulary know it. */
function spokenPath({ state, caller }: SecretsMet, path: string): string {
  const words = wordsOf(state)?.secrets;
  return words === undefined ? path : renamedPath(words, { world: state, at: caller }, path, "own");
}

/** The rule that applies, or the nearest one where none does. */
function ruleText(
  met: SecretsMet,
  token: Token,
  { namespace, policies }: { readonly namespace: NamespacePath | undefined; readonly policies: readonly string[] },
  path: string,
  isListing: boolean,
): { readonly text: string; readonly position?: number } {
  const { caller, past } = met;
  const at = namespace === undefined ? { cluster: caller.cluster } : { cluster: caller.cluster, namespace };
  const table = namespaceAt(met.state, at)?.policies;
  const full = (caller.namespace ?? "").slice((namespace ?? "").length) + path;
  const rule = ruleBookFor(met, token, { namespace, policies }).ruleOn(full, isListing);
  const entity = entityOf(met, token);
  const fits = (pattern: string): boolean => {
    const filled = entity === undefined || !isTemplate(pattern) ? pattern : filledPath(pattern, entity, namespace);
    return filled === rule?.pattern || filled === full;
  };
  const rules = policies.flatMap((policy) =>
    (table === undefined ? [] : (rulesNamed(table, policy) ?? [])).map((one) => ({ ...one, policy })),
  );
  const meant = rule === undefined ? nearest(full, rules) : rules.filter((one) => fits(one.path));
  const written = meant
    .map(({ policy }) => past.last("PolicyWritten", (data) => data.name === policy && data.at.namespace === namespace))
    .find((found) => found !== undefined);
  const position = written === undefined ? {} : { position: written.position };
  const absent = policies.filter((policy) => policy !== "root" && table !== undefined && !rulesNamed(table, policy));
  const missing = absent.length === 0 ? "" : `; there is no policy ${absent.join(", ")}`;
  const shown = meant.map(
    ({ path: pattern, capabilities, policy }) =>
      `${spokenPath(met, pattern)} [${capabilities.join(", ")}] of ${policy}`,
  );
  if (rule !== undefined)
    return {
      text: `the rule that fits is ${shown.join(" and ") || spokenPath(met, rule.pattern)}${missing}`,
      ...position,
    };
  return { text: `no rule fits${shown.length === 0 ? "" : `; nearest: ${shown.join(", ")}`}${missing}`, ...position };
}

/** The rule whose path begins most like another path. */
function nearest<R extends { readonly path: string }>(path: string, rules: readonly R[]): readonly R[] {
  let best: R | undefined;
  let most = 0;
  for (const rule of rules) {
    let length = 0;
    while (length < path.length && path[length] === rule.path[length]) length += 1;
    if (length > most) [best, most] = [rule, length];
  }
  return best === undefined ? [] : [best];
}

/** A login whose credentials were right is refused at its address, by the entity that it leads to, or by who reviews its token. */
function loginFacts(met: SecretsMet): readonly Fact[] {
  const { path } = askedOf(met);
  const { address = LOOPBACK } = met.caller;
  const disabled = met.past.last("EntityWritten", ({ entity }) => entity.disabled);
  return [
    fact("login", `${path} was asked from ${address}: the address, the entity or the token of the login is not let in`),
    recorded("gate", "an entity was disabled last", disabled),
  ].filter((one) => one !== undefined);
}
