import type { Brand, EpochMs, LogPosition } from "../../../kernel/brand.ts";
import { arm, type DeadlineKey, type Due, disarm } from "../../../kernel/calendar.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { FlatEvolvers, FoldMeta } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import type { ObjectName } from "../../../surroundings/orchestrator/state.ts";
import type { RoleName } from "../directory-config/roles.ts";
import type { LdifFields } from "../dynamic-roles/state.ts";
import { pairKey, pairPrefix } from "../pair-key.ts";
import type { ClusterName, MountPath, NamespacePath } from "../place.ts";
import type { TokenId } from "../tokens/state.ts";

/** The path of the request that made the lease, a slash and 24 base62 characters; `.` and the namespace's id elsewhere. */
export type LeaseId = Brand<string, "LeaseId">;

/** What a lease is for, and so what its revocation undoes. */
export type Grant = CheckOutGrant | CredentialsGrant | ServiceAccountGrant;

/** A library account that is lent. */
export interface CheckOutGrant {
  readonly type: "checkOut";
  readonly set: string;
  readonly account: string;
}

/** A token of a service account, and the objects that were made for it, in the order in which they are deleted. */
export interface ServiceAccountGrant {
  readonly type: "serviceAccount";
  readonly objects: readonly ObjectName[];
}

/** An account that was made for whoever asked. */
export interface CredentialsGrant {
  readonly type: "credentials";
  readonly role: RoleName;
  /** As it was when the lease was issued, with the values that it is rendered with then. */
  readonly deletionLdif: string;
  readonly fields: LdifFields;
}

/** The engine that issued a lease. Leases are shipped with their cluster's storage, so they do not name the cluster. */
export interface LeasingEngine {
  readonly namespace?: NamespacePath;
  readonly mount: MountPath;
}

export interface Lease {
  /** Spelled as the states of the lease chart. */
  readonly status: LeaseStatus;
  readonly engine: LeasingEngine;
  /** The token that it ends with; null when that token lives on another cluster. */
  readonly token: TokenId | null;
  readonly grant: Grant;
  /** The commit that issued it. */
  readonly issuedAt: LogPosition;
  readonly issuedAtMs: EpochMs;
  readonly expiresAtMs: EpochMs;
  readonly lastRenewalAtMs: EpochMs | undefined;
  readonly renewable: boolean;
  readonly failedAttempts: number;
  /** The next attempt to revoke it; none when nothing tries any more by itself. */
  readonly deadline: DeadlineKey | undefined;
}

export type LeaseStatus = "live" | "retrying" | "irrevocable";

/** The leases of a cluster. */
export interface LeaseSlice {
  readonly leases: Table<Lease>;
  /** The leases of each token, as `keyByToken` says: they end with it. */
  readonly leasesByToken: Table<LeaseId>;
}

type Leases = LeaseSlice & Due;

/** The facts of leases. */
export interface LeaseEvents {
  LeaseIssued: LeaseAt & {
    readonly engine: LeasingEngine;
    readonly token: TokenId | null;
    readonly grant: Grant;
    readonly expiresAtMs: EpochMs;
    readonly renewable: boolean;
  };
  LeaseRenewed: LeaseAt & { readonly expiresAtMs: EpochMs };
  /** Its revocation was asked for and runs right after the answer. */
  LeaseRevocationQueued: LeaseAt;
  /** What it stood for could not be undone. */
  LeaseRevocationFailed: LeaseAt & {
    readonly status: "retrying" | "irrevocable";
    readonly reason: string;
    /** Absent when nothing tries again by itself. */
    readonly retryAtMs?: EpochMs;
  };
  /** It is gone: expired, revoked, dropped, or no longer needed. */
  LeaseEnded: LeaseAt;
}

interface LeaseAt {
  readonly cluster: ClusterName;
  readonly lease: LeaseId;
}

export const leaseEvolvers: FlatEvolvers<Leases, LeaseEvents> = {
  LeaseIssued: (local, { lease: id, engine, token, grant, expiresAtMs, renewable }, meta) => {
    const lease: Lease = {
      status: "live",
      engine,
      token,
      grant,
      issuedAt: meta.position,
      issuedAtMs: meta.atMs,
      expiresAtMs,
      lastRenewalAtMs: undefined,
      renewable,
      failedAttempts: 0,
      deadline: armed(local, id, expiresAtMs, meta),
    };
    local.leases = local.leases.set(id, lease);
    if (token !== null) local.leasesByToken = local.leasesByToken.set(keyByToken(token, id, lease), id);
  },
  LeaseRenewed: (local, { lease, expiresAtMs }, meta) => {
    change(local, lease, (before) => {
      const deadline = armed(local, lease, expiresAtMs, meta);
      return { ...before, expiresAtMs, lastRenewalAtMs: meta.atMs, deadline };
    });
  },
  LeaseRevocationQueued: (local, { lease }, meta) => {
    change(local, lease, (before) => ({ ...before, deadline: armed(local, lease, meta.atMs, meta) }));
  },
  LeaseRevocationFailed: (local, { lease, status, retryAtMs }, meta) => {
    change(local, lease, (before) => {
      const deadline = retryAtMs === undefined ? undefined : armed(local, lease, retryAtMs, meta);
      return { ...before, status, failedAttempts: before.failedAttempts + 1, deadline };
    });
  },
  LeaseEnded: (local, { lease }) => {
    const ended = local.leases.get(lease);
    if (ended === undefined) return;
    disarm(local, ended.deadline);
    local.leases = local.leases.delete(lease);
    if (ended.token !== null) local.leasesByToken = local.leasesByToken.delete(keyByToken(ended.token, lease, ended));
  },
};

/**
 * Where a lease stands among those of its token: in the order in which they were issued, so that what comes and soon goes stays at one
 * end; then under its own characters, as its path would only make the key long.
 */
function keyByToken(token: TokenId, id: LeaseId, { issuedAt }: Lease): string {
  return pairKey(token, `${issuedAt.toString().padStart(POSITION_DIGITS, "0")}.${ownCharacters(id)}`);
}

const POSITION_DIGITS = 10;

function ownCharacters(id: LeaseId): string {
  return id.slice(id.lastIndexOf("/") + 1);
}

/** The leases that end with a token, by their own characters. */
export function leasesOfToken(local: LeaseSlice, token: TokenId): readonly LeaseId[] {
  const leases = [...local.leasesByToken.values({ prefix: pairPrefix(token) })];
  return leases.sort((left, right) => (ownCharacters(left) < ownCharacters(right) ? -1 : 1));
}

/** Replaces a lease; it has one deadline at a time, so the old one is taken away. */
function change(local: Flat<Leases>, id: LeaseId, changed: (before: Lease) => Lease): void {
  const before = local.leases.get(id);
  if (before === undefined) return;
  disarm(local, before.deadline);
  local.leases = local.leases.set(id, changed(before));
}

function armed(local: Flat<Leases>, lease: LeaseId, dueAtMs: EpochMs, meta: FoldMeta): DeadlineKey | undefined {
  return arm(local, dueAtMs, { command: "timer.leaseRevocation", input: { lease } }, meta);
}
