import { requireManagement } from "../access.ts";
import type { CommandAsked, Reply, SchedulerRecorder } from "../declare.ts";
import { byteLength, type Link } from "../fields.ts";
import { type AccessorId, type RegionName, readAccessor, type SecretId } from "../ids.ts";
import { refuse } from "../rejections.ts";
import { rolesIn } from "../roles/decide.ts";
import { type Executing, executing, reached } from "../routing.ts";
import { regionOf, schedulerOf } from "../world.ts";
import { type ExpiryFields, expiryFaults, newExpiry } from "./expiry.ts";
import type { TokenRights } from "./state.ts";
import { type TokenDocument, tokenDocument } from "./views.ts";

// Source of all rules in this file: decisions-scheduler-acl.md, sections 5 and 6.

const LONGEST_NAME = 256;

/** What a body says of a token. */
interface TokenFields extends ExpiryFields {
  readonly AccessorID?: string;
  readonly Name?: string;
  readonly Type?: string;
  readonly Policies?: readonly string[];
  readonly Roles?: readonly Link[];
  readonly Global?: boolean;
}

interface InPath {
  readonly accessor_id: string;
}

/** Creates a token, or updates the one whose accessor the body has. */
export function createToken(
  decision: SchedulerRecorder,
  fields: TokenFields,
  asked: CommandAsked,
): Reply<TokenDocument> {
  const { AccessorID: accessor = "", Global: global = false, Name: name = "" } = fields;
  if (accessor !== "") return updateNamed(decision, fields, asked, accessor);
  const { from, to, secret } = asked;
  const target = global ? schedulerOf(decision.state).authoritative : to;
  const at = executing(decision, from, target, secret);
  requireManagement(at.bearer);
  const { expiry, faults } = newExpiry(fields, decision.nowMs);
  const rights = rightsIn(fields, faults);
  const index = at.region.index + 1;
  const token = {
    accessor: decision.draw.uuid() as AccessorId,
    secret: decision.draw.uuid() as SecretId,
    name,
    rights: withRoles(rights, at, fields),
    global,
    createdAtMs: decision.nowMs,
    ...(expiry === undefined ? {} : { expiry }),
  };
  decision.record({ type: "AclTokenCreated", data: { region: at.name, index, token } });
  return replyOf(decision, at.name, token.accessor);
}

/** Replaces what a token says; what it is stays: accessor, secret, instant of its creation, and whether it is global. */
export function updateToken(
  decision: SchedulerRecorder,
  { accessor_id, ...fields }: InPath & TokenFields,
  asked: CommandAsked,
): Reply<TokenDocument> {
  const { AccessorID: accessor = "" } = fields;
  if (accessor !== accessor_id) refuse("accessor_mismatch", {});
  return updateNamed(decision, fields, asked, accessor);
}

function updateNamed(
  decision: SchedulerRecorder,
  fields: TokenFields,
  asked: CommandAsked,
  named: string,
): Reply<TokenDocument> {
  const { Global: global, Name: name = "" } = fields;
  const at = whereToUpdate(decision, asked, global, named);
  requireManagement(at.bearer);
  const rights = rightsIn(fields);
  const read = readAccessor(named);
  if (!read.ok) return refuse("accessor_invalid", { reason: read.reason });
  const token = at.region.tokens.get(read.accessor);
  if (token === undefined) return refuse("token_missing", { accessor: named });
  if ((global ?? token.global) !== token.global) refuse("global_mode_fixed", { accessor: named });
  const faults = expiryFaults(fields, token);
  if (faults.length > 0) refuse("token_invalid", { faults });
  const index = at.region.index + 1;
  const { accessor } = token;
  decision.record({
    type: "AclTokenUpdated",
    data: { region: at.name, index, accessor, name, rights: withRoles(rights, at, fields) },
  });
  return replyOf(decision, at.name, accessor);
}

/**
 * Where an update executes: a global one in the authoritative region, a local one in the region that was asked. A body that does
 * not say which lets that region look at its own copy.
 */
function whereToUpdate(
  decision: SchedulerRecorder,
  { from, to, secret }: CommandAsked,
  global: boolean | undefined,
  named: string,
): Executing {
  const { state } = decision;
  const { authoritative } = schedulerOf(state);
  if (global === true) return executing(decision, from, authoritative, secret);
  if (global === false) return executing(decision, from, to, secret);
  const asked = reached(state, from, to);
  const read = readAccessor(named);
  const copy = read.ok ? regionOf(state, asked).tokens.get(read.accessor) : undefined;
  return executing(decision, asked, copy?.global === true ? authoritative : asked, secret);
}

/**
 * Deletes a token: first the region that was asked looks whether the caller may and the token is there, and of a global token the
 * authoritative region then looks again.
 */
export function deleteToken(
  decision: SchedulerRecorder,
  { accessor_id: named }: InPath,
  { from, to, secret }: CommandAsked,
): Reply<undefined> {
  const asked = executing(decision, from, to, secret);
  const found = deletable(asked, named);
  const { authoritative } = schedulerOf(decision.state);
  if (!found.global || asked.name === authoritative) return deleted(decision, asked, found.accessor);
  const at = executing(decision, asked.name, authoritative, secret);
  return deleted(decision, at, deletable(at, named).accessor);
}

function deletable(
  { region, bearer }: Executing,
  named: string,
): { readonly accessor: AccessorId; readonly global: boolean } {
  requireManagement(bearer);
  const read = readAccessor(named);
  if (!read.ok) return refuse("accessor_invalid", { reason: read.reason });
  return region.tokens.get(read.accessor) ?? refuse("token_nonexistent", { accessor: named });
}

function deleted(decision: SchedulerRecorder, { name, region }: Executing, accessor: AccessorId): Reply<undefined> {
  const index = region.index + 1;
  decision.record({ type: "AclTokenDeleted", data: { region: name, index, accessor } });
  return { body: undefined, index };
}

function replyOf(decision: SchedulerRecorder, name: RegionName, accessor: AccessorId): Reply<TokenDocument> {
  const region = regionOf(decision.state, name);
  const token = region.tokens.get(accessor);
  if (token === undefined) throw new TypeError(`the token ${accessor} was not kept`);
  return { body: tokenDocument(token, region), index: token.modifyIndex };
}

/** What a token shall be able to do; refuses with all faults: the name first, then type and policies, then others that are known. */
function rightsIn(
  { Name: name = "", Type: type, Policies: policies = [], Roles: roles = [] }: TokenFields,
  others: readonly string[] = [],
): TokenRights {
  const faults: string[] = [];
  if (byteLength(name) > LONGEST_NAME) faults.push("token name too long");
  switch (type) {
    case "client":
      if (policies.length + roles.length === 0) faults.push("client token missing policies or roles");
      if (faults.length + others.length === 0) return { type: "client", policies };
      break;
    case "management":
      if (policies.length + roles.length > 0) {
        faults.push("management token cannot be associated with policies or roles");
      }
      if (faults.length + others.length === 0) return { type: "management" };
      break;
    default:
      faults.push("token type must be client or management");
  }
  return refuse("token_invalid", { faults: [...faults, ...others] });
}

function withRoles(rights: TokenRights, { region }: Executing, { Roles: links = [] }: TokenFields): TokenRights {
  return rights.type === "management" || links.length === 0 ? rights : { ...rights, roles: rolesIn(region, links) };
}
