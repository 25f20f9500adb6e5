import { type Fetch, simulatedFetch } from "../http/fetch.ts";
import type { FetchHosts } from "../http/hosts.ts";
import { bisect, blame } from "../kernel/blame.ts";
import { type EpochMs, epochMs, type LogPosition } from "../kernel/brand.ts";
import { VirtualClock } from "../kernel/clock.ts";
import type { Commit } from "../kernel/commit.ts";
import { type Difference, differences } from "../kernel/diff.ts";
import type { HandlePlace } from "../kernel/handle.ts";
import { hashOf, hexOf } from "../kernel/hash.ts";
import { type Host, LiveHost, PastHost } from "../kernel/host.ts";
import { Journal, type JournalEntry } from "../kernel/journal.ts";
import { Rejection } from "../kernel/rejection.ts";
import type { Moment } from "../kernel/timeline.ts";
import { isInstantText } from "../languages/instant.ts";
import { shown } from "../languages/shown.ts";
import type { OperationInfo } from "../services/operation.ts";
import { type RunsHandle, runsHandle } from "../services/runs/handle.ts";
import { runsOperationInfos } from "../services/runs/registry.ts";
import { runServiceOf } from "../services/runs/state.ts";
import { type RegionHandle, type SchedulerHandle, schedulerHandle } from "../services/scheduler/handle.ts";
import { schedulerOperationInfos } from "../services/scheduler/registry.ts";
import { nextArrivalMs } from "../services/scheduler/replication/flight.ts";
import { regionNamed, schedulerOf } from "../services/scheduler/state.ts";
import { nodeUrls } from "../services/secrets/cluster/nodes.ts";
import { type ClusterHandle, clusterOfHandle } from "../services/secrets/cluster-handle.ts";
import { type ClusterSite, secretsHandle } from "../services/secrets/clusters-handle.ts";
import { clusterNetworkHandle } from "../services/secrets/network/handle.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import { secretsOperationInfos } from "../services/secrets/registry.ts";
import { nextDeliveryMs } from "../services/secrets/replication/flight.ts";
import { type DirectoryHandle, directoryHandle } from "../surroundings/directory/handle.ts";
import { networkHandle } from "../surroundings/network/handle.ts";
import { type OrchestratorHandle, orchestratorHandle } from "../surroundings/orchestrator/handle.ts";
import { type StoresHandle, storesHandle } from "../surroundings/stores/handle.ts";
import { type Clock, simulatorClock } from "./clock.ts";
import { checkEachDeadline } from "./each-deadline.ts";
import { type Explanation, explained } from "./explain.ts";
import { faultsHandle, injectedFaults } from "./faults.ts";
import { simulatorLog } from "./log.ts";
import { type LostCommit, lossReport } from "./loss-report.ts";
import type { Settings } from "./options.ts";
import { momentOf, type Place, placeInText } from "./place.ts";
import { type Edit, type Rewriting, rewriteTimeline } from "./rewrite.ts";
import type {
  DeadlineCheck,
  Faults,
  InjectedFaults,
  Log,
  Moments,
  Network,
  Secrets,
  Simulator,
  View,
} from "./types.ts";
import type { World, WorldEvents, WorldTimeline } from "./world.ts";

/** Doors that are made when they are first used: forks are many, and most use few of them. */
abstract class Doors implements Moments {
  #fetch: Fetch | undefined;
  #runs: RunsHandle | undefined;
  #secrets: Secrets | undefined;
  #directory: DirectoryHandle | undefined;
  #orchestrator: OrchestratorHandle | undefined;
  #scheduler: SchedulerHandle | undefined;
  #network: Network | undefined;
  #stores: StoresHandle | undefined;
  readonly #host: Host<World>;

  constructor(host: Host<World>) {
    this.#host = host;
  }

  /** The world as it was at a place, for a request that asks for it. */
  protected abstract hostAt(place: Place): Host<World>;

  /** Where a region answers that is added now. */
  protected abstract freeUrlOf(region: string): string;

  /** Where clusters answer that are added now, and what they begin with. */
  protected abstract clusterSite(): ClusterSite;

  get fetch(): Fetch {
    this.#fetch ??= simulatedFetch({ present: () => this.#host, past: (place) => this.hostAt(placeInText(place)) });
    return this.#fetch;
  }

  get runs(): RunsHandle {
    this.#runs ??= runsHandle(this.#host, "control");
    return this.#runs;
  }

  get secrets(): Secrets {
    this.#secrets ??= secretsHandle(this.#host, "control", () => this.clusterSite());
    return this.#secrets;
  }

  get scheduler(): SchedulerHandle {
    this.#scheduler ??= schedulerHandle(this.#host, "control", { urlOf: (region) => this.freeUrlOf(region) });
    return this.#scheduler;
  }

