import { LanguageError } from "../../../languages/language-error.ts";
import { wordsOf } from "../../../languages/vocabulary/worded.ts";
import type { ServiceWords } from "../../../languages/vocabulary/words.ts";
import { bearerOf, capabilitiesOf } from "../access.ts";
import { command, type SecretsReading, view } from "../declare.ts";
import { documentText } from "../document-text.ts";
import { commaList, text } from "../fields.ts";
import { listing } from "../listing.ts";
import { placeOfNamespace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { done, enveloped, repeatingData } from "../reply.ts";
import { namespaceAt } from "../world.ts";
import { ROOT_POLICY, WRAPPING_POLICY, WRAPPING_TEXT } from "./built-in.ts";
import { parsePolicy } from "./document.ts";
import type { AclPolicy } from "./state.ts";

/** Access policies (decisions-secrets-core.md, D.1). */
export const policyOperations = {
  list: view({
    route: "LIST /v1/sys/policies/acl",
    evidence: "observed",
    view: ({ state, caller }) => {
      const names = [...(namespaceAt(state, caller)?.policies.keys() ?? [])];
      return listing(caller.namespace === undefined ? [...names, ROOT_POLICY].sort() : names);
    },
  }),
  read: view({
    route: "GET /v1/sys/policies/acl/:name",
    evidence: "observed",
    view: (reading, { name: given }) => {
      const name = given.toLowerCase();
      const policy = textOf(reading, name);
      return policy === undefined ? refuse("not_found", {}) : enveloped({ name, policy });
    },
  }),
  write: command({
    route: "POST /v1/sys/policies/acl/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    fields: { policy: text },
    decide: (decision, { name: given, policy }) => {
      const name = given.toLowerCase();
      if (name === ROOT_POLICY || name === WRAPPING_POLICY) refuse("policy_not_writable", { policy: name });
      if (policy === undefined || policy === "") return refuse("policy_missing", {});
      const data = {
        at: placeOfNamespace(decision.caller),
        name,
        policy: parsed(policy, wordsOf(decision.state)?.secrets),
      };
      decision.record({ type: "PolicyWritten", data });
      if (name === given) return done();
      return enveloped(null, { warnings: [`policy name was converted to lower-case: ${name}`] });
    },
  }),
  delete: command({
    route: "DELETE /v1/sys/policies/acl/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    decide: (decision, { name: given }) => {
      const name = given.toLowerCase();
      if (NOT_DELETABLE.has(name)) refuse("policy_not_deletable", { policy: name });
      if (namespaceAt(decision.state, decision.caller)?.policies.has(name)) {
        decision.record({ type: "PolicyDeleted", data: { at: placeOfNamespace(decision.caller), name } });
      }
      return done();
    },
  }),
  capabilitiesSelf: view({
    route: "POST /v1/sys/capabilities-self",
    evidence: "observed",
    fields: { paths: commaList, path: commaList },
    view: (reading, { paths = [], path = [] }) => {
      const asked = paths.length > 0 ? paths : path;
      if (asked.length === 0 || asked.includes("")) return refuse("capability_paths_missing", {});
      const entries = asked.map((each) => [each, capabilitiesShown(reading, each)] as const);
      const only = entries.length === 1 ? entries[0]?.[1] : undefined;
      // From pairs: the names are the caller's.
      return repeatingData(
        enveloped(Object.fromEntries(only === undefined ? entries : [...entries, ["capabilities", only] as const])),
      );
    },
  }),
};

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

function capabilitiesShown(reading: SecretsReading, asked: string): readonly string[] {
  const path = asked.replace(/^\//, "");
  // With a slash at its end it is what a listing asks for.
  const granted = capabilitiesOf(reading, bearerOf(reading).token, path, path.endsWith("/"));
  if (granted === "all") return ["root"];
  return granted.size === 0 ? ["deny"] : [...granted].sort();
}
