import type { EpochMs } from "../../../kernel/brand.ts";
import { type Calendar, type Due, disarm } from "../../../kernel/calendar.ts";
import type { FlatEvolvers, FoldMeta } from "../../../kernel/evolvers.ts";
import { Table } from "../../../kernel/table.ts";
import { type ApproleSlice, noApproles, rearmExpiries } from "../auth/approle/state.ts";
import { type LdapSlice, noMappings } from "../auth/ldap/state.ts";
import { type AccountLoginSlice, noAccountRoles } from "../auth/orchestrator/state.ts";
import type { UserpassSlice } from "../auth/userpass/state.ts";
import type { DirectoryConfigSlice } from "../directory-config/state.ts";
import type { DynamicRoleSlice } from "../dynamic-roles/state.ts";
import type { KvData, KvSlice } from "../kv/state.ts";
import { emptyVersionedKv, type VersionedKvSlice } from "../kv2/state.ts";
import { emptyLibrary, type Library } from "../library/state.ts";
import { newOrchestratorEngine, type OrchestratorEngine } from "../orchestrator/state.ts";
import { type InMount, localMountKey, type MountPlace } from "../place.ts";
import { rearmRotations, type StaticRoleSlice } from "../static-roles/state.ts";

/** What a mount is written and tuned with. */
export interface MountSettings {
  readonly description: string;
  readonly options: { readonly [name: string]: string } | null;
  /** 0 = the system's. */
  readonly defaultLeaseTtlSeconds: number;
  readonly maxLeaseTtlSeconds: number;
  /** Who is told that it is there: everybody, or whoever may reach it. Absent is as good as empty. */
  readonly listingVisibility?: ListingVisibility;
}

export type ListingVisibility = "" | "hidden" | "unauth";

/** The same of an auth method. */
export interface MethodSettings extends MountSettings {
  /** Absent for the default. */
  readonly tokenType?: MethodTokenType;
}

/** What tokens the logins of a method give: always this type, or where the method leaves it open. */
export type MethodTokenType = "default-service" | "default-batch" | "service" | "batch";

interface MountEntry extends MountSettings {
  /** It is there from the start. */
  readonly initial?: true;
  readonly accessor: string;
  readonly uuid: string;
  /** What the catalog had for it, when that is not built in. */
  readonly plugin?: MountedPlugin;
}

/** A plugin that runs: overwriting its entry in the catalog does not disturb it. */
export interface MountedPlugin {
  readonly name: string;
  /** Absent when it was registered without one. */
  readonly version?: string;
}

/** The roles of a directory engine (decisions-directory.md, 5 and 8). */
export interface DirectoryRoles extends StaticRoleSlice, DynamicRoleSlice {}

export const noRoles = Object.freeze<DirectoryRoles>({
  staticRoles: Table.of(),
  usernames: Table.of(),
  rotations: Table.of(),
  deadline: undefined,
  dynamicRoles: Table.of(),
});

/** A directory engine. */
export interface DirectoryMount extends MountEntry, DirectoryConfigSlice {
  readonly type: "ldap";
  readonly library: Library;
  /** Appears with the first role. */
  readonly roles?: DirectoryRoles;
}

/** A store of values without versions. */
export interface KvMount extends MountEntry, KvSlice {
  readonly type: "kv";
}

/** A store of values with versions. */
export interface VersionedKvMount extends MountEntry, VersionedKvSlice {
  readonly type: "kv2";
}

/** An engine for credentials of an orchestrator. */
export interface OrchestratorMount extends MountEntry {
  readonly type: "orchestrator";
  readonly engine: OrchestratorEngine;
}

/** People with passwords. */
export interface UserpassMount extends MountEntry, MethodSettings, UserpassSlice {
  readonly type: "auth/userpass";
}

/** Programs with roles and secret ids. */
export interface ApproleMount extends MountEntry, MethodSettings, ApproleSlice {
  readonly type: "auth/approle";
}

/** People whom the directory lets in. */
export interface LdapMount extends MountEntry, MethodSettings, LdapSlice {
  readonly type: "auth/ldap";
}

/** Service accounts of the orchestrator. */
export interface AccountLoginMount extends MountEntry, MethodSettings, AccountLoginSlice {
  readonly type: "auth/orchestrator";
}

/**
 * An auth method at its path, which begins with `auth/`: what holds of mounts holds of it, so it lies in the table of mounts
 * (auth/README.md, 1). Its type is where it is enabled by default.
 */
export type AuthMount = UserpassMount | ApproleMount | LdapMount | AccountLoginMount;
export type MethodType = AuthMount["type"];

/** A secret engine or an auth method at its path. */
export type Mount = DirectoryMount | KvMount | VersionedKvMount | OrchestratorMount | AuthMount;
export type EngineType = Mount["type"];

export function isAuthMount(mount: Mount): mount is AuthMount {
  return isMethodType(mount.type);
}

