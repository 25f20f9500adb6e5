import { command, view } from "../../declare.ts";
import { listing } from "../../listing.ts";
import { refuse } from "../../rejections.ts";
import { done, enveloped } from "../../reply.ts";
import { namespaceAt } from "../../world.ts";
import { deleteTokenRole, ROLE_FIELDS, shownTokenRole, tokenRoleNamed, writeTokenRole } from "./decide.ts";

/** Roles of tokens (tokens/README.md, 3). */
export const tokenRoleOperations = {
  list: view({
    route: "LIST /v1/auth/token/roles",
    evidence: "observed",
    view: ({ state, caller }) => listing(namespaceAt(state, caller)?.tokenRoles.keys() ?? []),
  }),
  read: view({
    route: "GET /v1/auth/token/roles/:role_name",
    evidence: "observed",
    view: (reading, { role_name }) =>
      enveloped(shownTokenRole(role_name, tokenRoleNamed(reading, role_name) ?? refuse("not_found", {}))),
  }),
  write: command({
    route: "POST /v1/auth/token/roles/:role_name",
    evidence: "observed",
    onSecondary: "forwarded",
    fields: ROLE_FIELDS,
    exists: (reading, { role_name }) => tokenRoleNamed(reading, role_name) !== undefined,
    decide: (decision, { role_name, ...given }) => {
      writeTokenRole(decision, role_name, given);
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/auth/token/roles/:role_name",
    evidence: "observed",
    onSecondary: "forwarded",
    decide: (decision, { role_name }) => {
      deleteTokenRole(decision, role_name);
      return done();
    },
  }),
};
