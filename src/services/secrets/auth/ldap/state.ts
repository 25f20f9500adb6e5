import type { FlatEvolvers } from "../../../../kernel/evolvers.ts";
import { Table } from "../../../../kernel/table.ts";
import type { TlsVersion } from "../../directory-config/state.ts";
import type { InMount } from "../../place.ts";
import type { TokenParameters } from "../parameters.ts";

/** How a method asks the directory, and what its tokens are (auth/ldap/README.md, 1). */
export interface LdapConfig {
  readonly url: string;
  readonly binddn: string;
  readonly bindpass: string;
  readonly userdn: string;
  readonly userattr: string;
  readonly userfilter: string;
  readonly groupdn: string;
  readonly groupattr: string;
  readonly groupfilter: string;
  readonly upndomain: string;
  readonly discoverDn: boolean;
  readonly denyNullBind: boolean;
  readonly caseSensitiveNames: boolean;
  readonly usernameAsAlias: boolean;
  readonly insecureTls: boolean;
  readonly starttls: boolean;
  readonly certificate: string;
  readonly tlsMinVersion: TlsVersion;
  readonly tlsMaxVersion: TlsVersion;
  readonly requestTimeoutSeconds: number;
  readonly connectionTimeoutSeconds: number;
  readonly parameters: TokenParameters;
}

/** What a name of the directory gets besides. */
export interface Mapping {
  readonly policies: readonly string[];
  /** Of users: groups besides those of the directory. */
  readonly groups: readonly string[];
}

/** What is mapped, and the segment of its path. */
export type MappedKind = "users" | "groups";

export interface LdapSlice {
  readonly ldapConfig?: LdapConfig;
  readonly mappedUsers: Table<Mapping>;
  readonly mappedGroups: Table<Mapping>;
}

export const noMappings = Object.freeze<LdapSlice>({ mappedUsers: Table.of(), mappedGroups: Table.of() });

/** The facts of an `ldap` method. */
export interface LdapEvents {
  LdapMethodConfigured: InMount & { readonly config: LdapConfig };
  LdapMappingWritten: MappingAt & { readonly mapping: Mapping };
  LdapMappingDeleted: MappingAt;
}

interface MappingAt extends InMount {
  readonly kind: MappedKind;
  readonly name: string;
}

/** The table of what is mapped. */
export const MAPPED = { users: "mappedUsers", groups: "mappedGroups" } as const satisfies Record<
  MappedKind,
  keyof LdapSlice
>;

export const ldapEvolvers: FlatEvolvers<LdapSlice, LdapEvents> = {
  LdapMethodConfigured: (mount, { config }) => {
    mount.ldapConfig = config;
  },
  LdapMappingWritten: (mount, { kind, name, mapping }) => {
    mount[MAPPED[kind]] = mount[MAPPED[kind]].set(name, mapping);
  },
  LdapMappingDeleted: (mount, { kind, name }) => {
    mount[MAPPED[kind]] = mount[MAPPED[kind]].delete(name);
  },
};
