import { command, view } from "../../declare.ts";
import { text } from "../../fields.ts";
import { listing } from "../../listing.ts";
import { pairPrefix } from "../../pair-key.ts";
import { placeOfNamespace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { done, enveloped } from "../../reply.ts";
import { oidcAt } from "../keys/decide.ts";
import { OPENID } from "../state.ts";
import { writtenTemplate } from "./written.ts";

/** Scopes (decisions-oidc.md, 6). */
export const scopeOperations = {
  list: view({
    route: "LIST /v1/identity/oidc/scope",
    evidence: "chosen",
    view: (reading) => listing(oidcAt(reading, reading.caller).scopes.keys()),
  }),
  read: view({
    route: "GET /v1/identity/oidc/scope/:name",
    evidence: "observed",
    view: (reading, { name }) => {
      const scope = oidcAt(reading, reading.caller).scopes.get(name);
      if (scope === undefined) return refuse("not_found", {});
      return enveloped({ template: scope.template, description: scope.description });
    },
  }),
  write: command({
    route: "POST /v1/identity/oidc/scope/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    fields: { template: text, description: text },
    exists: (reading, { name }) => oidcAt(reading, reading.caller).scopes.has(name),
    decide: (decision, { name, template: given, description }) => {
      if (name === OPENID) refuse("built_in_not_writable", { kind: "scope", name });
      const before = oidcAt(decision, decision.caller).scopes.get(name);
      const template = given === undefined ? (before?.template ?? "") : writtenTemplate(given, decision.nowMs);
      const scope = { template, description: description ?? before?.description ?? "" };
      decision.record({ type: "OidcScopeWritten", data: { at: placeOfNamespace(decision.caller), name, scope } });
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/identity/oidc/scope/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    decide: (decision, { name }) => {
      const oidc = oidcAt(decision, decision.caller);
      const users = [...oidc.providersByScope.values({ prefix: pairPrefix(name) })];
      if (users.length > 0) refuse("in_use", { kind: "scope", name, by: "provider", users });
      if (oidc.scopes.has(name)) {
        decision.record({ type: "OidcScopeDeleted", data: { at: placeOfNamespace(decision.caller), name } });
      }
      return done();
    },
  }),
};
