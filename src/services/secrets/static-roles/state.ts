import { type EpochMs, epochMs } from "../../../kernel/brand.ts";
import { arm, type Calendar, disarm } from "../../../kernel/calendar.ts";
import type { Fold, FoldMeta } from "../../../kernel/evolvers.ts";
import { withMember } from "../../../kernel/parts.ts";
import { type DirectoryRoles, noRoles, type RoleName } from "../directory-config/roles.ts";
import type { InMount } from "../place.ts";
import { type Cluster, isMountLocal, type SecretsWorld, withDirectoryMount, withPart } from "../state.ts";

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

/** What becomes of the roles of an engine. */
type Change<D> = (roles: DirectoryRoles, fact: D, meta: FoldMeta) => DirectoryRoles;

export const staticRoleFolds: {
  readonly [T in keyof StaticRoleEvents]: Fold<SecretsWorld, StaticRoleEvents[T]>;
} = {
  StaticRoleCreated: rotating((roles, { role, username, password, ...written }, { atMs }) => {
    const created: StaticRole = {
      status: written.status,
      username,
      dn: written.dn,
      rotationPeriodSeconds: written.rotationPeriodSeconds,
      password: password ?? "",
      lastPassword: "",
      lastRotationMs: password === undefined ? undefined : atMs,
      dueAtMs: written.dueAtMs,
      retryAtMs: undefined,
    };
    return { ...withRole(roles, role, created), usernames: roles.usernames.set(username, role) };
  }),
  StaticRoleChanged: rotating((roles, { role, status, dn, rotationPeriodSeconds, dueAtMs }) => {
    const before = roles.staticRoles.get(role);
    if (before === undefined) return roles;
    return withRole(roles, role, { ...before, status, dn, rotationPeriodSeconds, dueAtMs, retryAtMs: undefined });
  }),
  StaticRoleRotated: rotating((roles, { role, status, password, dueAtMs }, { atMs: lastRotationMs }) => {
    const before = roles.staticRoles.get(role);
    if (before === undefined) return roles;
    const lastPassword = before.password;
    const rotated = { status, password, lastPassword, lastRotationMs, dueAtMs, retryAtMs: undefined };
    return withRole(roles, role, { ...before, ...rotated });
  }),
  StaticRoleRotationFailed: rotating((roles, { role, status, retryAtMs }) => {
    const before = roles.staticRoles.get(role);
    return before === undefined ? roles : withRole(roles, role, { ...before, status, retryAtMs });
  }),
  StaticRoleDeleted: rotating((roles, { role }) => {
    const before = roles.staticRoles.get(role);
    if (before === undefined) return roles;
    return {
      ...roles,
      staticRoles: roles.staticRoles.delete(role),
      usernames: roles.usernames.delete(before.username),
      rotations: roles.rotations.delete(rotationKey(role, before)),
    };
  }),
};

function withRole(roles: DirectoryRoles, role: RoleName, changed: StaticRole): DirectoryRoles {
  const before = roles.staticRoles.get(role);
  const cleared = before === undefined ? roles.rotations : roles.rotations.delete(rotationKey(role, before));
  return {
    ...roles,
    staticRoles: roles.staticRoles.set(role, Object.freeze(changed)),
    rotations: cleared.set(rotationKey(role, changed), role),
  };
}

/** Where a role stands among the rotations to come. */
function rotationKey(role: RoleName, { dueAtMs, retryAtMs }: StaticRole): string {
  return `${(retryAtMs ?? dueAtMs).toString().padStart(INSTANT_DIGITS, "0")} ${role}`;
}

const INSTANT_DIGITS = 20;

/** The instant of the next rotation of an engine. */
function nextRotationMs({ rotations }: DirectoryRoles): EpochMs | undefined {
  const first = rotations.first();
  return first === undefined ? undefined : epochMs(Number(first[0].slice(0, INSTANT_DIGITS)));
}

/**
 * Folds a fact of an engine's static roles, and arms the deadline of the next rotation in the calendar of the part that the
 * mount is in. There is one deadline to an engine: roles that are due at one instant follow each other by name, however
 * their deadlines came about (decisions-directory.md, 6).
 */
function rotating<D extends InMount>(change: Change<D>): Fold<SecretsWorld, D> {
  return (world, fact, meta) => {
    const part = isMountLocal(world, fact.at) ? "local" : "replicated";
    const cluster = Object.hasOwn(world.secrets, fact.at.cluster) ? world.secrets[fact.at.cluster] : undefined;
    if (cluster === undefined) return world;
    const holder: { calendar: Calendar } = { calendar: cluster[part].calendar };
    const changed = withDirectoryMount(world, fact, (mount) => {
      const before = mount.roles ?? noRoles;
      const after = change(before, fact, meta);
      if (after === before) return mount;
      const roles = { ...after, deadline: rearmed(holder, before, after, fact, meta) };
      // What they hold is frozen already: said so, none of it is looked at again.
      return Object.freeze({ ...mount, roles: Object.freeze(roles) });
    });
    return withPart(changed, fact.at, part, (before) =>
      withMember<Cluster[typeof part], "calendar">(before, "calendar", () => holder.calendar),
    );
  };
}

function rearmed(
  holder: { calendar: Calendar },
  before: DirectoryRoles,
  after: DirectoryRoles,
  { at }: InMount,
  meta: FoldMeta,
): DirectoryRoles["deadline"] {
  disarm(holder, before.deadline);
  const dueAtMs = nextRotationMs(after);
  if (dueAtMs === undefined) return undefined;
  const { mount, namespace } = at;
  const input = namespace === undefined ? { mount } : { namespace, mount };
  return arm(holder, dueAtMs, { command: "timer.staticRoleRotation", input }, meta);
}
