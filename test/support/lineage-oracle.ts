import { isDeepStrictEqual } from "node:util";
import type { Acknowledged, LostCommit, Simulator } from "../../src/index.ts";
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
  #seen: World = {};
  readonly reasons = new Map<string, number>();

  constructor(sim: Simulator, ledger: Ledger) {
    this.#sim = sim;
    this.#ledger = ledger;
    this.#moments = [{ position: sim.position, world: sim.state.secrets }];
  }

  /** Where reports say something else, of the clusters that changed since. */
  faults(): string[] {
    const world = this.#sim.state.secrets;
    const names = Object.keys(world);
    const changed = names.filter((name) => world[name] !== this.#seen[name]);
    const faults = names.flatMap((to) => [
      ...names
        .filter((from) => from !== to && (changed.includes(from) || changed.includes(to)))
        .flatMap((from) => this.#faultsBetween(world, from, to)),
      ...(changed.includes(to) ? this.#faultsOfPast(world, to) : []),
      ...(changed.length > 0 ? this.#faultsOfForecast(world, to) : []),
    ]);
    this.#seen = world;
    this.#moments.push({ position: this.#sim.position, world });
    return faults;
  }

  #faultsBetween(world: World, from: string, to: string): string[] {
    const pair = pairOf(world, from, to);
    const acknowledged = this.#ledger.entries.filter(({ writer }) => writer === from);
    const expected = this.#rows(pair, acknowledged);
    const handles = [this.#sim.secrets.cluster(from), this.#sim.secrets.cluster(to)] as const;
    const title = `lossReport(${from}, ${to})`;
    const told = this.#sim.lossReport(...handles);
    const all = this.#sim.lossReport(...handles, { all: true });
    const commits = this.#sim.log.commits();
    for (const { because: { reason, position } } of all) {
      const command = position === undefined ? "" : commits[position - 1]?.command.name;
      const key = `${reason} ${command}`;
      this.reasons.set(key, (this.reasons.get(key) ?? 0) + 1);
    }
    return [
      ...differences(title, expected.filter(isShipped), this.#known(told)),
      ...differences(`${title} with all`, expected, this.#known(all)),
    ];
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
    const told = this.#sim.lossReport(cluster, cluster, { at: moment.position });
    const title = `lossReport(${name}, ${name}, { at: ${moment.position} })`;
    return differences(title, this.#rows(pair, had).filter(isShipped), this.#known(told));
  }

  #faultsOfForecast(world: World, to: string): string[] {
    const expected = Object.keys(world).flatMap((cluster) => {
      const pair = pairOf(world, cluster, to);
      if (cluster === to || !areOfOneSet(pair)) return [];
      return this.#rows(pair, this.#ledger.entries.filter((entry) => holdsObject(pair.source, entry)))
        .filter(isShipped)
        .map(({ position }) => `${position} of ${this.#entry(position)?.writer} in ${cluster}`);
    });
    const told = this.#sim
      .lossForecast(this.#sim.secrets.cluster(to))
      .flatMap(({ cluster, writer, commits }) =>
        commits
          .filter((position) => this.#entry(position) !== undefined)
          .map((position) => `${position} of ${writer} in ${cluster}`),
      );
    const [wanted, got] = [expected.sort().join(", "), told.sort().join(", ")];
    return wanted === got ? [] : [`lossForecast(${to}) says ${got || "nothing"}, and it lacks ${wanted || "nothing"}`];
  }

  #entry(position: number): Entry | undefined {
    return this.#ledger.entries.find((entry) => entry.position === position);
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

  #rows(pair: Pair, claimed: readonly Entry[]): Row[] {
    return claimed.flatMap((entry): Row | readonly never[] => {
      if (holdsObject(pair.target, entry)) return [];
      const { position, object, acknowledgedTo } = entry;
      const { diverged, ...fate } = this.#fate(pair, entry);
      const shipped = diverged ? "diverged" : "lost";
      const kind = keepsBack(pair, entry) ? "filtered" : sharesLocal(pair, entry) ? shipped : "local";
      return { position, kind, acknowledgedTo, object: { ...object, ...fate } };
    });
  }

  #fate({ target }: Pair, entry: Entry) {
    const { realm, object, position, value } = entry;
    const there = valueAt(target, realm, object.path);
    const isRemoved = this.#ledger.entries.some(
      (later) =>
        later.writer === entry.writer &&
        later.object.path === object.path &&
        later.value === undefined &&
        later.position >= position,
    );
    const rival = this.#ledger.entries.find((each) => each.value === there && each.object.path === object.path);
    const diverged = there !== undefined && rival !== undefined && rival.writer !== entry.writer && !holds(entry.held, rival);
    if (there !== undefined && (diverged || value === undefined || !isRemoved)) {
      return { fate: "other", ...(rival === undefined ? {} : { rival: rival.position }), diverged };
    }
    return { fate: isRemoved ? "removed" : "missing", diverged };
  }
}

const isShipped = ({ kind }: Row): boolean => kind === "lost" || kind === "diverged";

function pairOf(world: World, from: string, to: string): Pair {
  return { world, from, to, source: world[from] as Cluster, target: world[to] as Cluster };
}

/** What a filter keeps back from a cluster: what it lets through no more, or has not let through when it came. */
function keepsBack({ world, to, target }: Pair, entry: Entry): boolean {
  if (entry.realm !== "team") return false;
  if (holds(target, entry)) return true;
  const { local, ignored } = wholeOf(world, to);
  const primary = world[ignored.links.performance?.upstream ?? ""]?.local.performance;
  if (local.performance.mode === "secondary" && primary?.mode === "primary") {
    const filter = primary.filters.get(local.performance.secondaryId);
    return filter !== undefined && filter.paths.some((path) => path.startsWith("team/"));
  }
  return target.replicated.mounts.has("kv/") && !target.replicated.namespaces.has("team/");
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

const isPerformanceSecondary = ({ local }: Cluster): boolean => local.performance.mode === "secondary";

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

/** Whether clusters have tokens in common. */
function areKin({ local: { tokens: left } }: Cluster, { local: { tokens: right } }: Cluster): boolean {
  const others = known.get(left) ?? new WeakMap<object, boolean>();
  known.set(left, others);
  const found = others.get(right);
  if (found !== undefined) return found;
  let result = false;
  for (const [id, { accessor }] of left.entries()) {
    if (right.get(id)?.accessor !== accessor) continue;
    result = true;
    break;
  }
  others.set(right, result);
  return result;
}

function differences(title: string, expected: readonly Row[], told: readonly Row[]): string[] {
  const byPosition = (rows: readonly Row[]) => [...rows].sort((left, right) => left.position - right.position);
  const [wanted, got] = [byPosition(expected), byPosition(told)];
  if (isDeepStrictEqual(wanted, got)) return [];
  const lacking = wanted.filter((row) => !got.some((other) => isDeepStrictEqual(row, other)));
  const surplus = got.filter((row) => !wanted.some((other) => isDeepStrictEqual(row, other)));
  return [
    `${title}:`,
    ...lacking.map((row) => `  expected ${JSON.stringify(row)}`),
    ...surplus.map((row) => `  told     ${JSON.stringify(row)}`),
  ];
}
