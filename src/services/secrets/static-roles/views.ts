import { rfc3339, ZERO_TIME } from "../../../languages/instant.ts";
import type { StaticRole } from "./state.ts";

/** What a read of a role shows: no passwords. */
export interface StaticRoleShown {
  dn: string;
  username: string;
  /** Seconds. */
  rotation_period: number;
  last_secrets_rotation?: string;
}

export function staticRoleShown({ dn, username, rotationPeriodSeconds, lastRotationMs }: StaticRole): StaticRoleShown {
  return {
    dn,
    username,
    rotation_period: rotationPeriodSeconds,
    ...(lastRotationMs === undefined ? {} : { last_secrets_rotation: rfc3339(lastRotationMs) }),
  };
}

/** The password of a role, and how long it still is the one. */
export interface StaticCredential {
  dn: string;
  username: string;
  password: string;
  last_password: string;
  /** Seconds until the period ends. A retry that is pending does not show. */
  ttl: number;
  rotation_period: number;
  last_secrets_rotation: string;
}

export function staticCredential(role: StaticRole, nowMs: number): StaticCredential {
  return {
    dn: role.dn,
    username: role.username,
    password: role.password,
    last_password: role.lastPassword,
    ttl: Math.max(0, Math.round((role.dueAtMs - nowMs) / 1000)),
    rotation_period: role.rotationPeriodSeconds,
    last_secrets_rotation: role.lastRotationMs === undefined ? ZERO_TIME : rfc3339(role.lastRotationMs),
  };
}
