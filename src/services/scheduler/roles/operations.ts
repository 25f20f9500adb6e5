import { command, type Reply, type ViewAsked, view } from "../declare.ts";
import { count, links, needed, text } from "../fields.ts";
import { refuse } from "../rejections.ts";
import { rolesOf } from "../watches.ts";
import { deleteRole, updateRole, writeRole } from "./decide.ts";
import type { Role } from "./state.ts";
import { type RoleDocument, roleDocument } from "./views.ts";

const FIELDS = { Name: needed(text), Description: text, Policies: needed(links) };
const MADE = { Hash: text, CreateIndex: count, ModifyIndex: count };

/** The operations of ACL roles (roles/README.md). */
export const roleOperations = {
  list: view({
    route: "GET /v1/acl/roles",
    evidence: "observed",
    parameters: ["prefix"],
    view: listRoles,
    watch: (_, { name, query }) => rolesOf(name, { prefix: query.prefix }),
  }),
  create: command({
    route: "POST /v1/acl/role",
    evidence: "observed",
    fields: { ...FIELDS, ID: text },
    made: MADE,
    body: "required",
    decide: writeRole,
  }),
  update: command({
    route: "POST /v1/acl/role/:role_id",
    evidence: "observed",
    fields: { ...FIELDS, ID: needed(text) },
    made: MADE,
    body: "required",
    named: { role_id: "ID" },
    decide: updateRole,
  }),
  read: view({
    route: "GET /v1/acl/role/:role_id",
    evidence: "observed",
    view: ({ role_id }, asked) => readRole(role_id, asked.region.roles.get(role_id), asked),
    watch: ({ role_id }, { name }) => rolesOf(name, { key: role_id }),
  }),
  readByName: view({
    route: "GET /v1/acl/role/name/:role_name",
    evidence: "observed",
    view: ({ role_name }, asked) => {
      const id = asked.region.roleIdsByName.get(role_name) ?? "";
      return readRole(id, asked.region.roles.get(id), asked);
    },
    watch: ({ role_name }, { name, region }) => rolesOf(name, { key: region.roleIdsByName.get(role_name) ?? "" }),
  }),
  delete: command({ route: "DELETE /v1/acl/role/:role_id", evidence: "observed", decide: deleteRole }),
} as const;

/** All roles for a manager, for anybody else those of their token. */
function listRoles(_: unknown, asked: ViewAsked): Reply<readonly RoleDocument[]> {
  const { region, query } = asked;
  const roles = [...region.roles.values({ prefix: query.prefix })].filter(({ id }) => isSeen(id, asked));
  return { body: roles.map(roleDocument), index: Math.max(1, region.roleIndex) };
}

/** Nobody learns whether a role is there that is not their token's. */
function readRole(id: string, role: Role | undefined, asked: ViewAsked): Reply<RoleDocument> {
  if (!isSeen(id, asked)) refuse("permission_denied", {});
  if (role === undefined) return refuse("role_not_found", { role: id, index: asked.region.roleIndex });
  return { body: roleDocument(role), index: role.modifyIndex };
}

function isSeen(id: string, { bearer }: ViewAsked): boolean {
  return bearer.kind === "management" || (bearer.kind === "client" && bearer.roles.some((role) => role === id));
}
