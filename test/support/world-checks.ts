import type { Simulator, World } from "../../src/index.ts";
import { dueAtMsOf } from "../../src/kernel/calendar.ts";
import type { Commit } from "../../src/kernel/commit.ts";
import { foldCommit } from "../../src/kernel/fold.ts";
import { hashOf, hexOf } from "../../src/kernel/hash.ts";
import { Table } from "../../src/kernel/table.ts";
import type { Identity } from "../../src/services/secrets/identity/state.ts";
import type { Lease, LeaseId } from "../../src/services/secrets/leases/state.ts";
import { ALL, borrowerPrefix, type Library, type Shelf } from "../../src/services/secrets/library/state.ts";
import type { Mount } from "../../src/services/secrets/mounts/state.ts";
import type { Namespace } from "../../src/services/secrets/namespaces/state.ts";
import { keyUse, type OidcConfiguration } from "../../src/services/secrets/oidc/state.ts";
import { pairKey, pairPrefix as tokenKey } from "../../src/services/secrets/pair-key.ts";
import type { Cluster } from "../../src/services/secrets/state.ts";
import type { Local } from "../../src/services/secrets/storage.ts";
import type { Token, TokenId } from "../../src/services/secrets/tokens/state.ts";
import { worldModel } from "../../src/simulator/services.ts";
import { type Directory, isIndexed, treeKey, valuePrefix } from "../../src/surroundings/directory/state.ts";

// What is true of every world that people can bring about. Each check tells what it found wrong, so that a failure reads as
// a finding; an empty list is a clean bill.

export const hashOfState = (state: object): string => hexOf(hashOf(state));

/** The log as text, one commit a line. */
export const logText = (sim: Simulator): string =>
  sim.log
    .commits()
    .map((commit) => JSON.stringify(commit))
    .join("\n");

/** The state that commits lead to from another one. */
export function folded(from: World, commits: readonly Commit[]): World {
  return commits.reduce((state, commit) => foldCommit(worldModel, state, commit), from);
}

/** The places of a state, tables included, at which something is not frozen. */
export function thawedPlaces(state: unknown, known: WeakSet<object>, place = "state"): string[] {
  if (typeof state !== "object" || state === null || known.has(state)) return [];
  known.add(state);
  const members = state instanceof Table ? [...state] : Object.entries(state);
  const below = (members as [string, unknown][]).flatMap(([key, member]) =>
    thawedPlaces(member, known, `${place}.${key}`),
  );
  return Object.isFrozen(state) ? below : [place, ...below];
}

/** The same state with every table filled in another order, and nothing shared with it. */
export function rebuilt(state: unknown): unknown {
  if (state instanceof Table) return Table.from([...state].reverse().map(([key, value]) => [key, rebuilt(value)]));
  if (Array.isArray(state)) return state.map(rebuilt);
  if (typeof state !== "object" || state === null) return state;
  const members = Object.entries(state).map(([key, value]) => [key, rebuilt(value)] as const);
  return Object.fromEntries(members.reverse());
}

// --- indexes --------------------------------------------------------------------------------------------------------

/** Where an index says something else than what it is an index of. */
export function indexFaults(world: World): string[] {
  return [
    ...directoryFaults(world.directory),
    ...Object.entries(world.secrets).flatMap(([name, cluster]) => [
      ...librariesOf(cluster).flatMap(([place, library]) => libraryFaults(`${name} ${place}`, library)),
      ...differences(`${name} leasesByToken`, cluster.local.leasesByToken, leasesByToken(cluster.local)),
      ...tokenFaults(name, cluster.local),
      ...differences(`${name} calendar`, cluster.local.calendar, deadlines(cluster.local)),
      ...leaseFaults(name, cluster.local),
      ...namespacesOf(cluster).flatMap(([path, { identity, oidc }]) => [
        ...identityFaults(`${name} ${path}`, identity),
        ...oidcFaults(`${name} ${path}`, oidc),
      ]),
      ...keyFaults(name, cluster),
    ]),
  ];
}

function namespacesOf({ replicated }: Cluster): (readonly [string, Namespace])[] {
  return [["", replicated], ...replicated.namespaces];
}

