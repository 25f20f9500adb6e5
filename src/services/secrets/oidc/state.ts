import { type EpochMs, secondsAfter } from "../../../kernel/brand.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import { Table } from "../../../kernel/table.ts";
import { pairKey } from "../pair-key.ts";
import type { InNamespace } from "../place.ts";
import type { KeySlice, NamedKey } from "./keys/state.ts";

/** Who may log in through the clients that list it (decisions-oidc.md, 5). Both lists are sorted. */
export interface Assignment {
  readonly entityIds: readonly string[];
  readonly groupIds: readonly string[];
}

/** Claims that somebody may ask for, as a template (decisions-oidc.md, 6). */
export interface Scope {
  readonly template: string;
  readonly description: string;
}

/** What signs identity tokens for whoever asks for one (oidc/README.md, 1). */
export interface IdentityRole {
  readonly clientId: string;
  readonly key: string;
  readonly template: string;
  readonly ttlSeconds: number;
}

export type ClientType = "confidential" | "public";

/** An application that logs people in (decisions-oidc.md, 7). Its lists are sorted. */
export interface OidcClient {
  readonly clientId: string;
  /** Confidential ones have one. */
  readonly clientSecret?: string;
  readonly key: string;
  readonly redirectUris: readonly string[];
  readonly assignments: readonly string[];
  readonly clientType: ClientType;
  readonly idTokenTtlSeconds: number;
  readonly accessTokenTtlSeconds: number;
}

/** What answers the OIDC protocol (decisions-oidc.md, 8). Its lists are sorted. */
export interface Provider {
  /** As it was given; `""` for the service's own address. */
  readonly issuer: string;
  readonly allowedClientIds: readonly string[];
  readonly scopesSupported: readonly string[];
}

/** The OIDC configuration of one namespace. */
export interface OidcConfiguration extends KeySlice {
  readonly assignments: Table<Assignment>;
  readonly scopes: Table<Scope>;
  readonly clients: Table<OidcClient>;
  readonly providers: Table<Provider>;
  readonly identityRoles: Table<IdentityRole>;
  /** Of identity tokens, as it was given; `""` for the service's own address. */
  readonly issuer: string;
  /** Names of clients by their ids. */
  readonly clientsById: Table<string>;
  /** Names of clients, as `keyUse` says. */
  readonly clientsByKey: Table<string>;
  /** By assignment and client. */
  readonly clientsByAssignment: Table<string>;
  /** By scope and provider. */
  readonly providersByScope: Table<string>;
  /** Names of roles, as `keyUse` says. */
  readonly identityRolesByKey: Table<string>;
}

/** The facts of the OIDC configuration, but for those of named keys. */
export interface OidcEvents {
  OidcAssignmentWritten: InNamespace & { readonly name: string; readonly assignment: Assignment };
  OidcAssignmentDeleted: InNamespace & { readonly name: string };
  OidcScopeWritten: InNamespace & { readonly name: string; readonly scope: Scope };
  OidcScopeDeleted: InNamespace & { readonly name: string };
  OidcClientWritten: InNamespace & { readonly name: string; readonly client: OidcClient };
  OidcClientDeleted: InNamespace & { readonly name: string };
  OidcProviderWritten: InNamespace & { readonly name: string; readonly provider: Provider };
  OidcProviderDeleted: InNamespace & { readonly name: string };
  IdentityRoleWritten: InNamespace & { readonly name: string; readonly role: IdentityRole };
  IdentityRoleDeleted: InNamespace & { readonly name: string };
  IdentityIssuerWritten: InNamespace & { readonly issuer: string };
}

const SECONDS_DIGITS = 16;

/** Under which key a client or a role stands among those of its named key: they are in the order of the TTLs of their tokens. */
export function keyUse(key: string, tokenTtlSeconds: number, user = ""): string {
  return pairKey(key, `${tokenTtlSeconds.toString().padStart(SECONDS_DIGITS, "0")}/${user}`);
}

