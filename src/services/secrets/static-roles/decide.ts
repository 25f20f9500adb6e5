import { staticRoleMachine } from "../../../../machines/static-role.machine.ts";
import { type EpochMs, epochMs, secondsAfter } from "../../../kernel/brand.ts";
import type { SecretsDecision, SecretsRecorder } from "../declare.ts";
import type { RoleName } from "../directory-config/roles.ts";
import { rotateRolePassword } from "../directory-config/rotate.ts";
import { type DirectoryMount, type DirectoryRoles, noRoles } from "../mounts/state.ts";
import type { MountPlace } from "../place.ts";
import { failKeepingFacts, refuse } from "../rejections.ts";
import { directoryAt } from "../world.ts";
import type { StaticRole } from "./state.ts";

// Source of all rules in this file: decisions-directory.md, 5 and 6.

const SHORTEST_PERIOD_SECONDS = 5;
const RETRY_MS = 10_000;

/** What a static role is written with. */
export interface WrittenStaticRole {
  readonly username: string | undefined;
  readonly dn: string | undefined;
  readonly rotationPeriodSeconds: number | undefined;
  readonly skipImportRotation: boolean | undefined;
}

/** The static role of a name. */
export function staticRoleAt(
  reading: Pick<SecretsRecorder, "state">,
  at: MountPlace,
  role: RoleName,
): StaticRole | undefined {
  return directoryAt(reading.state, at)?.roles?.staticRoles.get(role);
}

/** Creates a role, or changes what is given of one. */
export function writeStaticRole(
  decision: SecretsDecision,
  at: MountPlace,
  role: RoleName,
  written: WrittenStaticRole,
): void {
  const engine = directoryAt(decision.state, at);
  if (engine === undefined) throw new TypeError(`no directory engine is mounted at ${at.mount}`);
  const before = engine.roles?.staticRoles.get(role);
  if (before === undefined) createRole(decision, at, role, written, engine);
  else changeRole(decision, at, role, written, before);
}

function createRole(
  decision: SecretsDecision,
  at: MountPlace,
  role: RoleName,
  { dn = "", skipImportRotation, ...written }: WrittenStaticRole,
  { config, library, roles }: DirectoryMount,
): void {
  const username = written.username ?? refuse("role_username_missing", {});
  if (username === "") refuse("role_username_empty", {});
  if (isManaged(library, roles, username)) refuse("role_username_managed", { username });
  const rotationPeriodSeconds = written.rotationPeriodSeconds ?? refuse("rotation_period_missing", {});
  refuseShortPeriod(rotationPeriodSeconds);
  if (skipImportRotation === undefined && config === undefined) refuse("role_config_missing", {});
  const skips = skipImportRotation ?? config?.skipStaticRoleImportRotation ?? false;
  const dueAtMs = secondsAfter(decision.nowMs, rotationPeriodSeconds);
  const move = { type: skips ? ("skipImport" as const) : ("import" as const) };
  const next = decision.step(staticRoleMachine, "absent", NEVER_ROTATED, move);
  if (next?.value !== "unrotated" && next?.value !== "rotated") throw new Error("a role cannot be created so");
  const password = skips ? undefined : imported(decision, at, role, { dn, username });
  decision.record({
    type: "StaticRoleCreated",
    data: {
      at,
      role,
      status: next.value,
      username,
      dn,
      rotationPeriodSeconds,
      ...(password === undefined ? {} : { password }),
      dueAtMs,
    },
  });
}

const NEVER_ROTATED = { rotatedBefore: false };

/** Whether a static role or a set of the engine manages an account. Names are compared exactly. */
function isManaged(library: DirectoryMount["library"], roles: DirectoryRoles | undefined, username: string): boolean {
  return library.accounts.has(username) || (roles ?? noRoles).usernames.has(username);
}

/** The first rotation is also the check that the entry is there. */
function imported(
  decision: SecretsDecision,
  at: MountPlace,
  role: RoleName,
  account: Pick<StaticRole, "dn" | "username">,
): string {
  const rotated = rotateRolePassword(decision, at, account);
  return rotated.ok ? rotated.password : failKeepingFacts("role_import_failed", { role, reason: rotated.reason });
}