function identityFaults(place: string, identity: Identity): string[] {
  const { entities, aliases, groups, members, subgroups } = identity;
  const pairs = (table: Table<string>) => [...table].map(([key, second]) => [key.slice(0, -second.length - 1), second]);
  return [
    ...differences(
      `${place} entitiesByName`,
      identity.entitiesByName,
      [...entities].map(([id, { name }]) => [name, id]),
    ),
    ...differences(
      `${place} groupsByName`,
      identity.groupsByName,
      [...groups].map(([id, { name }]) => [name, id]),
    ),
    ...differences(
      `${place} aliasesByLogin`,
      identity.aliasesByLogin,
      [...aliases].map(([id, { mountAccessor, name }]) => [pairKey(mountAccessor, name), id]),
    ),
    ...differences(
      `${place} aliasesByEntity`,
      identity.aliasesByEntity,
      [...aliases].map(([id, { mountAccessor, entity }]) => [pairKey(entity, mountAccessor), id]),
    ),
    ...differences(
      `${place} groupsOfEntity`,
      identity.groupsOfEntity,
      pairs(members).map(([group = "", entity = ""]) => [pairKey(entity, group), group]),
    ),
    ...differences(
      `${place} parentsOfGroup`,
      identity.parentsOfGroup,
      pairs(subgroups).map(([parent = "", child = ""]) => [pairKey(child, parent), parent]),
    ),
    ...differences(
      `${place} groupAliasesByLogin`,
      identity.groupAliasesByLogin,
      [...identity.groupAliases].map(([id, { mountAccessor, name }]) => [pairKey(mountAccessor, name), id]),
    ),
    ...differences(
      `${place} groupAliasesByGroup`,
      identity.groupAliasesByGroup,
      [...identity.groupAliases].map(([id, { group }]) => [group, id]),
    ),
    ...differences(
      `${place} mergedEntities`,
      identity.mergedEntities,
      [...entities].flatMap(([id, { mergedIds = [] }]) => mergedIds.map((merged): [string, string] => [merged, id])),
    ),
    ...pairs(members)
      .filter(([group = "", entity = ""]) => !groups.has(group) || !entities.has(entity))
      .map(([group, entity]) => `${place}: group ${group} has the member ${entity}, and one of them is not there`),
  ];
}

function oidcFaults(place: string, oidc: OidcConfiguration): string[] {
  const clients = [...oidc.clients];
  return [
    ...differences(
      `${place} clientsById`,
      oidc.clientsById,
      clients.map(([name, { clientId }]) => [clientId, name]),
    ),
    ...differences(
      `${place} clientsByKey`,
      oidc.clientsByKey,
      clients.map(([name, { key, idTokenTtlSeconds }]) => [keyUse(key, idTokenTtlSeconds, name), name]),
    ),
    ...differences(
      `${place} identityRolesByKey`,
      oidc.identityRolesByKey,
      [...oidc.identityRoles].map(([name, { key, ttlSeconds }]) => [keyUse(key, ttlSeconds, name), name]),
    ),
    ...differences(
      `${place} clientsByAssignment`,
      oidc.clientsByAssignment,
      clients.flatMap(([name, { assignments }]) => assignments.map((each) => [pairKey(each, name), name] as const)),
    ),
    ...differences(
      `${place} providersByScope`,
      oidc.providersByScope,
      [...oidc.providers].flatMap(([name, { scopesSupported }]) =>
        scopesSupported.map((scope) => [pairKey(scope, name), name] as const),
      ),
    ),
  ];
}

/** An armed ring is due when it says, a ring that waits is never due; whoever uses a key has armed it. */
function keyFaults(cluster: string, { replicated }: Cluster): string[] {
  const namespaces: (readonly [string, Namespace])[] = [["", replicated], ...replicated.namespaces];
  const due = namespaces.flatMap(([namespace, { oidc }]) =>
    [...oidc.keys].flatMap(([key, { deadline }]) =>
      deadline === undefined
        ? []
        : [
            [
              deadline,
              { command: "timer.keyRotation", input: namespace === "" ? { key } : { namespace, key } },
            ] as const,
          ],
    ),
  );
  const roles = namespaces.flatMap(([namespace, { mounts }]) =>
    [...mounts].flatMap(([mount, engine]) => {
      const deadline = rotationOf(engine);
      if (deadline === undefined) return [];
      return [
        [deadline, { command: "timer.staticRoleRotation", input: engineOfKey(`${namespace} ${mount}`) }] as const,
      ];
    }),
  );
  return [
    ...differences(`${cluster} rotations`, replicated.calendar, [...due, ...roles]),
    ...namespaces.flatMap(([, { oidc }]) =>
      [...oidc.keys]
        .filter(([, key]) => (key.status === "armed") !== (key.deadline !== undefined && key.ring.length >= 2))
        .map(([name, { status }]) => `${cluster} key ${name} is ${status}, but its ring is not`),
    ),
    ...namespaces.flatMap(([, { oidc }]) =>
      [...oidc.clients]
        .filter(([, { key }]) => oidc.keys.get(key)?.status !== "armed")
        .map(([name, { key }]) => `${cluster} client ${name} uses ${key}, which is not armed`),
    ),
  ];
}

function librariesOf(cluster: Cluster): [string, Library][] {
  return namespacesOf(cluster).flatMap(([path, { mounts }]) =>
    [...mounts].flatMap(([place, mount]): [string, Library][] =>
      mount.type === "ldap" ? [[path + place, mount.library]] : [],
    ),
  );
}

