import { rfc3339 } from "../../../languages/instant.ts";
import type { LdifRecord } from "../../../languages/ldif/record.ts";
import type { DirectorySession } from "../../../surroundings/directory/session.ts";
import { bearerOf } from "../access.ts";
import type { SecretsDecision } from "../declare.ts";
import type { RoleName } from "../directory-config/roles.ts";
import { NO_PASSWORD, newPassword, sessionOf } from "../directory-config/rotate.ts";
import { cappedTtl, issueLease, leaseTimesOf, newLeaseId } from "../leases/issue.ts";
import type { MountPlace } from "../place.ts";
import { failKeepingFacts, refuse } from "../rejections.ts";
import type { LeaseShown } from "../reply.ts";
import { directoryAt } from "../world.ts";
import { execute, executeAll, renderLdif, renderName } from "./ldif.ts";
import type { DynamicRole, LdifFields } from "./state.ts";

// Source of all rules in this file: decisions-directory.md, 8.

const DEFAULT_USERNAME_TEMPLATE = "v_{{.DisplayName}}_{{.RoleName}}_{{random 10}}_{{unix_time}}";

const NO_ROLE: DynamicRole = Object.freeze({
  creationLdif: "",
  deletionLdif: "",
  rollbackLdif: "",
  usernameTemplate: "",
  defaultTtlSeconds: 0,
  maxTtlSeconds: 0,
});

/** The dynamic role of a name. */
export function dynamicRoleAt(
  reading: Pick<SecretsDecision, "state">,
  at: MountPlace,
  role: RoleName,
): DynamicRole | undefined {
  return directoryAt(reading.state, at)?.roles?.dynamicRoles.get(role);
}

/** Writes what is given of a role, and keeps the rest. */
export function writeDynamicRole(
  decision: SecretsDecision,
  at: MountPlace,
  role: RoleName,
  written: { readonly [N in keyof DynamicRole]: DynamicRole[N] | undefined },
): void {
  const stored = dynamicRoleAt(decision, at, role) ?? NO_ROLE;
  const settings: DynamicRole = {
    creationLdif: plainLdif(written.creationLdif ?? stored.creationLdif),
    deletionLdif: plainLdif(written.deletionLdif ?? stored.deletionLdif),
    rollbackLdif: plainLdif(written.rollbackLdif ?? stored.rollbackLdif),
    usernameTemplate: written.usernameTemplate ?? stored.usernameTemplate,
    defaultTtlSeconds: written.defaultTtlSeconds ?? stored.defaultTtlSeconds,
    maxTtlSeconds: written.maxTtlSeconds ?? stored.maxTtlSeconds,
  };
  if (settings.creationLdif === "") refuse("dynamic_role_ldif_missing", { field: "creation_ldif" });
  if (settings.deletionLdif === "") refuse("dynamic_role_ldif_missing", { field: "deletion_ldif" });
  refuseInvalid(decision, "creation_ldif", settings.creationLdif);
  refuseInvalid(decision, "deletion_ldif", settings.deletionLdif);
  if (settings.rollbackLdif !== "") refuseInvalid(decision, "rollback_ldif", settings.rollbackLdif);
  decision.record({ type: "DynamicRoleWritten", data: { at, role, settings } });
}

/**
 * LDIF that was sent as base64 is kept decoded.
 *
 * Our choice: base64 of what is no UTF-8 is kept as sent, and then refused as the LDIF that it is not. Blank lines are no base64 of nothing.
 */
