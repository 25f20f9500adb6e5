import { isDeepStrictEqual } from "node:util";
import type { Acknowledged, Commit, LostCommit, Simulator } from "../../src/index.ts";
import type { Cluster } from "../../src/services/secrets/state.ts";
import { type Entry, holds, holdsObject, isLocal, type Ledger, valueAt } from "./lineage-ledger.ts";

// What loss reports should say, from what clients were told and from what storages hold now: it looks at contents and at who follows whom
// now, never at lineage.

/** What a report says of a commit of the ledger. */
interface Row {
  readonly position: number;
  readonly kind: LostCommit["kind"];
  readonly acknowledgedTo: Acknowledged;
  readonly object: { readonly path: string; readonly change: string; readonly fate: string; readonly rival?: number };
}

/** What is right to say of a commit: one thing, but where contents do not tell which. */
interface Expected {
  readonly position: number;
  readonly rows: readonly [Row, ...Row[]];
}

/** What became of an object, and whether both sides wrote it. */
type Became = Pick<Row["object"], "fate" | "rival"> & { readonly diverged: boolean };

type World = { readonly [name: string]: Cluster };

/** A moment to come back to. */
interface Moment {
  readonly position: number;
  readonly world: World;
}

/** Two clusters of which one may lack what the other had. */
interface Pair {
  readonly world: World;
  readonly from: string;
  readonly to: string;
  /** What `from` held: now, or at another time when it is held against itself. */
  readonly source: Cluster;
  readonly target: Cluster;
}

export class Oracle {
  readonly #sim: Simulator;
  readonly #ledger: Ledger;
  readonly #moments: Moment[];
  #commits: readonly Commit[] = [];
  #seen: World;

  constructor(sim: Simulator, ledger: Ledger, seen: World = {}) {
    this.#sim = sim;
    this.#ledger = ledger;
    this.#seen = seen;
    this.#moments = [{ position: sim.position, world: sim.state.secrets }];
  }

