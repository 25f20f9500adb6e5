import { createHmac } from "node:crypto";
import { type EpochMs, epochMs } from "../../src/kernel/brand.ts";
import type { Command, EventOf } from "../../src/kernel/commit.ts";
import { copyPlain } from "../../src/kernel/plain.ts";
import type { NormalisedDn } from "../../src/languages/ldif/dn.ts";
import type { DirectoryConfig } from "../../src/services/secrets/directory-config/state.ts";
import type { LeaseId } from "../../src/services/secrets/leases/state.ts";
import type { Borrower, SetName, SetSettings } from "../../src/services/secrets/library/state.ts";
import type { ClusterName, MountPath, MountPlace } from "../../src/services/secrets/place.ts";
import type { Quirk } from "../../src/services/secrets/quirks.ts";
import type { Token, TokenId } from "../../src/services/secrets/tokens/state.ts";
import { worldModel } from "../../src/simulator/services.ts";
import type { World, WorldEvents } from "../../src/simulator/world.ts";
import { deciderSpecification } from "./decider-specification.ts";
import { newWorld, readOptions } from "./world.ts";

// The words of specifications about lending: one cluster, one directory engine, and what people did there.

export type WorldEvent = EventOf<WorldEvents>;

const cluster = "main" as ClusterName;
const ldap: MountPlace = { cluster, mount: "ldap/" as MountPath };

const START_MS = epochMs(Date.UTC(2026, 0, 1));
export const SECOND_MS = 1_000;
export const DAY_MS = 86_400 * SECOND_MS;

/** An instant, counted in seconds from the start. */
export const afterSeconds = (seconds: number): EpochMs => epochMs(START_MS + seconds * SECOND_MS);

function worldWith(quirks: readonly Quirk[]): World {
  const clusters = [{ name: cluster, url: "https://secrets-main.test" }];
  const { seed: _, startAtMs: __, clusters: ___, ...settings } = readOptions({});
  return newWorld({ ...settings, seed: "specification", startAtMs: START_MS, clusters, quirks });
}

const initialState = worldWith([]);

/** How long the passwords are that the engine makes. */
export const PASSWORD_LENGTH = 12;

/** A cluster whose engine is configured; the directory knows svc-a to svc-d; ann, bob and eve hold tokens, eve one of bob's entity. */
export function lendingSpecification(...quirks: Quirk[]) {
  const { given } = deciderSpecification({
    model: worldModel,
    initialState: quirks.length === 0 ? initialState : worldWith(quirks),
    startAtMs: START_MS,
  });
  return given(
    ...["svc-a", "svc-b", "svc-c", "svc-d"].map((name) => entryAdded(name)),
    entryAdded("admin", { name: "userPassword", values: ["admin-pass"] }),
    engineConfigured(),
    tokenCreated("ann"),
    tokenCreated("bob", { entityId: "e-bob" }),
    tokenCreated("eve", { entityId: "e-bob" }),
  );
}

// --- facts ----------------------------------------------------------------------------------------------------------

const entryOf = (name: string): NormalisedDn => `cn=${name},dc=example` as NormalisedDn;

function entryAdded(
  name: string,
  ...more: { readonly name: string; readonly values: readonly string[] }[]
): WorldEvent {
  const attributes = [{ name: "cn", values: [name] }, ...more];
  return { type: "DirectoryEntryAdded", data: { entry: entryOf(name), dn: `cn=${name},dc=example`, attributes } };
}

export const entryRemoved = (name: string): WorldEvent => ({
  type: "DirectoryEntryRemoved",
  data: { entry: entryOf(name) },
});

const CONFIG: DirectoryConfig = {
  binddn: "cn=admin,dc=example",
  bindpass: "admin-pass",
  url: "ldap://127.0.0.1",
  userdn: "dc=example",
  userattr: "cn",
  upndomain: "",
  schema: "open-dir",
  passwordPolicy: "",
  length: PASSWORD_LENGTH,
  starttls: false,
  insecureTls: false,
  certificate: "",
  clientTlsCert: "",
  clientTlsKey: "",
  tlsMinVersion: "tls12",
  tlsMaxVersion: "tls12",
  requestTimeoutSeconds: 90,
  connectionTimeoutSeconds: 30,
  skipStaticRoleImportRotation: false,
};

const engineConfigured = (): WorldEvent => ({ type: "DirectoryConfigured", data: { at: ldap, config: CONFIG } });

export const configurationDeleted: WorldEvent = { type: "DirectoryConfigurationDeleted", data: { at: ldap } };

export const directoryDown: WorldEvent = { type: "DirectoryAvailabilityChanged", data: { available: false } };

export const failureInjected = (count = 1): WorldEvent => ({
  type: "DirectoryFailureInjected",
  data: { count, operation: "modify", resultCode: 53 },
});

export const failureUsed: WorldEvent = { type: "DirectoryFailureUsed", data: { index: 0 } };

/** How the directory words an injected failure. */
export const UNWILLING = 'LDAP Result Code 53 "Unwilling To Perform"';
export const UNREACHABLE = "error connecting to directory: no server of ldap://127.0.0.1 can be reached";

export function tokenCreated(token: string, more: Partial<Token> = {}): WorldEvent {
  const record: Omit<Token, "deadline"> = {
    accessor: `accessor-of-${token}`,
    type: "service",
    policies: ["root"],
    entityId: "",
    displayName: "token",
    meta: null,
    path: "auth/token/create",
    createdAtMs: START_MS,
    creationTtlSeconds: 0,
    explicitMaxTtlSeconds: 0,
    periodSeconds: 0,
    renewable: false,
    orphan: true,
    ...more,
  };
  return { type: "TokenCreated", data: { cluster, token: token as TokenId, record } };
}

