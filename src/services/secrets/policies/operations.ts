import { LanguageError } from "../../../languages/language-error.ts";
import { wordsOf } from "../../../languages/vocabulary/worded.ts";
import type { ServiceWords } from "../../../languages/vocabulary/words.ts";
import { bearerOf, capabilitiesOf } from "../access.ts";
import { command, type SecretsDecision, type SecretsReading, view, withOthers } from "../declare.ts";
import { documentText } from "../document-text.ts";
import { commaList, text } from "../fields.ts";
import { listing } from "../listing.ts";
import { placeOfNamespace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { done, enveloped, type Reply, repeatingData, warned } from "../reply.ts";
import { tokenOf, tokenWithAccessor } from "../tokens/decide.ts";
import type { Token, TokenId } from "../tokens/state.ts";
import { namespaceAt } from "../world.ts";
import { ROOT_POLICY, WRAPPING_POLICY, WRAPPING_TEXT } from "./built-in.ts";
import { parsePolicy } from "./document.ts";
import type { AclPolicy } from "./state.ts";

const OF_POLICY = { evidence: "observed", onSecondary: "forwarded" } as const;
const PATHS = { paths: commaList, path: commaList };

/** Access policies (decisions-secrets-core.md, D.1). Their other routes: README.md of the service. */
export const policyOperations = {
  list: withOthers(
    view({
      route: "LIST /v1/sys/policies/acl",
      evidence: "observed",
      view: (reading) => listing(namesOf(reading)),
    }),
    {
      Formerly: view({ route: "GET /v1/sys/policy", evidence: "observed", view: listedFormerly }),
      FormerlyListed: view({ route: "LIST /v1/sys/policy", evidence: "observed", view: listedFormerly }),
    },
  ),
  read: withOthers(
    view({
      route: "GET /v1/sys/policies/acl/:name",
      evidence: "observed",
      view: (reading, { name }) => enveloped(found(reading, name)),
    }),
    {
      Formerly: view({
        route: "GET /v1/sys/policy/:name",
        evidence: "observed",
        view: (reading, { name: given }) => {
          const { name, policy: rules } = found(reading, given);
          return repeatingData(enveloped({ name, rules }));
        },
      }),
    },
  ),
  write: withOthers(
    command({
      route: "POST /v1/sys/policies/acl/:name",
      ...OF_POLICY,
      fields: { policy: text },
      decide: (decision, { name, policy }) => written(decision, name, policy),
    }),
    {
      Formerly: command({
        route: "POST /v1/sys/policy/:name",
        ...OF_POLICY,
        fields: { policy: text, rules: text },
        decide: (decision, { name, policy, rules }) => written(decision, name, policy || rules),
      }),
    },
  ),
  delete: withOthers(command({ route: "DELETE /v1/sys/policies/acl/:name", ...OF_POLICY, decide: deleted }), {
    Formerly: command({ route: "DELETE /v1/sys/policy/:name", ...OF_POLICY, decide: deleted }),
  }),
  capabilitiesSelf: view({
    route: "POST /v1/sys/capabilities-self",
    evidence: "observed",
    fields: PATHS,
    view: (reading, paths) => capabilities(reading, bearerOf(reading).token, paths),
  }),
  capabilities: view({
    route: "POST /v1/sys/capabilities",
    evidence: "observed",
    fields: { token: text, ...PATHS },
    view: (reading, { token = "", ...paths }) => {
      if (token === "") refuse("capability_token_missing", { kind: "token" });
      const record = tokenOf(reading, token as TokenId);
      return capabilities(reading, record ?? refuse("capability_token_unknown", { kind: "token" }), paths);
    },
  }),
  capabilitiesAccessor: view({
    route: "POST /v1/sys/capabilities-accessor",
    evidence: "observed",
    fields: { accessor: text, ...PATHS },
    view: (reading, { accessor = "", ...paths }) => {
      if (accessor === "") refuse("capability_token_missing", { kind: "accessor" });
      const token = tokenWithAccessor(reading, accessor);
      const record = token === undefined ? undefined : tokenOf(reading, token);
      return capabilities(reading, record ?? refuse("capability_token_unknown", { kind: "accessor" }), paths);
    },
  }),
};

function namesOf({ state, caller }: SecretsReading): string[] {
  const names = [...(namespaceAt(state, caller)?.policies.keys() ?? [])];
  return caller.namespace === undefined ? [...names, ROOT_POLICY].sort() : names;
}

function listedFormerly(reading: SecretsReading) {
  const names = namesOf(reading);
  return repeatingData(enveloped({ keys: names, policies: names }));
}

function found(reading: SecretsReading, given: string): { readonly name: string; readonly policy: string } {
  const name = given.toLowerCase();
  return { name, policy: textOf(reading, name) ?? refuse("not_found", {}) };
}

function written(decision: SecretsDecision, given: string, policy: string | undefined) {
  const name = given.toLowerCase();
  if (name === ROOT_POLICY || name === WRAPPING_POLICY) refuse("policy_not_writable", { policy: name });
  if (policy === undefined || policy === "") return refuse("policy_missing", {});
  const at = placeOfNamespace(decision.caller);
  decision.record({
    type: "PolicyWritten",
    data: { at, name, policy: parsed(policy, wordsOf(decision.state)?.secrets) },
  });
  return warned(name === given ? [] : [`policy name was converted to lower-case: ${name}`]);
}

function deleted(decision: SecretsDecision, { name: given }: { readonly name: string }): Reply<undefined> {
  const name = given.toLowerCase();
  if (NOT_DELETABLE.has(name)) refuse("policy_not_deletable", { policy: name });
  if (namespaceAt(decision.state, decision.caller)?.policies.has(name)) {
    decision.record({ type: "PolicyDeleted", data: { at: placeOfNamespace(decision.caller), name } });
  }
  return done();
}

const NOT_DELETABLE: ReadonlySet<string> = new Set(["default", ROOT_POLICY, WRAPPING_POLICY]);

function textOf({ state, caller }: SecretsReading, name: string): string | undefined {
  if (name === ROOT_POLICY) return caller.namespace === undefined ? "" : undefined;
  if (name === WRAPPING_POLICY) return WRAPPING_TEXT;
  return namespaceAt(state, caller)?.policies.get(name)?.text;
}

function parsed(policy: string, words: ServiceWords | undefined): AclPolicy {
  try {
    return readPolicy(policy, words);
  } catch (error) {
    if (error instanceof LanguageError) return refuse("policy_invalid", { reason: error.message });
    throw error;
  }
}

/**
 * A policy from its document.
 *
 * @throws LanguageError with line and column
 */
export function readPolicy(document: string, words: ServiceWords | undefined): AclPolicy {
  return { text: documentText(document), rules: parsePolicy(document, words) };
}

interface AskedPaths {
  readonly paths?: readonly string[];
  readonly path?: readonly string[];
}

function capabilities(reading: SecretsReading, token: Token, { paths = [], path = [] }: AskedPaths) {
  const asked = paths.length > 0 ? paths : path;
  if (asked.length === 0 || asked.includes("")) return refuse("capability_paths_missing", {});
  const entries = asked.map((each) => [each, capabilitiesShown(reading, token, each)] as const);
  const only = entries.length === 1 ? entries[0]?.[1] : undefined;
  // From pairs: the names are the caller's.
  return repeatingData(
    enveloped(Object.fromEntries(only === undefined ? entries : [...entries, ["capabilities", only] as const])),
  );
}

function capabilitiesShown(reading: SecretsReading, token: Token, asked: string): readonly string[] {
  const path = asked.replace(/^\//, "");
  // With a slash at its end it is what a listing asks for.
  const granted = capabilitiesOf(reading, token, path, path.endsWith("/"));
  if (granted === "all") return ["root"];
  return granted.size === 0 ? ["deny"] : [...granted].sort();
}
