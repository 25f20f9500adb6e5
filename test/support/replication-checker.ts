import type { Simulator, World } from "../../src/index.ts";
import { epochMs } from "../../src/kernel/brand.ts";
import { dueAtMsOf } from "../../src/kernel/calendar.ts";
import type { Commit } from "../../src/kernel/commit.ts";
import { foldCommit } from "../../src/kernel/fold.ts";
import { Table } from "../../src/kernel/table.ts";
import { isConnected, type Link, walKey } from "../../src/services/secrets/replication/connections.ts";
import { merkleRootOf } from "../../src/services/secrets/replication/merkle/root.ts";
import type { ReplicationKind, ReplicationRole } from "../../src/services/secrets/replication/state.ts";
import type { Cluster } from "../../src/services/secrets/state.ts";
import { worldModel } from "../../src/simulator/services.ts";
import { isCut } from "../../src/surroundings/network/state.ts";
import { hashOfState } from "./world-checks.ts";

// What is true of every history of clusters that replicate (decisions-replication.md), told a second time: by versions and indexes alone,
// and without the code that ships.

type Version = Pick<Cluster, "replicated" | "local">;

/** Something that a commit changed in a cluster's storage, by the names and keys that lead to it; undefined when it is gone. */
interface Touched {
  readonly part: keyof Version;
  readonly path: readonly string[];
  readonly value: unknown;
}

/** What a cluster knows to be revoked: credentials, and the index at which that was written. */
interface Revoked {
  readonly kind: ReplicationKind;
  readonly credential: string;
  readonly index: number;
}

interface Moment {
  readonly before: World;
  readonly commit: Commit;
  readonly after: World;
}

const KINDS: readonly ReplicationKind[] = ["performance", "dr"];

/** What is wrong with how a world came about, from its beginning to now. */
export function historyFaults(sim: Simulator): string[] {
  return sim.position === 0 ? [] : new ReplicationChecker(sim, 0).faultsAtEnd();
}

/**
 * Walks the log of a simulator, commit by commit, with a fold of its own, and tells what it finds wrong.
 *
 * It is made before what it is to check happens, or begins at an earlier position. Every look goes through the commits since the last one;
 * an empty list is a clean bill.
 */
export class ReplicationChecker {
  readonly #sim: Simulator;
  #world: World;
  #position: number;
  /** The storage of each cluster that writes a log of its own, as each of its entries left it. */
  readonly #versions = new Map<string, Map<number, Version>>();
  readonly #touched = new Map<string, Map<number, readonly Touched[]>>();
  readonly #revoked = new Map<string, readonly Revoked[]>();

