import type { Brand, EpochMs } from "../../../../kernel/brand.ts";
import { epochMs } from "../../../../kernel/brand.ts";
import { arm, type DeadlineKey, type Due, disarm } from "../../../../kernel/calendar.ts";
import type { Flat } from "../../../../kernel/draft.ts";
import type { FlatEvolvers, FoldMeta } from "../../../../kernel/evolvers.ts";
import { Table } from "../../../../kernel/table.ts";
import type { Metadata } from "../../identity/state.ts";
import { pairKey, pairPrefix } from "../../pair-key.ts";
import type { InMount, MountPlace } from "../../place.ts";
import type { TokenParameters } from "../parameters.ts";

/** The name of a role, in lower case. */
export type ApproleName = Brand<string, "ApproleName">;

/** As what programs log in (auth/approle/README.md, 1). */
export interface Approle {
  readonly roleId: string;
  readonly bindSecretId: boolean;
  readonly secretIdBoundCidrs: readonly string[];
  /** 0 = as many as one likes. */
  readonly secretIdUses: number;
  /** 0 = no end. */
  readonly secretIdTtlSeconds: number;
  readonly localSecretIds: boolean;
  readonly parameters: TokenParameters;
}

/** What a program shows beside the role id (auth/approle/README.md, 2). */
export interface SecretId {
  /** Spelled as the state of the chart of secret ids: one that has ended is not there. */
  readonly status: "issued";
  readonly role: ApproleName;
  readonly secretId: string;
  readonly accessor: string;
  /** 0 = as many as one likes. */
  readonly usesLeft: number;
  /** As it was asked for; 0 = no end. */
  readonly ttlSeconds: number;
  readonly expiresAtMs?: EpochMs;
  readonly metadata: Metadata;
  readonly cidrs: readonly string[];
  readonly tokenCidrs: readonly string[];
  readonly issuedAtMs: EpochMs;
  readonly changedAtMs: EpochMs;
}

/** As it is when it is issued. */
export type NewSecretId = Omit<SecretId, "status" | "issuedAtMs" | "changedAtMs">;

/** The key of a secret id: its role and itself. */
export type SecretIdKey = Brand<string, "SecretIdKey">;

export interface ApproleSlice {
  readonly approles: Table<Approle>;
  /** Roles by their role ids. */
  readonly approlesById: Table<ApproleName>;
  readonly secretIds: Table<SecretId>;
  readonly secretIdsByAccessor: Table<SecretIdKey>;
  /** Those that expire, by the instant and their key: the first comes first. */
  readonly secretIdExpiries: Table<SecretIdKey>;
  /** The next expiry of all; none while no secret id expires. */
  readonly deadline: DeadlineKey | undefined;
}

export const noApproles = Object.freeze<ApproleSlice>({
  approles: Table.of(),
  approlesById: Table.of(),
  secretIds: Table.of(),
  secretIdsByAccessor: Table.of(),
  secretIdExpiries: Table.of(),
  deadline: undefined,
});

/** They lie in their mount, and their deadline in the calendar of the part that the mount is in. */
export type Approles = ApproleSlice & Due;

/** The facts of approles. */
export interface ApproleEvents {
  /** A new one, or what one has become. */
  ApproleWritten: InMount & { readonly role: ApproleName; readonly approle: Approle };
  /** With its secret ids. */
  ApproleDeleted: InMount & { readonly role: ApproleName };
  SecretIdIssued: InMount & { readonly secret: NewSecretId };
  /** One of a limited secret id's uses, and not the last. */
  SecretIdUsed: InMount & { readonly key: SecretIdKey; readonly status: "issued" };
  /** Used up, expired, or destroyed. */
  SecretIdEnded: InMount & { readonly key: SecretIdKey };
}

export const approleEvolvers: FlatEvolvers<Approles, ApproleEvents> = {
  ApproleWritten: (mount, { role, approle }) => {
    const before = mount.approles.get(role);
    if (before !== undefined) mount.approlesById = mount.approlesById.delete(before.roleId);
    mount.approles = mount.approles.set(role, approle);
    mount.approlesById = mount.approlesById.set(approle.roleId, role);
  },
  ApproleDeleted: (mount, { at, role }, meta) => {
    const before = mount.approles.get(role);
    if (before === undefined) return;
    for (const key of [...mount.secretIds.keys({ prefix: pairPrefix(role) })]) drop(mount, key as SecretIdKey);
    mount.approles = mount.approles.delete(role);
    mount.approlesById = mount.approlesById.delete(before.roleId);
    rearmExpiries(mount, at, meta);
  },
  SecretIdIssued: (mount, { at, secret }, meta) => {
    const key = secretIdKey(secret);
    const issued: SecretId = { ...secret, status: "issued", issuedAtMs: meta.atMs, changedAtMs: meta.atMs };
    mount.secretIds = mount.secretIds.set(key, issued);
    mount.secretIdsByAccessor = mount.secretIdsByAccessor.set(secret.accessor, key);
    if (secret.expiresAtMs === undefined) return;
    mount.secretIdExpiries = mount.secretIdExpiries.set(expiryKey(key, secret.expiresAtMs), key);
    rearmExpiries(mount, at, meta);
  },
  SecretIdUsed: (mount, { key, status }, { atMs }) => {
    const before = mount.secretIds.get(key);
    if (before === undefined) return;
    const used = { ...before, status, usesLeft: before.usesLeft - 1, changedAtMs: atMs };
    mount.secretIds = mount.secretIds.set(key, used);
  },
  SecretIdEnded: (mount, { at, key }, meta) => {
    drop(mount, key);
    rearmExpiries(mount, at, meta);
  },
};

export function secretIdKey({ role, secretId }: Pick<SecretId, "role" | "secretId">): SecretIdKey {
  return pairKey(role, secretId) as SecretIdKey;
}

function drop(mount: Flat<Approles>, key: SecretIdKey): void {
  const ended = mount.secretIds.get(key);
  if (ended === undefined) return;
  mount.secretIds = mount.secretIds.delete(key);
  mount.secretIdsByAccessor = mount.secretIdsByAccessor.delete(ended.accessor);
  if (ended.expiresAtMs === undefined) return;
  mount.secretIdExpiries = mount.secretIdExpiries.delete(expiryKey(key, ended.expiresAtMs));
}

function expiryKey(key: SecretIdKey, expiresAtMs: EpochMs): string {
  return `${expiresAtMs.toString().padStart(INSTANT_DIGITS, "0")} ${key}`;
}

const INSTANT_DIGITS = 20;

/** Arms the deadline of the next expiry: there is one to a method, so that what goes with it is one, too. */
export function rearmExpiries(mount: Flat<Approles>, { mount: path, namespace }: MountPlace, meta: FoldMeta): void {
  const first = mount.secretIdExpiries.first();
  disarm(mount, mount.deadline);
  mount.deadline = undefined;
  if (first === undefined) return;
  const dueAtMs = epochMs(Number(first[0].slice(0, INSTANT_DIGITS)));
  const input = namespace === undefined ? { mount: path } : { namespace, mount: path };
  mount.deadline = arm(mount, dueAtMs, { command: "timer.secretIdExpiry", input }, meta);
}