  /** Where reports say something else, of the clusters that changed since. */
  faults(withAll: boolean): string[] {
    const world = this.#sim.state.secrets;
    this.#commits = this.#sim.log.commits();
    const names = Object.keys(world);
    const changed = names.filter((name) => world[name] !== this.#seen[name]);
    const faults = names.flatMap((to) => [
      ...names
        .filter((from) => from !== to && (changed.includes(from) || changed.includes(to)))
        .flatMap((from) => this.#faultsBetween(world, from, to, withAll)),
      ...(changed.includes(to) ? this.#faultsOfPast(world, to) : []),
      ...(changed.length > 0 ? this.#faultsOfForecast(world, to) : []),
    ]);
    this.#seen = world;
    this.#moments.push({ position: this.#sim.position, world });
    return faults;
  }

  /** Conservation: what was acknowledged is held by another cluster, or it is reported lost against all of them; never both. */
  vanished(): string[] {
    const world = Object.entries(this.#sim.state.secrets);
    return world.flatMap(([writer]) => {
      const others = world.filter(([name]) => name !== writer);
      const from = this.#sim.secrets.cluster(writer);
      const reports = others.map(([name]) => {
        const report = this.#sim.lossReport(from, this.#sim.secrets.cluster(name), { all: true });
        return new Set<number>(report.map(({ position }) => position));
      });
      return this.#ledger.entries.flatMap((entry) => {
        if (entry.writer !== writer || entry.isTorn) return [];
        const isHeld = others.some(([, cluster]) => holdsObject(cluster, entry));
        const isLost = reports.every((lost) => lost.has(entry.position));
        return isHeld === isLost ? [`${entry.position} of ${writer} is ${isHeld ? "held and lost" : "nowhere"}`] : [];
      });
    });
  }

  #faultsBetween(world: World, from: string, to: string, withAll: boolean): string[] {
    const pair = pairOf(world, from, to);
    const acknowledged = this.#ledger.entries.filter(({ writer }) => writer === from);
    const expected = this.#rows(pair, acknowledged);
    const handles = [this.#sim.secrets.cluster(from), this.#sim.secrets.cluster(to)] as const;
    const title = `lossReport(${from}, ${to})`;
    const report = this.#sim.lossReport(...handles);
    const told = this.#known(report);
    const faults = [
      ...differences(title, byDefault(expected, told), told),
      ...report.flatMap((row) => this.#faultsOfReason(pair, row)),
    ];
    if (!withAll) return faults;
    const all = this.#sim.lossReport(...handles, { all: true });
    return [...faults, ...differences(`${title} with all`, expected, this.#known(all))];
  }

  #faultsOfReason(pair: Pair, { position, because }: LostCommit): string[] {
    const entry = this.#entry(position);
    const doing = because.position === undefined ? undefined : this.#commits[because.position - 1]?.command.name;
    if (entry === undefined || isPlausible(pair, entry, because.reason, doing)) return [];
    return [`lossReport(${pair.from}, ${pair.to}): ${position} because of ${because.reason}, ${doing}`];
  }

  /** What a cluster had at an earlier moment, against what it has. */
  #faultsOfPast(world: World, name: string): string[] {
    const moment = this.#moments[this.#sim.position % this.#moments.length];
    const source = moment?.world[name];
    const target = world[name];
    if (moment === undefined || source === undefined || target === undefined) return [];
    const pair: Pair = { world, from: name, to: name, source, target };
    const had = this.#ledger.entries.filter((entry) => holdsObject(source, entry));
    const cluster = this.#sim.secrets.cluster(name);
    const told = this.#known(this.#sim.lossReport(cluster, cluster, { at: moment.position }));
    const title = `lossReport(${name}, ${name}, { at: ${moment.position} })`;
    return differences(title, byDefault(this.#rows(pair, had), told), told);
  }

  #faultsOfForecast(world: World, to: string): string[] {
    const told = this.#sim.lossForecast(this.#sim.secrets.cluster(to));
    return Object.keys(world).flatMap((cluster) => {
      const pair = pairOf(world, cluster, to);
      if (cluster === to) return [];
      const had = this.#ledger.entries.filter((entry) => areOfOneSet(pair) && holdsObject(pair.source, entry));
      const rows = told
        .filter((row) => row.cluster === cluster)
        .flatMap(({ writer, commits }) =>
          commits.flatMap((position) => {
            const entry = this.#entry(position);
            if (entry !== undefined && entry.writer !== writer) throw new Error(`${position} is not of ${writer}`);
            return entry === undefined ? [] : { position };
          }),
        );
      const expected = byDefault(this.#rows(pair, had), rows);
      const [wanted, got] = [expected, rows].map((each) =>
        each
          .map(({ position }) => position)
          .sort((x, y) => x - y)
          .join(" "),
      );
      return wanted === got ? [] : [`lossForecast(${to}): ${cluster} holds and it lacks ${wanted}, told ${got}`];
    });
  }

  #entry(position: number): Entry | undefined {
    return this.#ledger.entries.find((entry) => entry.position === position && !entry.isTorn);
  }

  #known(told: readonly LostCommit[]): Row[] {
    return told
      .filter(({ position }) => this.#entry(position) !== undefined)
      .map(({ position, kind, acknowledgedTo, objects }) => {
        const [{ path = "", change = "", ...fate } = {}, ...more] = objects;
        if (more.length > 0) throw new Error(`position ${position} has ${objects.length} objects`);
        const { kind: _, ...rest } = fate as { kind: string; fate: string; rival?: number };
        return { position, kind, acknowledgedTo, object: { path, change, ...rest } };
      });
  }

  #rows(pair: Pair, claimed: readonly Entry[]): Expected[] {
    return claimed.flatMap((entry): Expected | readonly never[] => {
      if (entry.isTorn || holdsObject(pair.target, entry)) return [];
      const { position, object, acknowledgedTo } = entry;
      const kept = keepsBack(pair, entry);
      const isShared = sharesLocal(pair, entry);
      const told = ({ diverged, ...fate }: Became, isFiltered = kept === true): Row => {
        const shipped = diverged ? "diverged" : "lost";
        const kind = isFiltered ? "filtered" : isShared ? shipped : "local";
        return { position, kind, acknowledgedTo, object: { ...object, ...fate } };
      };
      const [fate, ...others] = this.#fates(pair, entry);
      const filtered = kept === "perhaps" ? [fate, ...others].map((each) => told(each, true)) : [];
      return { position, rows: [told(fate), ...others.map((each) => told(each)), ...filtered] };
    });
  }

  /** Whether the writer had what is there now, where a buffer overflowed in the middle of that, cannot be told. */
  #fates(pair: Pair, entry: Entry): readonly [Became, ...Became[]] {
    const { realm, object, value } = entry;
    const there = valueAt(pair.target, realm, object.path);
    const rival = this.#ledger.entries.find((each) => each.value === there && each.object.path === object.path);
    const isOther = there !== undefined && rival !== undefined && rival.writer !== entry.writer;
    const isRemoved = this.#isRemoved(pair, entry);
    const became = (diverged: boolean): Became => {
      if (there !== undefined && (diverged || value === undefined || !isRemoved)) {
        return { fate: "other", ...(rival === undefined ? {} : { rival: rival.position }), diverged };
      }
      return { fate: isRemoved ? "removed" : "missing", diverged };
    };
    if (isOther && rival.isTorn) return [became(true), became(false)];
    return [became(isOther && !holds(entry.held, rival))];
  }

  #isRemoved({ from, to, source, target }: Pair, { object, position }: Entry): boolean {
    return this.#ledger.entries.some(
      (later) =>
        // Of itself, what it had was removed by whoever removed it there.
        (later.writer === from || (from === to && holdsObject(source, later))) &&
        later.object.path === object.path &&
        later.value === undefined &&
        later.position >= position &&
        // What removed something that is there removed it from another storage.
        !holdsObject(target, later),
    );
  }
}

function pairOf(world: World, from: string, to: string): Pair {
  return { world, from, to, source: world[from] as Cluster, target: world[to] as Cluster };
}

/** What may have done what reasons say. */
const DOING: { readonly [reason: string]: RegExp } = {
  cut: /^control\.network\.(cut|pointAddress)$|\.(updatePrimary|revokeSecondary|primaryDemote|primaryDisable)$/,
  stopped: /^control\.network\.stop$/,
  sealed: /^control\.seal$/,
  promotion: /\.(promote|secondaryDisable)$/,
  wipe: /\.secondaryEnable$/,
  restore: /^control\.restoreSnapshot$/,
};

function isPlausible({ world, to, target }: Pair, entry: Entry, reason: string, doing: string | undefined): boolean {
  if (doing !== undefined) return DOING[reason]?.test(doing) ?? false;
  if (reason === "apart") return !haveMet(entry.held, target) && !areKin(entry.held, target);
  const line = [...upstreamsOf(world, to)].map((name) => world[name] as Cluster);
  const holder = line.findIndex((each) => holdsObject(each, entry));
  return reason === "in flight" && holder > 0 && line.slice(0, holder + 1).every(runs);
}

const runs = ({ ignored }: Cluster): boolean => ignored.running && ignored.seal.status === "unsealed";

/**
 * Whether a filter keeps it back: what came through one, or what the primary has and does not let through. Nobody can say that of a
 * filter that was between them once, of what did not come to be there for another reason.
 */
function keepsBack({ world, to, target }: Pair, entry: Entry): boolean | "perhaps" {
  if (entry.realm !== "team") return false;
  if (holds(target, entry)) return true;
  const whole = wholeOf(world, to);
  const primary = isPerformanceSecondary(whole) ? world[whole.ignored.links.performance?.upstream ?? ""] : undefined;
  if (primary?.local.performance.mode === "primary") {
    return holds(primary, entry) && (filterExcludes(primary, whole.local.performance) || !holdsObject(primary, entry));
  }
  if (holds(whole, entry)) return !holdsObject(whole, entry);
  const isBehindOne = (cluster: Cluster) => haveMet(entry.held, cluster) && !cluster.replicated.namespaces.has("team/");
  return isBehindOne(whole) || isBehindOne(target) ? "perhaps" : false;
}

function filterExcludes(primary: Cluster, own: Cluster["local"]["performance"]): boolean {
  const role = primary.local.performance;
  if (role.mode !== "primary" || own.mode !== "secondary") return false;
  return role.filters.get(own.secondaryId)?.paths.some((path) => path.startsWith("team/")) ?? false;
}

/** Whether what is local to one is to be had by the other. */
function sharesLocal({ world, from, to, source, target }: Pair, entry: Entry): boolean {
  if (!isLocal(entry)) return true;
  if (from === to) return true;
  const [one, other] = [wholeOf(world, from), wholeOf(world, to)];
  if (one === other) return true;
  if (areKin(entry.held, target) || areKin(source, target) || areKin(one, other)) return true;
  return !isPerformanceSecondary(one) && !isPerformanceSecondary(other) && !haveMet(one, other);
}

const isPerformanceSecondary = ({ local, ignored }: Cluster): boolean =>
  ignored.dr.mode !== "secondary" && local.performance.mode === "secondary";

/** The cluster whose whole storage a disaster-recovery secondary gets. */
function wholeOf(world: World, name: string): Cluster {
  const seen = new Set<string>();
  let at = name;
  for (;;) {
    seen.add(at);
    const { ignored } = world[at] as Cluster;
    const upstream = ignored.dr.mode === "secondary" ? ignored.links.dr?.upstream : undefined;
    if (upstream === undefined || seen.has(upstream)) return world[at] as Cluster;
    at = upstream;
  }
}

function upstreamsOf(world: World, name: string): ReadonlySet<string> {
  const seen = new Set<string>();
  for (let at: string | undefined = name; at !== undefined && !seen.has(at); ) {
    seen.add(at);
    const { ignored, local } = world[at] as Cluster;
    if (ignored.dr.mode === "secondary") at = ignored.links.dr?.upstream;
    else at = local.performance.mode === "secondary" ? ignored.links.performance?.upstream : undefined;
  }
  return seen;
}

function areOfOneSet({ world, from, to, source, target }: Pair): boolean {
  return upstreamsOf(world, to).has(from) || haveMet(source, target) || areKin(source, target);
}

/** The accessor of the mount that every cluster is born with tells whose storage it is. */
function haveMet(left: Cluster, right: Cluster): boolean {
  const [own, theirs] = [left, right].map(({ replicated }) => replicated.mounts.get("kv/")?.accessor);
  return own !== undefined && own === theirs;
}

const known = new WeakMap<object, WeakMap<object, boolean>>();

/** Whether clusters have tokens in common, or a performance secondary came of the same activation token: that is local, too. */
function areKin({ local: left }: Cluster, { local: right }: Cluster): boolean {
  if (left.performance.mode === "secondary" && right.performance.mode === "secondary") {
    const { credential } = left.performance;
    if (credential !== null && credential === right.performance.credential) return true;
  }
  const others = known.get(left.tokens) ?? new WeakMap<object, boolean>();
  known.set(left.tokens, others);
  const found = others.get(right.tokens);
  if (found !== undefined) return found;
  let haveCommon = false;
  for (const [id, { accessor }] of left.tokens.entries()) haveCommon ||= right.tokens.get(id)?.accessor === accessor;
  others.set(right.tokens, haveCommon);
  return haveCommon;
}

function differences(title: string, expected: readonly Expected[], told: readonly Row[]): string[] {
  const isRight = (row: Row, { rows }: Expected): boolean => rows.some((each) => isDeepStrictEqual(row, each));
  const lacking = expected.filter((wanted) => !told.some((row) => isRight(row, wanted)));
  const surplus = told.filter((row) => !expected.some((wanted) => isRight(row, wanted)));
  if (lacking.length + surplus.length === 0) return [];
  return [
    `${title}:`,
    ...lacking.map(({ rows }) => `  expected ${rows.map((row) => JSON.stringify(row)).join(" or ")}`),
    ...surplus.map((row) => `  told     ${JSON.stringify(row)}`),
  ];
}

/** By default nothing is told of what a filter keeps back: of what it may keep back, whatever is told is right. */
function byDefault(expected: readonly Expected[], told: readonly Pick<Row, "position">[]): readonly Expected[] {
  const isTold = ({ kind }: Row): boolean => kind === "lost" || kind === "diverged";
  return expected.filter(
    ({ rows, position }) => rows.some(isTold) && (rows.every(isTold) || told.some((row) => row.position === position)),
  );
}