function libraryFaults(place: string, { sets, accounts, shelves }: Library): string[] {
  const listed: [string, { set: string; place: number }][] = [...sets].flatMap(([set, { names }]) =>
    names.map((name, at): [string, { set: string; place: number }] => [name, { set, place: at }]),
  );
  const places = [...accounts].map(([name, account]): [string, { set: string; place: number }] => [
    name,
    { set: account.set, place: account.place },
  ]);
  const shelf = new Map<string, number>();
  const lent = new Map<string, number>();
  for (const [, account] of accounts) {
    const entry = `${Math.floor(account.place / 32)}`.padStart(6, "0");
    const bit = 1 << (account.place % 32);
    const [index, prefix] = account.status === "available" ? [shelf, ALL] : [lent, borrowerPrefix(account.borrower)];
    const key = `${account.set} ${prefix}${entry}`;
    index.set(key, (index.get(key) ?? 0) | bit);
  }
  const onShelves = (part: keyof Shelf): [string, number][] =>
    [...shelves].flatMap(([set, shelf]) =>
      [...shelf[part]].map(([key, bits]): [string, number] => [`${set} ${key}`, bits]),
    );
  return [
    ...differences(`${place} accounts`, Table.from(places), listed),
    ...differences(
      `${place} shelves`,
      Table.from([...shelves].map(([set]) => [set, true])),
      [...sets].map(([set]) => [set, true]),
    ),
    ...differences(`${place} available`, Table.from(onShelves("available")), [...shelf]),
    ...differences(`${place} loans`, Table.from(onShelves("loans")), [...lent]),
  ];
}

function tokenFaults(cluster: string, local: Local): string[] {
  const tokens = [...local.tokens] as [TokenId, Token][];
  const indexed = (keyOf: (id: TokenId, token: Token) => string | undefined): [string, TokenId][] =>
    tokens.flatMap(([id, token]) => {
      const key = keyOf(id, token);
      return key === undefined ? [] : [[key, id]];
    });
  const byParent = indexed((id, { parent }) => (parent === undefined ? undefined : tokenKey(parent) + id));
  const byAccessor = indexed((_, { accessor, namespace = "" }) =>
    accessor === "" ? undefined : `${namespace} ${accessor}`,
  );
  const byNamespace = indexed((id, { namespace }) => (namespace === undefined ? undefined : `${namespace} ${id}`));
  const owners = new Set(tokens.map(([id]) => tokenKey(id)));
  return [
    ...differences(`${cluster} tokensByParent`, local.tokensByParent, byParent),
    ...differences(`${cluster} tokensByAccessor`, local.tokensByAccessor, byAccessor),
    ...differences(`${cluster} tokensByNamespace`, local.tokensByNamespace, byNamespace),
    ...[...local.wrapped.keys()].filter((id) => !local.tokens.has(id)).map((id) => `${cluster} wraps for ${id}`),
    ...[...local.cubbyholes.keys()]
      .filter((key) => !owners.has(key.slice(0, key.indexOf("/") + 1)))
      .map((key) => `${cluster} keeps ${key} for nobody`),
  ];
}

function leasesByToken({ leases }: Local): [string, LeaseId][] {
  return [...leases].flatMap(([id, { token, issuedAt }]): [string, LeaseId][] =>
    token === null ? [] : [[`${token}/${`${issuedAt}`.padStart(10, "0")}.${id.split("/").at(-1)}`, id as LeaseId]],
  );
}

function deadlines({ tokens, leases, rollbackPasses, mounts }: Local): [string, unknown][] {
  const armed = (key: string | undefined, command: string, input: object): [string, unknown][] =>
    key === undefined ? [] : [[key, { command, input }]];
  return [
    ...[...tokens].flatMap(([token, { deadline }]) => armed(deadline, "timer.tokenExpiry", { token })),
    ...[...leases].flatMap(([lease, { deadline }]) => armed(deadline, "timer.leaseRevocation", { lease })),
    ...[...rollbackPasses].flatMap(([engine, deadline]) => armed(deadline, "timer.rollback", engineOfKey(engine))),
    ...[...mounts].flatMap(([key, mount]) => armed(rotationOf(mount), "timer.staticRoleRotation", engineOfKey(key))),
  ];
}

/** The deadline of an engine's static roles. */
function rotationOf(mount: Mount): string | undefined {
  return mount.type === "ldap" ? mount.roles?.deadline : undefined;
}

/** The engine that a key of its mount stands for. */
function engineOfKey(key: string): object {
  const [namespace = "", mount] = key.split(" ");
  return namespace === "" ? { mount } : { namespace, mount };
}