export const tokenUsed = (token: string): WorldEvent => ({
  type: "TokenUsed",
  data: { cluster, token: token as TokenId },
});

export const tokenRevoked = (token: string): WorldEvent => ({
  type: "TokenRevoked",
  data: { cluster, token: token as TokenId },
});

const DAY_SECONDS = 86_400;

const SETTINGS: SetSettings = {
  ttlSeconds: DAY_SECONDS,
  maxTtlSeconds: DAY_SECONDS,
  disableCheckInEnforcement: false,
};

/** A set `ops`, or another one, with accounts and their first passwords. */
export function setCreated(
  accounts: Readonly<Record<string, string>>,
  more: { readonly set?: string; readonly settings?: Partial<SetSettings> } = {},
): WorldEvent {
  const added = Object.entries(accounts).map(([name, password]) => ({ name, password }));
  const set = (more.set ?? "ops") as SetName;
  return { type: "LibrarySetCreated", data: { at: ldap, set, settings: { ...SETTINGS, ...more.settings }, added } };
}

export function setChanged(more: {
  readonly settings?: Partial<SetSettings>;
  readonly names?: readonly string[];
  readonly added?: Readonly<Record<string, string>>;
}): WorldEvent {
  const added = Object.entries(more.added ?? {}).map(([name, password]) => ({ name, password }));
  return {
    type: "LibrarySetChanged",
    data: {
      at: ldap,
      set: "ops" as SetName,
      settings: { ...SETTINGS, ...more.settings },
      ...(more.names === undefined ? {} : { names: more.names }),
      added,
    },
  };
}

export const setDeleted = (set = "ops"): WorldEvent => ({
  type: "LibrarySetDeleted",
  data: { at: ldap, set: set as SetName },
});

/** The id of a lease of the set `ops`, or another one, by its last 24 characters. */
export const leaseId = (own: string, set = "ops"): LeaseId => `ldap/library/${set}/check-out/${own}` as LeaseId;

const ENTITIES: Readonly<Record<string, string>> = { bob: "e-bob", eve: "e-bob" };

/** Who the holder of a token is to the engine: the hash is taken from the decisions, not from our own code. */
function borrowerOf(token: string): Borrower {
  const uuid = initialState.secrets["main"]?.replicated.mounts.get("ldap/")?.uuid ?? "";
  const tokenHash = createHmac("sha1", uuid).update(token).digest("hex");
  return { tokenHash, entityId: ENTITIES[token] ?? "" };
}

export const checkedOut = (account: string, by: string, lease: LeaseId): WorldEvent => ({
  type: "ServiceAccountCheckedOut",
  data: { at: ldap, account, status: "checked_out", borrower: borrowerOf(by), lease },
});

export const leaseIssued = (
  lease: LeaseId,
  of: { readonly account: string; readonly to: string; readonly untilMs: EpochMs; readonly set?: string },
): WorldEvent => ({
  type: "LeaseIssued",
  data: {
    cluster,
    lease,
    engine: { mount: ldap.mount },
    token: of.to as TokenId,
    grant: { type: "checkOut", set: of.set ?? "ops", account: of.account },
    expiresAtMs: of.untilMs,
    renewable: true,
  },
});

/** Somebody has borrowed an account, by default for a day from the start. */
export const lent = (
  account: string,
  to: string,
  lease: LeaseId,
  untilMs = epochMs(START_MS + DAY_MS),
): WorldEvent[] => [checkedOut(account, to, lease), leaseIssued(lease, { account, to, untilMs })];

export const passwordChanged = (account: string, password: string): WorldEvent => ({
  type: "DirectoryPasswordChanged",
  data: { entry: entryOf(account), attributes: [{ name: "userPassword", values: [password] }] },
});

export const checkedIn = (account: string, password: string, by: "borrower" | "manager" | "lease"): WorldEvent => ({
  type: "ServiceAccountCheckedIn",
  data: { at: ldap, account, status: "available", password, by },
});

export const leaseRenewed = (lease: LeaseId, expiresAtMs: EpochMs): WorldEvent => ({
  type: "LeaseRenewed",
  data: { cluster, lease, expiresAtMs },
});

export const leaseQueued = (lease: LeaseId): WorldEvent => ({
  type: "LeaseRevocationQueued",
  data: { cluster, lease },
});

export const leaseFailed = (lease: LeaseId, reason: string, retryAtMs?: EpochMs): WorldEvent => ({
  type: "LeaseRevocationFailed",
  data: {
    cluster,
    lease,
    status: retryAtMs === undefined ? "irrevocable" : "retrying",
    reason,
    ...(retryAtMs === undefined ? {} : { retryAtMs }),
  },
});

export const leaseEnded = (lease: LeaseId): WorldEvent => ({ type: "LeaseEnded", data: { cluster, lease } });

/** An account comes back: a new password in the directory, then on the shelf, and its lease is over. */
export const givenBack = (
  account: string,
  password: string,
  by: "borrower" | "manager" | "lease",
  lease: LeaseId,
): WorldEvent[] => [passwordChanged(account, password), checkedIn(account, password, by), leaseEnded(lease)];

// --- commands -------------------------------------------------------------------------------------------------------

/** A call of an operation of the secrets service by the holder of a token. */
export function called(operation: string, input: object, by = "ann"): Command {
  return { name: `secrets.${operation}`, input: copyPlain(input), caller: { cluster, token: by }, via: "call" };
}

/** The command of a deadline. */
export function timer(name: string, input: object): Command {
  const caller = { cluster, part: "local", deadline: "000000000000000.0000000000.000000" };
  return { name, input: copyPlain(input), caller, via: "timer" };
}