  get network(): Network {
    const has = (world: World, { region, cluster }: HandlePlace): boolean =>
      region === undefined
        ? cluster !== undefined && Object.hasOwn(world.secrets, cluster)
        : regionNamed(schedulerOf(world), region) !== undefined;
    this.#network ??= Object.freeze({
      ...networkHandle<World, RegionHandle | ClusterHandle>(this.#host, "control", has),
      ...clusterNetworkHandle(this.#host, "control"),
    });
    return this.#network;
  }

  get directory(): DirectoryHandle {
    this.#directory ??= directoryHandle(this.#host, "control");
    return this.#directory;
  }

  get stores(): StoresHandle {
    this.#stores ??= storesHandle(this.#host, "control", ({ secrets }, cluster) => Object.hasOwn(secrets, cluster));
    return this.#stores;
  }

  get orchestrator(): OrchestratorHandle {
    this.#orchestrator ??= orchestratorHandle(this.#host, "control");
    return this.#orchestrator;
  }

  get state(): World {
    return this.#host.state;
  }

  get position(): LogPosition {
    return this.#host.position;
  }

  stateHash(): string {
    return hexOf(hashOf(this.#host.state));
  }
}

/** What lies behind the public door. */
export interface Inside {
  readonly timeline: WorldTimeline;
  readonly settings: Settings;
  readonly hosts: FetchHosts;
}

/** A simulator over a timeline. */
export class LiveSimulator extends Doors implements Simulator {
  readonly #timeline: WorldTimeline;
  readonly #settings: Settings;
  readonly #journal: Journal;
  readonly #virtualClock: VirtualClock<World, WorldEvents>;
  readonly #host: LiveHost<World, WorldEvents>;
  #clock: Clock | undefined;
  #log: Log | undefined;
  #faults: Faults | undefined;

  private constructor(timeline: WorldTimeline, settings: Settings, host: LiveHost<World, WorldEvents>) {
    super(host);
    this.#timeline = timeline;
    this.#settings = settings;
    this.#journal = host.journal;
    this.#virtualClock = host.clock;
    this.#host = host;
    Object.freeze(this);
  }

  static over(timeline: WorldTimeline, settings: Settings): LiveSimulator {
    const clock = new VirtualClock(timeline, settings.firingsPerAdvance);
    return new LiveSimulator(timeline, settings, new LiveHost(timeline, clock, new Journal(settings.journalSize)));
  }

  /**
   * What the edge needs of a simulator besides its public door.
   *
   * @throws TypeError for what is no simulator of ours, and for one that was disposed of
   */
  static insideOf(sim: Simulator): Inside {
    if (typeof sim !== "object" || sim === null || !(#timeline in sim)) {
      throw new TypeError("that is no simulator: createSimulator, replay and fork make one");
    }
    sim.#host.refuseDisposed();
    const hosts = { present: () => sim.#host, past: (place: string) => sim.hostAt(placeInText(place)) };
    return { timeline: sim.#timeline, settings: sim.#settings, hosts };
  }

  protected freeUrlOf(region: string): string {
    const url = this.#settings.regionUrlOf(region);
    if (this.#takenUrls().includes(url)) {
      throw new TypeError(`addRegion: ${url}, where ${region} would answer, is taken`);
    }
    return url;
  }

  protected clusterSite(): ClusterSite {
    const { clusterUrlOf, quirks, keyShares, keyThreshold, nodes, license, version, pluginDirectory, replication } =
      this.#settings;
    return {
      defaults: { quirks, keyShares, keyThreshold, nodes, license, version, pluginDirectory, replication },
      urlOf: (name, count) => {
        const url = clusterUrlOf(name);
        const taken = this.#takenUrls();
        const own = [url, ...nodeUrls(url, count)].find((address) => taken.includes(address));
        if (own !== undefined) throw new TypeError(`addCluster: ${own}, where ${name} would answer, is taken`);
        return url;
      },
    };
  }

  #takenUrls(): readonly string[] {
    return [
      runServiceOf(this.state).url,
      ...Object.values(this.state.secrets).flatMap(({ ignored: { url, nodes } }) => [
        url,
        ...nodeUrls(url, nodes.count),
      ]),
      ...Object.values(schedulerOf(this.state).sites),
    ];
  }

  protected hostAt(place: Place): Host<World> {
    return new PastHost(this.#timeline, this.#momentAt(place));
  }

  get clock(): Clock {
    this.#clock ??= simulatorClock(this.#timeline, this.#virtualClock, this.#host);
    return this.#clock;
  }

  get log(): Log {
    this.#log ??= simulatorLog(this.#timeline, this.#settings, this.#host);
    return this.#log;
  }

  get faults(): Faults {
    this.#faults ??= faultsHandle(this.#host, "control", {
      handlesOver: (host) => new Handles(host),
      rehearse: (command) => {
        const { position, nowMs } = this.#host;
        this.#timeline.branch({ position, atMs: nowMs }).execute(command);
      },
    });
    return this.#faults;
  }

  get journal(): readonly JournalEntry[] {
    this.#host.refuseDisposed();
    return this.#journal.entries();
  }

  operations(): OperationInfo[] {
    this.#host.refuseDisposed();
    return [...runsOperationInfos(), ...schedulerOperationInfos(), ...secretsOperationInfos()];
  }

  lossReport(from: ClusterHandle, to: ClusterHandle): readonly LostCommit[] {
    const [left, right] = [from, to].map((handle) => this.#clusterOf("lossReport", handle)) as [
      ClusterName,
      ClusterName,
    ];
    if (left === right) throw new TypeError(`lossReport: both clusters are ${left}`);
    return lossReport(this.#timeline, left, right);
  }

  #clusterOf(call: string, handle: unknown): ClusterName {
    const name = clusterOfHandle(handle);
    if (name !== undefined && Object.hasOwn(this.state.secrets, name)) return name;
    throw new TypeError(`${call}: ${shown(handle)} is no cluster of this simulator`);
  }

  settle(): void {
    this.#host.refuseDisposed();
    for (;;) {
      const { state } = this.#timeline;
      const arrivals = [nextArrivalMs(state), nextDeliveryMs(state)].filter((instant) => instant !== undefined);
      if (arrivals.length === 0) return;
      this.#virtualClock.advanceTo(epochMs(Math.min(...arrivals)));
    }
  }

  mark(name: string): void {
    this.#host.refuseDisposed();
    const fault = markFault(name, this.#timeline);
    if (fault !== undefined) throw new TypeError(`mark: ${JSON.stringify(name)} ${fault}`);
    this.#timeline.mark(name);
  }

  at(place: Place): View {
    return new PastView(this.hostAt(place));
  }

  fork(place?: Place): Simulator {
    this.#host.refuseDisposed();
    const { position, nowMs } = this.#host;
    const moment = place === undefined ? { position, atMs: nowMs } : this.#momentAt(place);
    return LiveSimulator.over(this.#timeline.branch(moment), this.#settings);
  }

  diff(from: Place, to: Place): Difference[] {
    return differences(this.hostAt(from).state, this.hostAt(to).state);
  }

  bisect(predicate: (view: View) => boolean): LogPosition | undefined {
    this.#host.refuseDisposed();
    return bisect(this.#timeline.position, (position) => holds(predicate, this.at(position)));
  }

  blame(path: string): Commit | undefined {
    this.#host.refuseDisposed();
    return blame(this.#timeline, path);
  }

  explain(what: number | Response): Explanation {
    this.#host.refuseDisposed();
    return explained(this.#timeline, what);
  }

  async rewrite(edits: readonly Edit[]): Promise<Rewriting> {
    this.#host.refuseDisposed();
    const { timeline, changed } = await rewriteTimeline(this.#timeline, this.#settings, edits);
    return { fork: LiveSimulator.over(timeline, this.#settings), changed };
  }

  async forEachDeadline(check: DeadlineCheck): Promise<number> {
    this.#host.refuseDisposed();
    return checkEachDeadline(this, check);
  }

  dispose(): void {
    this.#host.dispose();
  }

  #momentAt(place: Place): Moment {
    this.#host.refuseDisposed();
    return momentOf(this.#timeline, place);
  }
}

/** The handles of a simulator over another host: what they are asked to do is only taken down. */
class Handles extends Doors {
  readonly faults: InjectedFaults;

  constructor(host: Host<World>) {
    super(host);
    this.faults = injectedFaults(host, "control");
  }

  protected hostAt(): Host<World> {
    throw new TypeError(NOT_A_FAULT);
  }

  protected freeUrlOf(): string {
    throw new TypeError(NOT_A_FAULT);
  }

  protected clusterSite(): ClusterSite {
    throw new TypeError(NOT_A_FAULT);
  }
}

const NOT_A_FAULT = "a request, a region or a cluster that is added is no fault";

class PastView extends Doors implements View {
  readonly #host: Host<World>;

  constructor(host: Host<World>) {
    super(host);
    this.#host = host;
    Object.freeze(this);
  }

  get clock(): { now(): EpochMs } {
    return { now: () => this.#host.nowMs };
  }

  protected freeUrlOf(): string {
    throw new TypeError("addRegion is a command, and a view of the past only reads: fork it to go on from there");
  }

  protected clusterSite(): ClusterSite {
    throw new TypeError("addCluster is a command, and a view of the past only reads: fork it to go on from there");
  }

  protected hostAt(): Host<World> {
    throw new TypeError("a view of the past is at one place already");
  }
}

function holds(predicate: (view: View) => boolean, view: View): boolean {
  try {
    const held: unknown = predicate(view);
    if (held instanceof Promise)
      throw new TypeError("bisect: the predicate gives a promise, and has to say it at once");
    return Boolean(held);
  } catch (error) {
    if (error instanceof Rejection) return false;
    throw error;
  }
}

function markFault(name: unknown, timeline: WorldTimeline): string | undefined {
  if (typeof name !== "string" || name === "") return "is no name";
  if (/^\d+$/.test(name)) return "reads as a position";
  if (isInstantText(name)) return "reads as an instant";
  return timeline.marks.has(name) ? "is taken" : undefined;
}
