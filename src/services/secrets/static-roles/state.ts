import { type EpochMs, epochMs } from "../../../kernel/brand.ts";
import { arm, type DeadlineKey, type Due, disarm } from "../../../kernel/calendar.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { FlatEvolvers, FoldMeta } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import type { RoleName } from "../directory-config/roles.ts";
import type { InMount, MountPlace } from "../place.ts";

/** An entry of the directory whose password the engine keeps and rotates (decisions-directory.md, 5 and 6). */
export interface StaticRole {
  /** Spelled as the states of the static role chart. */
  readonly status: StaticRoleStatus;
  readonly username: string;
  /** Where the entry is; empty when it is looked for by the username. */
  readonly dn: string;
  readonly rotationPeriodSeconds: number;
  /** Empty until it was rotated: the engine does not know the password that the entry had before. */
  readonly password: string;
  /** The one before the last rotation, as the engine knows it. */
  readonly lastPassword: string;
  readonly lastRotationMs: EpochMs | undefined;
  /** When the period ends; a rotation that failed leaves it as it is. */
  readonly dueAtMs: EpochMs;
  /** When it is tried again, while the last attempt has failed. */
  readonly retryAtMs: EpochMs | undefined;
}

export type StaticRoleStatus = "unrotated" | "rotated" | "retrying";

interface RoleAt extends InMount {
  readonly role: RoleName;
}

/** The static roles of one directory engine. */
export interface StaticRoleSlice {
  readonly staticRoles: Table<StaticRole>;
  /** They by the accounts that they manage, exactly as these were given: nobody else may manage one. */
  readonly usernames: Table<RoleName>;
  /** They by the instant of their next rotation and their name: the first comes first. */
  readonly rotations: Table<RoleName>;
  /** The next rotation of all; none while there is no static role. */
  readonly deadline: DeadlineKey | undefined;
}

/** They lie in their mount, and their deadline in the calendar of the part that the mount is in. */
export type StaticRoles = StaticRoleSlice & Due;

/** The facts of static roles. */
export interface StaticRoleEvents {
  StaticRoleCreated: RoleAt & {
    readonly status: "unrotated" | "rotated";
    readonly username: string;
    readonly dn: string;
    readonly rotationPeriodSeconds: number;
    /** Absent when the first rotation was skipped. */
    readonly password?: string;
    readonly dueAtMs: EpochMs;
  };
  StaticRoleChanged: RoleAt & {
    readonly status: "unrotated" | "rotated";
    readonly dn: string;
    readonly rotationPeriodSeconds: number;
    readonly dueAtMs: EpochMs;
  };
  StaticRoleRotated: RoleAt & {
    readonly status: "rotated";
    readonly password: string;
    readonly dueAtMs: EpochMs;
  };
  /** The directory has refused, or no password could be made. */
  StaticRoleRotationFailed: RoleAt & {
    readonly status: "retrying";
    readonly reason: string;
    readonly retryAtMs: EpochMs;
  };
  StaticRoleDeleted: RoleAt;
}

export const staticRoleEvolvers: FlatEvolvers<StaticRoles, StaticRoleEvents> = {
  StaticRoleCreated: (roles, { at, role, username, password, ...written }, meta) => {
    putRole(roles, role, {
      status: written.status,
      username,
      dn: written.dn,
      rotationPeriodSeconds: written.rotationPeriodSeconds,
      password: password ?? "",
      lastPassword: "",
      lastRotationMs: password === undefined ? undefined : meta.atMs,
      dueAtMs: written.dueAtMs,
      retryAtMs: undefined,
    });
    roles.usernames = roles.usernames.set(username, role);
    rearmRotations(roles, at, meta);
  },
  StaticRoleChanged: (roles, { at, role, status, dn, rotationPeriodSeconds, dueAtMs }, meta) => {
    const before = roles.staticRoles.get(role);
    if (before === undefined) return;
    putRole(roles, role, { ...before, status, dn, rotationPeriodSeconds, dueAtMs, retryAtMs: undefined });
    rearmRotations(roles, at, meta);
  },
  StaticRoleRotated: (roles, { at, role, status, password, dueAtMs }, meta) => {
    const before = roles.staticRoles.get(role);
    if (before === undefined) return;
    const lastPassword = before.password;
    const rotated = { status, password, lastPassword, lastRotationMs: meta.atMs, dueAtMs, retryAtMs: undefined };
    putRole(roles, role, { ...before, ...rotated });
    rearmRotations(roles, at, meta);
  },
  StaticRoleRotationFailed: (roles, { at, role, status, retryAtMs }, meta) => {
    const before = roles.staticRoles.get(role);
    if (before === undefined) return;
    putRole(roles, role, { ...before, status, retryAtMs });
    rearmRotations(roles, at, meta);
  },
  StaticRoleDeleted: (roles, { at, role }, meta) => {
    const before = roles.staticRoles.get(role);
    if (before === undefined) return;
    roles.staticRoles = roles.staticRoles.delete(role);
    roles.usernames = roles.usernames.delete(before.username);
    roles.rotations = roles.rotations.delete(rotationKey(role, before));
    rearmRotations(roles, at, meta);
  },
};

function putRole(roles: Flat<StaticRoles>, role: RoleName, changed: StaticRole): void {
  const before = roles.staticRoles.get(role);
  if (before !== undefined) roles.rotations = roles.rotations.delete(rotationKey(role, before));
  roles.staticRoles = roles.staticRoles.set(role, Object.freeze(changed));
  roles.rotations = roles.rotations.set(rotationKey(role, changed), role);
}

/** Where a role stands among the rotations to come. */
function rotationKey(role: RoleName, { dueAtMs, retryAtMs }: StaticRole): string {
  return `${(retryAtMs ?? dueAtMs).toString().padStart(INSTANT_DIGITS, "0")} ${role}`;
}

const INSTANT_DIGITS = 20;

/**
 * Arms the deadline of the next rotation. There is one deadline to an engine: roles that are due at one instant follow each other by
 * name, however their deadlines came about (decisions-directory.md, 6).
 */
export function rearmRotations(roles: Flat<StaticRoles>, { mount, namespace }: MountPlace, meta: FoldMeta): void {
  disarm(roles, roles.deadline);
  const first = roles.rotations.first();
  if (first === undefined) {
    roles.deadline = undefined;
    return;
  }
  const dueAtMs = epochMs(Number(first[0].slice(0, INSTANT_DIGITS)));
  const input = namespace === undefined ? { mount } : { namespace, mount };
  roles.deadline = arm(roles, dueAtMs, { command: "timer.staticRoleRotation", input }, meta);
}