function changeRole(
  decision: SecretsDecision,
  at: MountPlace,
  role: RoleName,
  written: WrittenStaticRole,
  before: StaticRole,
): void {
  const { username, dn = before.dn, rotationPeriodSeconds = before.rotationPeriodSeconds } = written;
  if (username === "") refuse("role_username_empty", {});
  if (username !== undefined && username !== before.username) refuse("role_username_fixed", {});
  if (dn !== "" && dn !== before.dn) refuse("role_dn_fixed", {});
  refuseShortPeriod(rotationPeriodSeconds);
  if (written.skipImportRotation !== undefined) refuse("skip_import_rotation_ineffective", {});
  const next = decision.step(staticRoleMachine, before.status, judgementOf(before), { type: "change" });
  if (next?.value !== "unrotated" && next?.value !== "rotated") {
    throw new Error(`a role that is ${before.status} cannot be changed`);
  }
  const since = before.lastRotationMs ?? decision.nowMs;
  const dueAtMs = secondsAfter(since, rotationPeriodSeconds);
  decision.record({
    type: "StaticRoleChanged",
    data: { at, role, status: next.value, dn, rotationPeriodSeconds, dueAtMs },
  });
}

function refuseShortPeriod(seconds: number): void {
  if (seconds < SHORTEST_PERIOD_SECONDS) refuse("static_period_too_short", {});
}

function judgementOf({ lastRotationMs }: StaticRole): { readonly rotatedBefore: boolean } {
  return { rotatedBefore: lastRotationMs !== undefined };
}

/** Forgets a role and frees its account, whose password stays as it is. One that is not there is deleted already. */
export function deleteStaticRole(decision: SecretsDecision, at: MountPlace, role: RoleName): void {
  const before = staticRoleAt(decision, at, role);
  if (before === undefined) return;
  if (decision.step(staticRoleMachine, before.status, judgementOf(before), { type: "delete" }) === undefined) {
    throw new Error(`a role that is ${before.status} cannot be deleted`);
  }
  decision.record({ type: "StaticRoleDeleted", data: { at, role } });
}

/** Rotates because somebody asked for it. */
export function rotateStaticRole(decision: SecretsDecision, at: MountPlace, role: RoleName): void {
  const before = staticRoleAt(decision, at, role) ?? refuse("rotated_role_missing", { role });
  const reason = rotate(decision, at, role, before);
  if (reason !== undefined) failKeepingFacts("static_role_rotation_failed", { role, reason });
}

/** Rotates the role of an engine that is due first: the next one has a deadline of its own. */
export function rotateDueRole(decision: SecretsRecorder, at: MountPlace): void {
  const [, role] = directoryAt(decision.state, at)?.roles?.rotations.first() ?? [];
  const before = role === undefined ? undefined : staticRoleAt(decision, at, role);
  if (role !== undefined && before !== undefined) rotate(decision, at, role, before);
}

/** A new password, and a whole period until the next; or another attempt soon, whenever the period ends. */
function rotate(decision: SecretsRecorder, at: MountPlace, role: RoleName, before: StaticRole): string | undefined {
  const rotated = rotateRolePassword(decision, at, before);
  const move = { type: rotated.ok ? ("rotated" as const) : ("rotationFailed" as const) };
  const next = decision.step(staticRoleMachine, before.status, judgementOf(before), move);
  if (rotated.ok && next?.value === "rotated") {
    const dueAtMs = after(decision, before.rotationPeriodSeconds * 1000);
    const { password } = rotated;
    decision.record({ type: "StaticRoleRotated", data: { at, role, status: next.value, password, dueAtMs } });
    return undefined;
  }
  if (rotated.ok || next?.value !== "retrying") throw new Error(`a role that is ${before.status} cannot be rotated`);
  const { reason } = rotated;
  const retryAtMs = after(decision, RETRY_MS);
  decision.record({ type: "StaticRoleRotationFailed", data: { at, role, status: next.value, reason, retryAtMs } });
  return reason;
}

function after({ nowMs }: SecretsRecorder, ms: number): EpochMs {
  return epochMs(nowMs + ms);
}