export function isMethodType(type: EngineType): type is MethodType {
  return type.startsWith(AUTH);
}

/** What the path of an auth method begins with. */
export const AUTH = "auth/" as const;

/** How the move of a mount ended. */
export interface Migration {
  /** Full paths. */
  readonly from: string;
  readonly to: string;
  readonly status: "success" | "failure";
}

export interface MigrationSlice {
  /** The moves of mounts, by their ids; absent before the first. */
  readonly migrations?: Table<Migration>;
}

/** The engines of a namespace, or those that no other performance cluster sees. */
export interface MountSlice {
  readonly mounts: Table<Mount>;
}

/** They lie in a part or in a namespace of it, and are due in the calendar of the part. */
export type Mounts = MountSlice & Due;

/** A fact about a mount that may be local. */
export interface MaybeLocal extends InMount {
  /** No other performance cluster sees it. */
  readonly local?: true;
}

/** The facts of mounts. */
export interface MountEvents {
  EngineMounted: MaybeLocal & {
    readonly type: EngineType;
    readonly accessor: string;
    readonly uuid: string;
    /** Absent when the engine is a built-in one. */
    readonly plugin?: MountedPlugin;
    /** Absent when all are the defaults. */
    readonly settings?: MethodSettings;
  };
  /** It is gone, with all that was in it. */
  EngineUnmounted: MaybeLocal;
}

/** The facts of how a mount is tuned. */
export interface MountSettingsEvents {
  MountTuned: InMount & { readonly settings: MethodSettings };
}

export const mountSettingsEvolvers: FlatEvolvers<MountSettings, MountSettingsEvents> = {
  MountTuned: (mount, { settings }) => {
    Object.assign(mount, settings);
  },
};

export const mountEvolvers: FlatEvolvers<Mounts, MountEvents> = {
  EngineMounted: (part, { type, accessor, uuid, settings, plugin, ...fact }, { atMs }) => {
    part.mounts = part.mounts.set(keyOf(fact), newMount(type, accessor, uuid, atMs, settings, plugin));
  },
  EngineUnmounted: (part, fact) => {
    const mount = part.mounts.get(keyOf(fact));
    if (mount !== undefined) disarmMount(part, mount);
    part.mounts = part.mounts.delete(keyOf(fact));
  },
};

/** Its key in the table that it lies in. */
export function keyOf({ at, local }: MaybeLocal): string {
  return local ? localMountKey(at) : at.mount;
}

/** The same mount as it goes on at another place: what is due there is due in the same calendar. */
export function rearmedMount(holder: { calendar: Calendar }, mount: Mount, at: MountPlace, meta: FoldMeta): Mount {
  if (mount.type === "auth/approle") {
    const moved = { ...mount, calendar: holder.calendar };
    rearmExpiries(moved, at, meta);
    const { calendar, ...method } = moved;
    holder.calendar = calendar;
    return method;
  }
  if (mount.type !== "ldap" || mount.roles === undefined) return mount;
  const moved = { ...mount.roles, calendar: holder.calendar };
  rearmRotations(moved, at, meta);
  const { calendar, ...roles } = moved;
  holder.calendar = calendar;
  return { ...mount, roles };
}

/** What an engine would have rotated, or let expire, is not due any more where the engine is gone. */
export function disarmMount(holder: { calendar: Calendar }, mount: Mount): void {
  if (mount.type === "ldap") disarm(holder, mount.roles?.deadline);
  if (mount.type === "auth/approle") disarm(holder, mount.deadline);
}

export const DEFAULT_SETTINGS: MountSettings = Object.freeze({
  description: "",
  options: null,
  defaultLeaseTtlSeconds: 0,
  maxLeaseTtlSeconds: 0,
});

/** An engine as it is when it has just been mounted. */
export function newMount(
  type: EngineType,
  accessor: string,
  uuid: string,
  atMs: EpochMs,
  settings: MethodSettings = DEFAULT_SETTINGS,
  plugin?: MountedPlugin,
): Mount {
  const entry = { accessor, uuid, ...settings, ...(plugin === undefined ? {} : { plugin }) };
  switch (type) {
    case "ldap":
      return { type, ...entry, library: emptyLibrary };
    case "kv":
      return { type, ...entry, entries: Table.of<KvData>() };
    case "kv2":
      return { type, ...entry, ...emptyVersionedKv };
    case "orchestrator":
      return { type, ...entry, engine: newOrchestratorEngine(atMs) };
    case "auth/userpass":
      return { type, ...entry, users: Table.of() };
    case "auth/approle":
      return { type, ...entry, ...noApproles };
    case "auth/ldap":
      return { type, ...entry, ...noMappings };
    case "auth/orchestrator":
      return { type, ...entry, ...noAccountRoles };
    default:
      return type satisfies never;
  }
}
