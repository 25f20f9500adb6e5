import { requireManagement } from "../access.ts";
import type { CommandAsked, Reply, SchedulerRecorder } from "../declare.ts";
import { byteLength, type Link } from "../fields.ts";
import type { RoleId } from "../ids.ts";
import { refuse } from "../rejections.ts";
import { executing } from "../routing.ts";
import { regionOf, schedulerOf } from "../world.ts";
import { isSameRole, type RoleContent, type RoleSlice } from "./state.ts";
import { type RoleDocument, roleDocument } from "./views.ts";

// Source of all rules in this file: roles/README.md.

const NAME = /^[a-zA-Z0-9-]{1,128}$/;
const LONGEST_DESCRIPTION = 256;

/** What a body says of a role. */
interface RoleFields {
  readonly ID?: string;
  readonly Name?: string;
  readonly Description?: string;
  readonly Policies?: readonly Link[];
}

interface InPath {
  readonly role_id: string;
}

/** Replaces what a role says, its name too. */
export function updateRole(
  decision: SchedulerRecorder,
  { role_id, ...fields }: InPath & RoleFields,
  asked: CommandAsked,
): Reply<RoleDocument> {
  if (fields.ID !== role_id) refuse("role_id_mismatch", {});
  return writeRole(decision, fields, asked);
}

/** Creates a role, or updates the one whose id the body has, always in the authoritative region. */
export function writeRole(
  decision: SchedulerRecorder,
  { ID: id = "", Name: name = "", Description: description = "", Policies: links = [] }: RoleFields,
  { from, secret }: CommandAsked,
): Reply<RoleDocument> {
  const at = executing(decision, from, schedulerOf(decision.state).authoritative, secret);
  requireManagement(at.bearer);
  const policies = [...new Set(links.map(({ Name = "" }) => Name))];
  const faults = roleFaults(name, description, policies);
  if (faults.length > 0) refuse("role_invalid", { faults });
  refuseMisnamed(at.region, id, name);
  for (const policy of policies) if (!at.region.policies.has(policy)) refuse("policy_missing", { policy });
  const index = at.region.index + 1;
  const before = at.region.roles.get(id);
  const role: RoleContent = { id: before?.id ?? (decision.draw.uuid() as RoleId), name, description, policies };
  const unchanged = before !== undefined && isSameRole(before, role) ? { unchanged: true as const } : {};
  decision.record({ type: "AclRoleWritten", data: { region: at.name, index, role, ...unchanged } });
  const kept = regionOf(decision.state, at.name).roles.get(role.id);
  if (kept === undefined) throw new TypeError(`the role ${role.id} was not kept`);
  return { body: roleDocument(kept), index };
}

function roleFaults(name: string, description: string, policies: readonly string[]): readonly string[] {
  const faults: string[] = [];
  if (!NAME.test(name)) faults.push(`invalid name '${name}'`);
  if (byteLength(description) > LONGEST_DESCRIPTION) faults.push(`description longer than ${LONGEST_DESCRIPTION}`);
  if (policies.length === 0) faults.push("at least one policy should be specified");
  return faults;
}

/** A new role has a new name; one that is there has its own, or one that is free. */
function refuseMisnamed({ roles, roleIdsByName }: RoleSlice, id: string, name: string): void {
  const named = roleIdsByName.get(name);
  if (id === "" && named !== undefined) refuse("role_exists", { name });
  if (id !== "" && !roles.has(id)) refuse("role_missing", { role: id });
  if (named !== undefined && named !== id) refuse("role_name_taken", { name });
}

/** Deletes a role. Tokens keep the link, which grants nothing. */
export function deleteRole(
  decision: SchedulerRecorder,
  { role_id }: InPath,
  { from, secret }: CommandAsked,
): Reply<undefined> {
  const at = executing(decision, from, schedulerOf(decision.state).authoritative, secret);
  requireManagement(at.bearer);
  const { id } = at.region.roles.get(role_id) ?? refuse("role_nonexistent", { role: role_id });
  const index = at.region.index + 1;
  decision.record({ type: "AclRoleDeleted", data: { region: at.name, index, id } });
  return { body: undefined, index };
}

/** The roles that links name, each once. */
export function rolesIn({ roles, roleIdsByName }: RoleSlice, links: readonly Link[]): readonly RoleId[] {
  const ids = links.map(({ ID = "", Name = "" }) => {
    const id = ID === "" ? roleIdsByName.get(Name) : roles.get(ID)?.id;
    return id ?? refuse("role_missing", { role: ID === "" ? Name : ID });
  });
  return [...new Set(ids)];
}