function plainLdif(text: string): string {
  const compact = text.replace(/[\r\n]/g, "");
  if (compact === "" || compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) return text;
  try {
    const bytes = Uint8Array.from(atob(compact), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return text;
  }
}

const DAY_MS = 86_400_000;

function refuseInvalid(
  decision: SecretsDecision,
  field: "creation_ldif" | "deletion_ldif" | "rollback_ldif",
  template: string,
): void {
  const tried = renderLdif(decision, template, {
    Username: "testuser",
    Password: "testpass",
    RoleName: "testrolename",
    DisplayName: "testdisplayname",
    ...timesOf(decision.nowMs, decision.nowMs + DAY_MS),
  });
  const records = tried.ok ? tried.value : refuse("dynamic_role_ldif_invalid", { field, reason: tried.reason });
  if (records.length === 0) {
    refuse("dynamic_role_ldif_invalid", { field, reason: "it must contain at least one LDIF entry" });
  }
}

function timesOf(
  issuedAtMs: number,
  expiresAtMs: number,
): Pick<LdifFields, "IssueTime" | "IssueTimeSeconds" | "ExpirationTime" | "ExpirationTimeSeconds"> {
  const [issued, expires] = [Math.floor(issuedAtMs / 1000), Math.floor(expiresAtMs / 1000)];
  return {
    IssueTime: rfc3339(issued * 1000),
    ExpirationTime: rfc3339(expires * 1000),
    IssueTimeSeconds: issued,
    ExpirationTimeSeconds: expires,
  };
}

/** Forgets a role; accounts that were made of it live on until their leases end. */
export function deleteDynamicRole(decision: SecretsDecision, at: MountPlace, role: RoleName): void {
  if (dynamicRoleAt(decision, at, role) === undefined) return;
  decision.record({ type: "DynamicRoleDeleted", data: { at, role } });
}

// --- credentials ----------------------------------------------------------------------------------------------------

export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly distinguishedNames: readonly string[];
  readonly lease: LeaseShown;
  readonly warnings: readonly string[];
}

/**
 * Makes an account by a role's creation LDIF, and leases it.
 *
 * @param path the path of the request, which the lease's id begins with
 */
export function makeCredentials(decision: SecretsDecision, at: MountPlace, name: RoleName, path: string): Credentials {
  const engine = directoryAt(decision.state, at);
  const role = engine?.roles?.dynamicRoles.get(name);
  if (engine === undefined || role === undefined) return refuse("not_found", {});
  if (engine.config === undefined) return refuse("creds_config_missing", {});
  const bearer = bearerOf(decision);
  const names = { RoleName: name, DisplayName: bearer.token.displayName };
  const username = renderName(decision, role.usernameTemplate || DEFAULT_USERNAME_TEMPLATE, names);
  if (!username.ok) return refuse("username_not_generated", { reason: username.reason });
  const password = newPassword(decision, at, engine.config);
  if (password === undefined) return refuse("password_not_generated", { reason: NO_PASSWORD });

  const times = leaseTimesOf(engine);
  const { seconds, warnings } = cappedTtl(role.defaultTtlSeconds || times.defaultSeconds, [
    role.maxTtlSeconds,
    times.maxSeconds,
  ]);
  const fields: LdifFields = {
    Username: username.value,
    Password: password,
    ...names,
    ...timesOf(decision.nowMs, decision.nowMs + seconds * 1000),
  };
  const records = createAccount(decision, sessionOf(engine.config, decision.nowMs), role, fields);
  const lease = issueLease(decision, bearer, newLeaseId(decision, path), {
    mount: at.mount,
    grant: { type: "credentials", role: name, deletionLdif: role.deletionLdif, fields },
    seconds,
    renewable: true,
  });
  return { username: username.value, password, distinguishedNames: records.map(({ dn }) => dn), lease, warnings };
}

/** Carries out the creation LDIF. The first error ends it, and then all of the rollback LDIF is tried. */
function createAccount(
  decision: SecretsDecision,
  session: DirectorySession,
  role: DynamicRole,
  fields: LdifFields,
): readonly LdifRecord[] {
  const records = renderLdif(decision, role.creationLdif, fields);
  const reason = records.ok ? firstError(decision, session, records.value) : records.reason;
  if (records.ok && reason === undefined) return records.value;
  const failure = role.rollbackLdif === "" ? undefined : executeAll(decision, session, role.rollbackLdif, fields);
  return failKeepingFacts("user_not_created", { reason: reason ?? "", rollback: failure ?? null });
}

function firstError(
  decision: SecretsDecision,
  session: DirectorySession,
  records: readonly LdifRecord[],
): string | undefined {
  for (const record of records) {
    const error = execute(decision, session, record);
    if (error !== undefined) return error;
  }
  return undefined;
}
