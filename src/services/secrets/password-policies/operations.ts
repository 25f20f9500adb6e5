import { LanguageError } from "../../../languages/language-error.ts";
import { command, view } from "../declare.ts";
import { documentText } from "../document-text.ts";
import { text } from "../fields.ts";
import { listing } from "../listing.ts";
import { placeOfNamespace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { done, enveloped } from "../reply.ts";
import { namespaceAt } from "../world.ts";
import { parsePasswordPolicy } from "./document.ts";
import { generatePassword } from "./generate.ts";
import type { PasswordPolicy } from "./state.ts";

/** Password policies (decisions-secrets-core.md, D.6). */
export const passwordPolicyOperations = {
  list: view({
    route: "LIST /v1/sys/policies/password",
    evidence: "observed",
    view: ({ state, caller }) => listing(namespaceAt(state, caller)?.passwordPolicies.keys() ?? []),
  }),
  read: view({
    route: "GET /v1/sys/policies/password/:name",
    evidence: "observed",
    view: ({ state, caller }, { name }) => {
      const policy = namespaceAt(state, caller)?.passwordPolicies.get(name);
      if (policy === undefined) return refuse("password_policy_not_found", { policy: name });
      return enveloped({ policy: documentText(policy.text) });
    },
  }),
  write: command({
    route: "POST /v1/sys/policies/password/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    fields: { policy: text },
    decide: (decision, { name, policy }) => {
      if (policy === undefined || policy === "") return refuse("password_policy_missing", {});
      const at = placeOfNamespace(decision.caller);
      decision.record({ type: "PasswordPolicyWritten", data: { at, name, policy: parsed(policy) } });
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/sys/policies/password/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    decide: (decision, { name }) => {
      const exists = namespaceAt(decision.state, decision.caller)?.passwordPolicies.has(name);
      if (exists)
        decision.record({ type: "PasswordPolicyDeleted", data: { at: placeOfNamespace(decision.caller), name } });
      return done();
    },
  }),
  generate: view({
    route: "GET /v1/sys/policies/password/:name/generate",
    evidence: "chosen",
    view: (reading, { name }) => {
      const policy = namespaceAt(reading.state, reading.caller)?.passwordPolicies.get(name);
      if (policy === undefined) return refuse("password_policy_not_found", { policy: name });
      return enveloped({ password: generatePassword(reading.draw, policy) });
    },
  }),
};

function parsed(policy: string): PasswordPolicy {
  try {
    return parsePasswordPolicy(policy);
  } catch (error) {
    if (error instanceof LanguageError) return refuse("password_policy_invalid", { reason: error.message });
    throw error;
  }
}