  /** @param from the position after which it looks; the present one when nothing is said */
  constructor(sim: Simulator, from: number = sim.position) {
    this.#sim = sim;
    this.#world = sim.at(from).state;
    this.#position = from;
    for (const [name, cluster] of Object.entries(this.#world.secrets)) this.#keep(name, undefined, cluster);
  }

  /** What the commits since the last look did wrong. */
  faults(): string[] {
    const news = this.#sim.log.commits().slice(this.#position);
    const found = news.flatMap((commit) => {
      const before = this.#world;
      const after = foldCommit(worldModel, before, commit);
      this.#world = after;
      this.#position = commit.position;
      return this.#faultsOf({ before, commit, after }).map(
        (fault) => `${commit.position} ${commit.command.name}: ${fault}`,
      );
    });
    return [...found, ...overdue(this.#world, this.#sim.clock.now())];
  }

  /**
   * As `faults`; and what the log tells is the state that there is, with the roots that it has. It looks at all of both, and is for the
   * end of a story.
   */
  faultsAtEnd(): string[] {
    const found = this.faults();
    const [told, shown] = [this.#world, this.#sim.state];
    const now = epochMs(this.#sim.clock.now());
    if (hashOfState(told) !== hashOfState(shown)) found.push("the log leads to another state");
    for (const [name, cluster] of Object.entries(shown.secrets)) {
      const own = told.secrets[name];
      const isRight = (kind: ReplicationKind): boolean =>
        own !== undefined && merkleRootOf(own, kind, now) === merkleRootOf(cluster, kind, now);
      if (!KINDS.every(isRight)) found.push(`${name} shows another root than that of what it holds`);
    }
    return found;
  }

  #faultsOf(moment: Moment): string[] {
    const { before, after } = moment;
    const names = Object.keys(after.secrets).filter((name) => before.secrets[name] !== after.secrets[name]);
    for (const name of names) this.#keep(name, before.secrets[name], after.secrets[name] as Cluster);
    this.#noteRevocations(moment);
    return [
      ...timerFaults(moment),
      ...names.flatMap((name) => [
        ...logFaults(moment, name),
        ...wipeFaults(moment, name),
        ...foreignFaults(moment, name),
        ...operationTokenFaults(moment, name),
        ...KINDS.flatMap((kind) => this.#linkFaults(moment, name, kind)),
      ]),
    ];
  }

  /** Writes down what a cluster holds under its index, and what has led there. */
  #keep(name: string, was: Cluster | undefined, is: Cluster): void {
    // What a disaster-recovery secondary holds is its primary's.
    if (is.ignored.dr.mode === "secondary") return;
    const { replicated, local, ignored } = is;
    of(this.#versions, name).set(ignored.walIndex, { replicated, local });
    if (was === undefined || was.ignored.walIndex === ignored.walIndex) return;
    const touched = (["replicated", "local"] as const).flatMap((part) =>
      [...changes(was[part], is[part], [])].map(([path, value]) => ({ part, path, value })),
    );
    of(this.#touched, name).set(ignored.walIndex, touched);
  }

  #noteRevocations({ before, commit, after }: Moment): void {
    for (const { type, data } of commit.events) {
      const { cluster, kind, id } = data as { cluster: string; kind: ReplicationKind; id: string };
      if (type === "ReplicationPrimaryEnabled" || type === "SnapshotRestored") this.#revoked.delete(cluster);
      if (type !== "SecondaryRevoked") continue;
      const role = storedRole(before.secrets[cluster] as Cluster, kind);
      const credential = role.mode === "primary" ? role.secondaries.get(id)?.credential : undefined;
      const index = after.secrets[cluster]?.ignored.walIndex ?? 0;
      if (credential === undefined) continue;
      this.#revoked.set(cluster, [...(this.#revoked.get(cluster) ?? []), { kind, credential, index }]);
    }
    for (const [name, { ignored }] of Object.entries(after.secrets)) {
      // It knows of its primary's performance secondaries what it has been told so far.
      if (ignored.dr.mode !== "secondary" || !isConnected(ignored.links.dr)) continue;
      const { upstream, applied } = ignored.links.dr;
      const told = this.#revoked.get(upstream) ?? [];
      this.#revoked.set(
        name,
        told.filter(({ kind, index }) => kind === "performance" && index <= applied),
      );
    }
  }

  #linkFaults(moment: Moment, name: string, kind: ReplicationKind): string[] {
    const [was, is] = [moment.before.secrets[name], moment.after.secrets[name] as Cluster];
    const link = is.ignored.links[kind];
    const known = was?.ignored.links[kind];
    const upstream = link === undefined ? undefined : moment.after.secrets[link.upstream];
    if (link === undefined || upstream === undefined) return [];
    if (!isConnected(link)) {
      return known !== undefined && link.applied !== known.applied
        ? [`${name} applied ${link.applied} of ${link.upstream} while it is ${link.status}`]
        : [];
    }
    if (!runs(is) || !runs(upstream) || isCut(moment.after, { cluster: name }, { cluster: link.upstream })) {
      return [`${name} is connected to ${link.upstream} as ${kind}, and there is no way between them`];
    }
    const [own, theirs] = [servedRole(is, kind), servedRole(upstream, kind)];
    if (own.mode !== "secondary" || theirs.mode !== "primary" || own.clusterId !== theirs.clusterId) {
      return [`${name} is connected to ${link.upstream} as ${kind}, and the two are of no set`];
    }
    const dead = (this.#revoked.get(link.upstream) ?? []).some(
      (revoked) => revoked.kind === kind && revoked.credential === own.credential,
    );
    if (dead) return [`${name} is connected to ${link.upstream} as ${kind}, which revoked it`];
    if (link.sync !== undefined) return [];
    const where = `${name} at ${link.applied} of ${link.upstream} as ${kind}`;
    const found: string[] = [];
    if (link.applied > upstream.ignored.walIndex)
      found.push(`${where}: its primary is at ${upstream.ignored.walIndex}`);
    if (link.applied < upstream.ignored.walIndex && !isArmed(is, link)) found.push(`${where}: nothing is on its way`);
    const streams = known?.status === "stream-wals" && known.upstream === link.upstream;
    if (streams && link.applied < known.applied) found.push(`${where}: it had ${known.applied}`);
    const version = this.#version(moment.after, link.upstream, link.applied);
    const filter = filterOf(version, own.secondaryId, kind);
    found.push(...prefixFaults(is, version, kind, filter).map((fault) => `${where}: ${fault}`));
    if (kind === "dr" && is.ignored.walIndex !== link.applied) {
      found.push(`${where}: its own log is at ${is.ignored.walIndex}`);
    }
    // A filter may also have come and gone with entries that arrive at once.
    const isFiltered =
      filter !== undefined ||
      known?.filtered !== undefined ||
      this.#hasFilter(moment.after, link, { from: known?.applied ?? link.applied, id: own.secondaryId, kind });
    const isCompared = moment.commit.events.some(({ type }) => COMPARING.has(type));
    if (streams && kind === "performance" && was !== undefined && !isFiltered && !isCompared) {
      const entries = this.#sharedEntries(moment.after, link.upstream, known.applied, link.applied);
      const own = was.local === is.local ? 0 : 1;
      const grown = is.ignored.walIndex - was.ignored.walIndex;
      const isKept = link.applied - known.applied <= upstream.ignored.replication.walBuffer;
      if (isKept && entries !== undefined && grown !== entries + own) {
        found.push(`${where}: its log grew by ${grown} for ${entries} entries and ${own} of its own`);
      }
    }
    if (streams) {
      for (const { part, path, value } of this.#acknowledged(link.upstream, known.applied, link.applied)) {
        if (kind === "performance" && (part === "local" || !isShipped(path, filter))) continue;
        if (!isSame(lookedUp(is[part], path), value))
          found.push(`${where}: ${part} ${path.join(" ")} is not as acknowledged`);
      }
    }
    if (link.applied === upstream.ignored.walIndex && filter === undefined && !isCorrupt(is) && !isCorrupt(upstream)) {
      const atMs = epochMs(moment.commit.atMs);
      if (merkleRootOf(is, kind, atMs) !== merkleRootOf(upstream, kind, atMs)) found.push(`${where}: the roots differ`);
    }
    return found;
  }

  /** What a cluster held at an index; what nobody saw of it is in its log. */
  #version({ secrets }: World, name: string, index: number): Version | undefined {
    return this.#versions.get(name)?.get(index) ?? secrets[name]?.ignored.wal?.entries.get(walKey(index));
  }

  /** Whether an entry that has arrived, of those from a place on, had a filter for the secondary. */
  #hasFilter(
    world: World,
    { upstream, applied }: Link,
    { from, id, kind }: { readonly from: number; readonly id: string; readonly kind: ReplicationKind },
  ): boolean {
    for (let index = from; index <= applied; index++) {
      if (filterOf(this.#version(world, upstream, index), id, kind) !== undefined) return true;
    }
    return false;
  }

  /** How many of a primary's entries have something for its performance secondaries; undefined when not all of them are known. */
  #sharedEntries(world: World, name: string, after: number, through: number): number | undefined {
    let count = 0;
    for (let index = after + 1; index <= through; index++) {
      const [before, entry] = [this.#version(world, name, index - 1), this.#version(world, name, index)];
      if (before === undefined || entry === undefined) return undefined;
      if (before.replicated !== entry.replicated) count += 1;
    }
    return count;
  }

  /** All that was acknowledged after one index and up to another, as it was in the end. */
  #acknowledged(name: string, after: number, through: number): Iterable<Touched> {
    const last = new Map<string, Touched>();
    for (let index = after + 1; index <= through; index++) {
      for (const touched of this.#touched.get(name)?.get(index) ?? []) {
        const place = `${[touched.part, ...touched.path].join("\n")}\n`;
        // What was made whole and then changed inside is not as it was made.
        for (const known of last.keys()) if (known.startsWith(place) || place.startsWith(known)) last.delete(known);
        last.set(place, touched);
      }
    }
    return last.values();
  }
}

/** After these the trees are compared, and what comes of that counts as one entry. */
const COMPARING: ReadonlySet<string> = new Set(["PrimaryUpdated", "SnapshotRestored"]);

function of<T>(known: Map<string, Map<number, T>>, name: string): Map<number, T> {
  const found = known.get(name) ?? new Map<number, T>();
  known.set(name, found);
  return found;
}

// --- roles ----------------------------------------------------------------------------------------------------------

function storedRole({ ignored, local }: Cluster, kind: ReplicationKind): ReplicationRole {
  return kind === "dr" ? ignored.dr : local.performance;
}

/** The performance role of a disaster-recovery secondary is its primary's: it does nothing by it. */
function servedRole(cluster: Cluster, kind: ReplicationKind): ReplicationRole {
  return kind === "performance" && isDr(cluster) ? { mode: "disabled" } : storedRole(cluster, kind);
}

const isDr = ({ ignored }: Cluster): boolean => ignored.dr.mode === "secondary";
const isPerformance = (cluster: Cluster): boolean => servedRole(cluster, "performance").mode === "secondary";
const isCorrupt = ({ ignored }: Cluster): boolean => ignored.merkle !== undefined;
const runs = ({ ignored }: Cluster): boolean => ignored.running && ignored.seal.status === "unsealed";
const isArmed = ({ ignored }: Cluster, { deadline }: Link): boolean =>
  deadline !== undefined && ignored.calendar.has(deadline);

// --- versions -------------------------------------------------------------------------------------------------------

type FilterGiven = { readonly mode: "allow" | "deny"; readonly paths: readonly string[] };

function filterOf(version: Version | undefined, id: string, kind: ReplicationKind): FilterGiven | undefined {
  const role = version?.local.performance;
  return kind === "performance" && role?.mode === "primary" ? role.filters.get(id) : undefined;
}

/** A connected secondary holds the version of its primary that it says it does: all of it, or what is shared and not filtered. */
function prefixFaults(
  { replicated, local }: Cluster,
  version: Version | undefined,
  kind: ReplicationKind,
  filter: FilterGiven | undefined,
): string[] {
  if (version === undefined) return ["its primary never had that"];
  if (kind === "dr") {
    return [
      ...(isSame(replicated, version.replicated) ? [] : ["it does not hold what is replicated of that"]),
      ...(isSame(local, version.local) ? [] : ["it does not hold what is local of that"]),
    ];
  }
  const missing = [...changes(replicated, version.replicated, [])].find(([path]) => isShipped(path, filter));
  if (missing !== undefined) return [`it does not hold ${missing[0].join(" ")} of that`];
  const shown = filter === undefined ? undefined : [...placesOf(replicated)].find((path) => !isShipped(path, filter));
  return shown === undefined ? [] : [`it holds ${shown.join(" ")}, which is filtered`];
}

/** The mounts and namespaces of a version, as paths into it. */
function* placesOf({ mounts, namespaces }: Version["replicated"]): Generator<readonly string[]> {
  for (const mount of mounts.keys()) yield ["mounts", mount];
  for (const [path, namespace] of namespaces) {
    yield ["namespaces", path];
    for (const mount of namespace.mounts.keys()) yield ["namespaces", path, "mounts", mount];
  }
}

/** Whether what a path leads to leaves for whoever has such a filter (decisions-replication.md, 7). */
function isShipped(path: readonly string[], filter: FilterGiven | undefined): boolean {
  if (filter === undefined) return true;
  const isListed = (place: string): boolean => filter.paths.some((entry) => place.startsWith(entry));
  const leadsOn = (place: string): boolean => filter.paths.some((entry) => entry.startsWith(place));
  const lets = (place: string): boolean => (filter.mode === "allow" ? isListed(place) : !isListed(place));
  const [table, key = "", inner, mount] = path;
  if (table === "mounts") return lets(key);
  if (table !== "namespaces") return true;
  if (inner === "mounts" && mount !== undefined) return lets(key + mount);
  return lets(key) || (filter.mode === "allow" && leadsOn(key));
}

const isSame = (left: unknown, right: unknown): boolean => left === right || contentOf(left) === contentOf(right);
const contentOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? hashOfState(value) : JSON.stringify(value);

/** Where two values differ, by the names and keys that lead there; deadlines follow from the data. */
function* changes(
  before: unknown,
  after: unknown,
  path: readonly string[],
): Generator<readonly [path: readonly string[], value: unknown]> {
  if (before === after || path.at(-1) === "calendar") return;
  if (before instanceof Table && after instanceof Table) {
    for (const [key, was, is] of Table.changes<unknown>(before, after)) yield* changes(was, is, [...path, key]);
  } else if (isHolder(before) && isHolder(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* changes(before[name], after[name], [...path, name]);
    }
  } else if (!isSame(before, after)) yield [path, after];
}

/** An object that has tables in it: a part, a namespace, a mount, a library. */
function isHolder(value: unknown): value is { readonly [name: string]: unknown } {
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Table) return false;
  return Object.values(value).some((member) => member instanceof Table || isHolder(member));
}

function lookedUp(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (value instanceof Table) return lookedUp(value.get(name), rest);
  return lookedUp((value as { readonly [name: string]: unknown } | undefined)?.[name], rest);
}

// --- what a commit may do -------------------------------------------------------------------------------------------

/** What nobody receives, by the contract's list; a table that is not in it ships. */
const IGNORED_TABLES: ReadonlySet<string> = new Set([
  "calendar",
  "drOperationTokens",
  "migrations",
  "pluginFiles",
  "snapshotSchedules",
]);

/** A change of storage is an entry of the log, and there is no other entry. */
function logFaults({ before, after, commit }: Moment, name: string): string[] {
  const [was, is] = [before.secrets[name], after.secrets[name] as Cluster];
  const hidden = Object.entries(is.ignored).filter(
    ([table, member]) => member instanceof Table && !IGNORED_TABLES.has(table),
  );
  const found = hidden.map(([table]) => `${name} keeps ${table} where nobody receives it`);
  if (was === undefined || isDr(is) || isDr(was)) return found;
  const grown = is.ignored.walIndex - was.ignored.walIndex;
  const changed = was.replicated !== is.replicated || was.local !== is.local;
  const isRight =
    isPerformance(is) || isPerformance(was)
      ? growsAsSecondary(changed, grown, appliedSince(was, is))
      : grown === (changed ? 1 : 0);
  if (!isRight) found.push(`${name} ${changed ? "changed" : "did not change"}, and its log grew by ${grown}`);
  if (commit.failed === undefined && grown < 0) found.push(`${name} went back in its log`);
  return found;
}

/**
 * What a performance secondary applies is an entry of its own each time, also several at one instant; and two of them may undo each
 * other, as when a filter came and went while the link was cut.
 */
function growsAsSecondary(changed: boolean, grown: number, applied: number): boolean {
  return changed ? grown >= 1 : grown === 0 || (grown >= 2 && grown <= applied);
}

function appliedSince(was: Cluster, is: Cluster): number {
  return (is.ignored.links.performance?.applied ?? 0) - (was.ignored.links.performance?.applied ?? 0);
}

/** Whether a commit has facts about a cluster, of some types or of any. */
const ofCluster = ({ events }: Commit, name: string, ...types: readonly string[]): boolean =>
  events.some(
    ({ type, data }) =>
      (types.length === 0 || types.includes(type)) &&
      JSON.stringify(data).includes(`"cluster":${JSON.stringify(name)}`),
  );

/** Enabling wipes, and nothing else does; what is local changes by what happens there, or to its primary. */
function wipeFaults({ before, commit, after }: Moment, name: string): string[] {
  const [was, is] = [before.secrets[name], after.secrets[name] as Cluster];
  if (was === undefined) return [];
  const enabled = ofCluster(commit, name, "ReplicationSecondaryEnabled");
  const connected = is.ignored.links.dr?.status === "stream-wals";
  if (enabled) {
    const upstream = after.secrets[(is.ignored.links.dr ?? is.ignored.links.performance)?.upstream ?? ""];
    const isTheirs = (token: string): boolean => isDr(is) && connected && upstream?.local.tokens.has(token) === true;
    const survivors = [...is.local.tokens.keys()].filter((token) => was.local.tokens.has(token) && !isTheirs(token));
    return survivors.length === 0 ? [] : [`${name} was enabled, and still has ${survivors.length} tokens`];
  }
  if (isDr(is)) {
    const isOther = was.replicated !== is.replicated || was.local !== is.local;
    return isOther && !connected
      ? [`${name} is nobody's connected secondary, and holds something else than before`]
      : [];
  }
  if (was.local === is.local) return [];
  const timer = commit.command.via === "timer" && commit.command.caller?.["cluster"] === name;
  if (!timer && !ofCluster(commit, name)) return [`what is local of ${name} changed by what happened elsewhere`];
  if (!ofCluster(commit, name, ...ROLE_CHANGES)) return [];
  const lost = (["tokens", "leases", "mounts", "snapshots", "cubbyholes"] as const).filter(
    (table) => was.local[table].size > 0 && is.local[table].size === 0,
  );
  return lost.length === 0 ? [] : [`${name} lost its ${lost.join(" and ")} without being enabled`];
}

/** Whoever is connected to nobody holds what happened there, and nothing that came from elsewhere. */
function foreignFaults({ before, commit, after }: Moment, name: string): string[] {
  const [was, is] = [before.secrets[name], after.secrets[name] as Cluster];
  if (was === undefined || was.replicated === is.replicated) return [];
  if ([was, is].some(({ ignored }) => KINDS.some((kind) => isConnected(ignored.links[kind])))) return [];
  const isOwn = commit.command.caller?.["cluster"] === name || ofCluster(commit, name);
  return isOwn ? [] : [`${name} is connected to nobody, and what it holds changed by what happened elsewhere`];
}

/** What makes up for all tokens of a disaster-recovery secondary ends with that role, however it ends. */
function operationTokenFaults({ before, after }: Moment, name: string): string[] {
  const [was, is] = [before.secrets[name], after.secrets[name] as Cluster];
  const { drOperationTokens, generation } = is.ignored;
  // An attempt that is there makes what the role has use for: it ends with the role, too.
  const hasBegun = was !== undefined && isDr(was) !== isDr(is) && generation !== undefined;
  const isLeft = hasBegun || (!isDr(is) && drOperationTokens.size > 0);
  return isLeft ? [`${name} has another role, and a DR operation token or an attempt of before`] : [];
}

const ROLE_CHANGES = [
  "PrimaryUpdated",
  "SecondaryPromoted",
  "ReplicationPrimaryEnabled",
  "ReplicationPrimaryDemoted",
  "ReplicationDisabled",
] as const;

/** What never happens by itself on a disaster-recovery secondary, and what not on a performance secondary (decisions-replication.md, 1, 3). */
const OF_ACTIVE = new Set([
  "timer.leaseRevocation",
  "timer.tokenExpiry",
  "timer.rollback",
  "timer.snapshotAttempt",
  "timer.snapshotEnd",
  "timer.staticRoleRotation",
  "timer.keyRotation",
]);
const OF_SHARED = new Set(["timer.staticRoleRotation", "timer.keyRotation"]);

function timerFaults({ before, commit }: Moment): string[] {
  const { name, via, caller, input } = commit.command;
  const owner = (caller?.["cluster"] as string | undefined) ?? "";
  const cluster = before.secrets[owner];
  if (via !== "timer" || cluster === undefined) return [];
  const where = `it fired on ${owner}`;
  if (!runs(cluster)) return [`${where}, which does not run`];
  if (isDr(cluster) && OF_ACTIVE.has(name)) return [`${where}, a disaster-recovery secondary`];
  const { namespace = "", mount } = input as { readonly namespace?: string; readonly mount?: string };
  const isLocal = mount !== undefined && cluster.local.mounts.has(`${namespace} ${mount}`);
  return isPerformance(cluster) && OF_SHARED.has(name) && !isLocal ? [`${where}, a performance secondary`] : [];
}

/** What is due has happened, wherever it may: so a promotion ends what was overdue in the same instant. */
function overdue({ secrets }: World, nowMs: number): string[] {
  return Object.entries(secrets).flatMap(([name, cluster]) => {
    if (!runs(cluster)) return [];
    const awake = isDr(cluster)
      ? (["ignored"] as const)
      : isPerformance(cluster)
        ? (["local", "ignored"] as const)
        : (["replicated", "local", "ignored"] as const);
    return awake.flatMap((part) => {
      const [first] = cluster[part].calendar.first() ?? [];
      return first !== undefined && dueAtMsOf(first) <= nowMs ? [`${name} has something overdue in ${part}`] : [];
    });
  });
}
