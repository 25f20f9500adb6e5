import type { Brand, EpochMs } from "../../../kernel/brand.ts";
import { arm, type DeadlineKey, disarm } from "../../../kernel/calendar.ts";
import type { Draft } from "../../../kernel/draft.ts";
import type { Evolvers, FoldMeta } from "../../../kernel/evolvers.ts";
import type { ClusterName, MountPath, NamespacePath } from "../place.ts";
import type { Local } from "../state.ts";
import type { TokenId } from "../tokens/state.ts";

/** The path of the request that made the lease, a slash and 24 base62 characters; `.` and the namespace's id elsewhere. */
export type LeaseId = Brand<string, "LeaseId">;

/** What a lease is for, and so what its revocation undoes. */
export type Grant = CheckOutGrant;

/** A library account that is lent. */
export interface CheckOutGrant {
  readonly type: "checkOut";
  readonly set: string;
  readonly account: string;
}

export interface Lease {
  /** Spelled as the states of the lease chart. */
  readonly status: LeaseStatus;
  readonly namespace?: NamespacePath;
  readonly mount: MountPath;
  /** The token that it ends with; absent when that token lives on another cluster. */
  readonly token?: TokenId;
  readonly grant: Grant;
  readonly issuedAtMs: EpochMs;
  readonly expiresAtMs: EpochMs;
  readonly lastRenewalAtMs?: EpochMs;
  readonly renewable: boolean;
  readonly failedAttempts: number;
  readonly deadline?: DeadlineKey;
}

export type LeaseStatus = "live" | "retrying" | "irrevocable";

/** The facts of leases. */
export interface LeaseEvents {
  LeaseIssued: LeaseAt & {
    readonly namespace?: NamespacePath;
    readonly mount: MountPath;
    readonly token?: TokenId;
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

export const leaseEvolvers: Evolvers<Local, LeaseEvents> = {
  LeaseIssued: (local, { cluster: _, lease, ...facts }, meta) => {
    const issued: Lease = { ...facts, status: "live", issuedAtMs: meta.atMs, failedAttempts: 0 };
    put(local, lease, issued, facts.expiresAtMs, meta);
    if (facts.token !== undefined) {
      local.leasesByToken = local.leasesByToken.set(`${facts.token}/${lease}`, true);
    }
  },
  LeaseRenewed: (local, { lease, expiresAtMs }, meta) => {
    change(local, lease, (before) => {
      put(local, lease, { ...before, expiresAtMs, lastRenewalAtMs: meta.atMs }, expiresAtMs, meta);
    });
  },
  LeaseRevocationQueued: (local, { lease }, meta) => {
    change(local, lease, (before) => put(local, lease, before, meta.atMs, meta));
  },
  LeaseRevocationFailed: (local, { lease, status, retryAtMs }, meta) => {
    change(local, lease, (before) => {
      put(local, lease, { ...before, status, failedAttempts: before.failedAttempts + 1 }, retryAtMs, meta);
    });
  },
  LeaseEnded: (local, { lease }) => {
    const ended = local.leases.get(lease);
    if (ended === undefined) return;
    disarm(local, ended.deadline);
    local.leases = local.leases.delete(lease);
    if (ended.token !== undefined) local.leasesByToken = local.leasesByToken.delete(`${ended.token}/${lease}`);
  },
};

function change(local: Draft<Local>, id: LeaseId, changed: (before: Lease) => void): void {
  const before = local.leases.get(id);
  if (before !== undefined) changed(before);
}

/** Stores a lease with its one deadline: the next attempt to revoke it. */
function put(local: Draft<Local>, id: LeaseId, lease: Lease, dueAtMs: EpochMs | undefined, meta: FoldMeta): void {
  const { deadline: armed, ...rest } = lease;
  disarm(local, armed);
  const deadline =
    dueAtMs === undefined
      ? undefined
      : arm(local, dueAtMs, { command: "timer.leaseRevocation", input: { lease: id } }, meta);
  local.leases = local.leases.set(id, deadline === undefined ? rest : { ...rest, deadline });
}