/** A lease that lives is tried at its expiry, one that failed later, and one that is given up never. */
function leaseFaults(cluster: string, { leases, tokens }: Local): string[] {
  const dueOf = (deadline: string | undefined): number | undefined =>
    deadline === undefined ? undefined : dueAtMsOf(deadline);
  const faultOf = (lease: Lease): string | undefined => {
    const due = dueOf(lease.deadline);
    if (lease.status === "live") return due === lease.expiresAtMs ? undefined : `expires at ${lease.expiresAtMs}`;
    if (lease.status === "retrying") return due === undefined ? "is never retried" : undefined;
    return due === undefined ? undefined : "is given up";
  };
  return [
    ...[...leases].flatMap(([id, lease]) => {
      const fault = faultOf(lease);
      return fault === undefined ? [] : [`${cluster} lease ${id} ${fault}, but is due at ${dueOf(lease.deadline)}`];
    }),
    ...[...tokens]
      // Access tokens of the OIDC provider end without a timer (decisions-oidc.md, 1 "Expiry").
      .filter(([, { expiresAtMs, deadline, oidc }]) => oidc === undefined && dueOf(deadline) !== expiresAtMs)
      .map(([token, { expiresAtMs }]) => `${cluster} token ${token} expires at ${expiresAtMs}, but is not due then`),
  ];
}

function directoryFaults({ entries, tree, byValue }: Directory): string[] {
  const names = [...entries.keys()] as Parameters<typeof treeKey>[0][];
  const values = names.flatMap((entry) =>
    Object.values(entries.get(entry)?.attributes ?? {}).flatMap(({ name, values: held }) =>
      isIndexed(name)
        ? held
            .filter((value) => typeof value === "string")
            .map((value): [string, string] => [valuePrefix(name, value) + treeKey(entry), entry])
        : [],
    ),
  );
  return [
    ...differences(
      "directory tree",
      tree,
      names.map((entry) => [treeKey(entry), entry]),
    ),
    ...differences("directory byValue", byValue, values),
  ];
}

/** How a table differs from the entries that it should have, in whatever order they come. */
function differences(what: string, table: Table<unknown>, entries: readonly (readonly [string, unknown])[]): string[] {
  const [is, should] = [table, Table.from(entries)].map(
    (side) => new Map([...side].map(([key, value]) => [key, JSON.stringify(value)])),
  ) as [Map<string, string>, Map<string, string>];
  const found = (side: Map<string, string>, key: string): string => side.get(key) ?? "nothing";
  return [...new Set([...is.keys(), ...should.keys()])]
    .filter((key) => is.get(key) !== should.get(key))
    .map((key) => `${what}: ${JSON.stringify(key)} is ${found(is, key)}, and should be ${found(should, key)}`);
}

// --- lending --------------------------------------------------------------------------------------------------------

/**
 * Where lending went wrong: an account that is lent without its lease, a lease whose account is not lent to its holder, or an
 * account that two leases stand for. A lease that was dropped by force leaves its account lent.
 */
export function lendingFaults(sim: Simulator): string[] {
  const dropped = leasesDroppedByForce(sim.log.commits());
  return Object.values(sim.state.secrets).flatMap((cluster) => {
    const { leases } = cluster.local;
    const libraries = new Map(librariesOf(cluster));
    const lent = [...libraries].flatMap(([place, { accounts }]) =>
      [...accounts].flatMap(([name, account]) =>
        account.status === "checked_out" ? [{ place, name, lease: account.lease }] : [],
      ),
    );
    const claims = [...leases].flatMap(([id, { engine, grant }]) => {
      const place = (engine.namespace ?? "") + engine.mount;
      if (grant.type !== "checkOut") return [];
      return [{ id, place, name: grant.account, account: libraries.get(place)?.accounts.get(grant.account) }];
    });
    const claimants = new Set(claims.map(({ place, name }) => `${place} ${name}`));
    return [
      ...lent
        .filter(({ lease }) => !leases.has(lease) && !dropped.has(lease))
        .map(({ place, name, lease }) => `${place} ${name} is lent, but its lease ${lease} is gone`),
      ...claims
        .filter(({ id, account }) => account?.status !== "checked_out" || account.lease !== id)
        .map(({ id, place, name }) => `${id} stands for ${place} ${name}, which is not lent under it`),
      ...(claimants.size === claims.length ? [] : ["two leases stand for one account"]),
    ];
  });
}

function leasesDroppedByForce(commits: readonly Commit[]): Set<string> {
  const ended = commits
    .filter(({ command }) => command.name === "secrets.leases.revokeForce")
    .flatMap(({ events }) => events.filter(({ type }) => type === "LeaseEnded"));
  return new Set(ended.map(({ data }) => (data as { readonly lease: string }).lease));
}
