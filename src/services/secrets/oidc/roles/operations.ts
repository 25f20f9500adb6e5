import { command, view } from "../../declare.ts";
import { seconds, text } from "../../fields.ts";
import { listing } from "../../listing.ts";
import { placeOfNamespace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { done, enveloped } from "../../reply.ts";
import { oidcAt } from "../keys/decide.ts";
import { writeRole } from "./decide.ts";

/** Roles of identity tokens (oidc/README.md, 1). */
export const roleOperations = {
  list: view({
    route: "LIST /v1/identity/oidc/role",
    evidence: "observed",
    view: (reading) => listing(oidcAt(reading, reading.caller).identityRoles.keys()),
  }),
  read: view({
    route: "GET /v1/identity/oidc/role/:name",
    evidence: "observed",
    view: (reading, { name }) => {
      const role = oidcAt(reading, reading.caller).identityRoles.get(name);
      if (role === undefined) return refuse("not_found", {});
      const { clientId, key, template, ttlSeconds } = role;
      return enveloped({ client_id: clientId, key, template, ttl: ttlSeconds });
    },
  }),
  write: command({
    route: "POST /v1/identity/oidc/role/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    fields: { key: text, template: text, client_id: text, ttl: seconds },
    exists: (reading, { name }) => oidcAt(reading, reading.caller).identityRoles.has(name),
    decide: (decision, { name, ...fields }) => {
      writeRole(decision, decision.caller, name, fields);
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/identity/oidc/role/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    decide: (decision, { name }) => {
      if (oidcAt(decision, decision.caller).identityRoles.has(name)) {
        decision.record({ type: "IdentityRoleDeleted", data: { at: placeOfNamespace(decision.caller), name } });
      }
      return done();
    },
  }),
};