export const oidcEvolvers: FlatEvolvers<OidcConfiguration, OidcEvents> = {
  OidcAssignmentWritten: (oidc, { name, assignment }) => {
    oidc.assignments = oidc.assignments.set(name, assignment);
  },
  OidcAssignmentDeleted: (oidc, { name }) => {
    oidc.assignments = oidc.assignments.delete(name);
  },
  OidcScopeWritten: (oidc, { name, scope }) => {
    oidc.scopes = oidc.scopes.set(name, scope);
  },
  OidcScopeDeleted: (oidc, { name }) => {
    oidc.scopes = oidc.scopes.delete(name);
  },
  OidcClientWritten: (oidc, { name, client }) => {
    withoutClient(oidc, name);
    oidc.clients = oidc.clients.set(name, client);
    oidc.clientsById = oidc.clientsById.set(client.clientId, name);
    oidc.clientsByKey = oidc.clientsByKey.set(keyUse(client.key, client.idTokenTtlSeconds, name), name);
    for (const assignment of client.assignments) {
      oidc.clientsByAssignment = oidc.clientsByAssignment.set(pairKey(assignment, name), name);
    }
  },
  OidcClientDeleted: (oidc, { name }) => withoutClient(oidc, name),
  OidcProviderWritten: (oidc, { name, provider }) => {
    withoutProvider(oidc, name);
    oidc.providers = oidc.providers.set(name, provider);
    for (const scope of provider.scopesSupported) {
      oidc.providersByScope = oidc.providersByScope.set(pairKey(scope, name), name);
    }
  },
  OidcProviderDeleted: (oidc, { name }) => withoutProvider(oidc, name),
  IdentityRoleWritten: (oidc, { name, role }) => {
    withoutRole(oidc, name);
    oidc.identityRoles = oidc.identityRoles.set(name, role);
    oidc.identityRolesByKey = oidc.identityRolesByKey.set(keyUse(role.key, role.ttlSeconds, name), name);
  },
  IdentityRoleDeleted: (oidc, { name }) => withoutRole(oidc, name),
  IdentityIssuerWritten: (oidc, { issuer }) => {
    oidc.issuer = issuer;
  },
};

function withoutClient(oidc: Flat<OidcConfiguration>, name: string): void {
  const client = oidc.clients.get(name);
  if (client === undefined) return;
  oidc.clients = oidc.clients.delete(name);
  oidc.clientsById = oidc.clientsById.delete(client.clientId);
  oidc.clientsByKey = oidc.clientsByKey.delete(keyUse(client.key, client.idTokenTtlSeconds, name));
  for (const assignment of client.assignments) {
    oidc.clientsByAssignment = oidc.clientsByAssignment.delete(pairKey(assignment, name));
  }
}

function withoutRole(oidc: Flat<OidcConfiguration>, name: string): void {
  const role = oidc.identityRoles.get(name);
  if (role === undefined) return;
  oidc.identityRoles = oidc.identityRoles.delete(name);
  oidc.identityRolesByKey = oidc.identityRolesByKey.delete(keyUse(role.key, role.ttlSeconds, name));
}

function withoutProvider(oidc: Flat<OidcConfiguration>, name: string): void {
  const provider = oidc.providers.get(name);
  if (provider === undefined) return;
  oidc.providers = oidc.providers.delete(name);
  for (const scope of provider.scopesSupported) {
    oidc.providersByScope = oidc.providersByScope.delete(pairKey(scope, name));
  }
}

// --- what every namespace has from the start (decisions-oidc.md, 2) -------------------------------------------------

/** The name of the built-in provider, and that of the built-in key. */
export const DEFAULT_NAME = "default";
/** The assignment that lets everybody in. */
export const ALLOW_ALL = "allow_all";
/** The scope that is always there, and stored nowhere. */
export const OPENID = "openid";

const DAY_SECONDS = 86_400;

const ASSIGNMENTS = Table.of<Assignment>().set(ALLOW_ALL, { entityIds: ["*"], groupIds: ["*"] });
const PROVIDERS = Table.of<Provider>().set(DEFAULT_NAME, { issuer: "", allowedClientIds: ["*"], scopesSupported: [] });
const NONE = Table.of<string>();
const NO_SCOPES = Table.of<Scope>();
const NO_CLIENTS = Table.of<OidcClient>();
const NO_ROLES = Table.of<IdentityRole>();

/** The configuration of a new namespace. The due times of its key count from here. */
export function newOidc(atMs: EpochMs): OidcConfiguration {
  const key: NamedKey = {
    algorithm: "RS256",
    rotationPeriodSeconds: DAY_SECONDS,
    verificationTtlSeconds: DAY_SECONDS,
    allowedClientIds: ["*"],
    nextRotationMs: secondsAfter(atMs, DAY_SECONDS),
    status: "waiting",
    ring: [],
  };
  return {
    keys: Table.of<NamedKey>().set(DEFAULT_NAME, key),
    assignments: ASSIGNMENTS,
    scopes: NO_SCOPES,
    clients: NO_CLIENTS,
    providers: PROVIDERS,
    identityRoles: NO_ROLES,
    issuer: "",
    clientsById: NONE,
    clientsByKey: NONE,
    clientsByAssignment: NONE,
    providersByScope: NONE,
    identityRolesByKey: NONE,
  };
}
