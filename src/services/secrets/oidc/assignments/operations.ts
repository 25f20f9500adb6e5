import { command, view } from "../../declare.ts";
import { commaList } from "../../fields.ts";
import { listing } from "../../listing.ts";
import { pairPrefix } from "../../pair-key.ts";
import { placeOfNamespace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { done, enveloped } from "../../reply.ts";
import { oidcAt } from "../keys/decide.ts";
import { sortedItems } from "../lists.ts";
import { ALLOW_ALL } from "../state.ts";

/** Assignments (decisions-oidc.md, 5). */
export const assignmentOperations = {
  list: view({
    route: "LIST /v1/identity/oidc/assignment",
    evidence: "chosen",
    view: (reading) => listing(oidcAt(reading, reading.caller).assignments.keys()),
  }),
  read: view({
    route: "GET /v1/identity/oidc/assignment/:name",
    evidence: "observed",
    view: (reading, { name }) => {
      const assignment = oidcAt(reading, reading.caller).assignments.get(name);
      if (assignment === undefined) return refuse("not_found", {});
      return enveloped({ entity_ids: [...assignment.entityIds], group_ids: [...assignment.groupIds] });
    },
  }),
  write: command({
    route: "POST /v1/identity/oidc/assignment/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    fields: { entity_ids: commaList, group_ids: commaList },
    exists: (reading, { name }) => oidcAt(reading, reading.caller).assignments.has(name),
    decide: (decision, { name, entity_ids, group_ids }) => {
      if (name === ALLOW_ALL) refuse("built_in_not_writable", { kind: "assignment", name });
      const before = oidcAt(decision, decision.caller).assignments.get(name);
      const assignment = {
        entityIds: sortedItems(entity_ids ?? before?.entityIds ?? []),
        groupIds: sortedItems(group_ids ?? before?.groupIds ?? []),
      };
      const at = placeOfNamespace(decision.caller);
      decision.record({ type: "OidcAssignmentWritten", data: { at, name, assignment } });
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/identity/oidc/assignment/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    decide: (decision, { name }) => {
      if (name === ALLOW_ALL) refuse("built_in_not_deletable", { kind: "assignment", name });
      const oidc = oidcAt(decision, decision.caller);
      const users = [...oidc.clientsByAssignment.values({ prefix: pairPrefix(name) })];
      if (users.length > 0) refuse("in_use", { kind: "assignment", name, by: "client", users });
      if (oidc.assignments.has(name)) {
        decision.record({ type: "OidcAssignmentDeleted", data: { at: placeOfNamespace(decision.caller), name } });
      }
      return done();
    },
  }),
};
