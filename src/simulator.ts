import { type Fetch, simulatedFetch } from "./http/fetch.ts";
import type { EpochMs, LogPosition } from "./kernel/brand.ts";
import { VirtualClock } from "./kernel/clock.ts";
import type { Commit } from "./kernel/commit.ts";
import { hashOf, hexOf } from "./kernel/hash.ts";
import { type Host, LiveHost, PastHost } from "./kernel/host.ts";
import { Journal, type JournalEntry } from "./kernel/journal.ts";
import { seedKey } from "./kernel/randomness.ts";
import { type Moment, Timeline } from "./kernel/timeline.ts";
import { isInstantText } from "./languages/instant.ts";
import type { OperationInfo } from "./services/operation.ts";
import { type ClusterHandle, clusterHandle } from "./services/secrets/cluster-handle.ts";
import type { ClusterName } from "./services/secrets/place.ts";
import { secretsOperationInfos } from "./services/secrets/registry.ts";
import { type Clock, simulatorClock } from "./simulator/clock.ts";
import { readOptions, type Settings, type SimulatorOptions } from "./simulator/options.ts";
import { momentOf, type Place, placeInText } from "./simulator/place.ts";
import { newWorld, type World, type WorldEvents, worldModel } from "./simulator/world.ts";
import { type DirectoryHandle, directoryHandle } from "./surroundings/directory/handle.ts";

/** The secrets service of a simulator or of a view. */
export interface Secrets {
  /** @throws TypeError for a name that no cluster has */
  cluster(name: string): ClusterHandle;
}

/** A fact of the log, with the place at which it stands. */
export interface LoggedEvent {
  readonly position: LogPosition;
  readonly atMs: EpochMs;
  readonly type: string;
  readonly v: number;
  readonly data: unknown;
}

/** The log: what was asked for, and what happened because of it. */
export interface Log {
  commits(): readonly Commit[];
  events(): readonly LoggedEvent[];
}

/** What a simulator and a view of its past have in common. */
export interface Moments {
  /** Answers requests to the simulated services, with the manners of `fetch`. */
  readonly fetch: Fetch;
  readonly secrets: Secrets;
  /** The directory server that engines act on. */
  readonly directory: DirectoryHandle;
  /** The whole state, frozen. */
  readonly state: World;
  /** The position of the last commit; 0 before the first. */
  readonly position: LogPosition;
  /** 32 hexadecimal digits: equal states, deadlines included, have equal hashes. */
  stateHash(): string;
}

/** A look at a place in history. It reads; commands are refused. */
export interface View extends Moments {
  readonly clock: { now(): EpochMs };
}

/** A simulated world: services, clock, log and history. */
export interface Simulator extends Moments {
  readonly clock: Clock;
  readonly log: Log;
  /** The last requests and what they were answered, oldest first. */
  readonly journal: readonly JournalEntry[];
  /** Every operation that the services answer. */
  operations(): OperationInfo[];
  /** Lets what is in flight between clusters and regions arrive, and no more time pass than that takes. */
  settle(): void;
  /**
   * Gives the present a name, for `at` and `fork`.
   *
   * @throws TypeError for a name that is taken, that reads as an instant, or that has nothing but digits
   */
  mark(name: string): void;
  /**
   * A look at a place in history: a position, an instant (after all commits up to it), or a mark.
   *
   * @throws Rejection `unknown_place` for a place that is unknown or lies ahead
   */
  at(place: Place): View;
  /**
   * A new simulator with the same past up to a place, by default the present. Neither changes what the other sees.
   *
   * @throws Rejection `unknown_place`
   */
  fork(place?: Place): Simulator;
  /** Ends it: what still waits is rejected, and further use is refused. */
  dispose(): void;
}

type WorldTimeline = Timeline<World, WorldEvents>;

/**
 * Makes a simulator.
 *
 * @throws TypeError naming the option that is wrong
 * @example
 * const sim = createSimulator({ seed: 7, secrets: { clusters: ["east"] } });
 * const response = await sim.fetch(`${sim.secrets.cluster("east").url}/v1/ldap/library/ops/status`);
 */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const settings = readOptions(options);
  const timeline = Timeline.begin(worldModel, {
    seed: settings.seed,
    startAtMs: settings.startAtMs,
    checkpointEvery: settings.checkpointEvery,
    initialState: newWorld({ ...settings, seed: seedKey(settings.seed) }),
  });
  return simulatorOf(timeline, settings);
}

function simulatorOf(timeline: WorldTimeline, settings: Settings): Simulator {
  return Object.freeze(new LiveSimulator(timeline, settings));
}

/** Doors that are made when they are first used: forks are many, and most use few of them. */
abstract class Doors implements Moments {
  #fetch: Fetch | undefined;
  #secrets: Secrets | undefined;
  #directory: DirectoryHandle | undefined;

  /** The world behind the doors. */
  protected abstract readonly host: Host<World>;
  protected abstract past(place: Place): Host<World>;

  get fetch(): Fetch {
    this.#fetch ??= simulatedFetch({ present: () => this.host, past: (place) => this.past(placeInText(place)) });
    return this.#fetch;
  }

  get secrets(): Secrets {
    this.#secrets ??= Object.freeze({
      cluster: (name: string) => clusterHandle(this.host, clusterNamed(this.host.state, name), "control"),
    });
    return this.#secrets;
  }

  get directory(): DirectoryHandle {
    this.#directory ??= directoryHandle(this.host, "control");
    return this.#directory;
  }

  get state(): World {
    return this.host.state;
  }

  get position(): LogPosition {
    return this.host.position;
  }

  stateHash(): string {
    return hexOf(hashOf(this.host.state));
  }
}

class LiveSimulator extends Doors implements Simulator {
  readonly #timeline: WorldTimeline;
  readonly #settings: Settings;
  readonly #journal: Journal;
  readonly #virtualClock: VirtualClock<World, WorldEvents>;
  protected readonly host: LiveHost<World, WorldEvents>;
  #clock: Clock | undefined;
  #log: Log | undefined;

  constructor(timeline: WorldTimeline, settings: Settings) {
    super();
    this.#timeline = timeline;
    this.#settings = settings;
    this.#journal = new Journal(settings.journalSize);
    this.#virtualClock = new VirtualClock(timeline, settings.firingsPerAdvance);
    this.host = new LiveHost(timeline, this.#virtualClock, this.#journal);
  }

  protected past(place: Place): Host<World> {
    return new PastHost(this.#timeline, this.#momentAt(place));
  }

  get clock(): Clock {
    this.#clock ??= simulatorClock(this.#timeline, this.#virtualClock, this.host);
    return this.#clock;
  }

  get log(): Log {
    this.#log ??= logOf(() => {
      this.host.refuseDisposed();
      return this.#timeline;
    });
    return this.#log;
  }

  get journal(): readonly JournalEntry[] {
    this.host.refuseDisposed();
    return this.#journal.entries();
  }

  operations(): OperationInfo[] {
    this.host.refuseDisposed();
    return secretsOperationInfos();
  }

  settle(): void {
    // What is in flight travels between clusters or regions; as long as none are connected, nothing is.
    this.host.refuseDisposed();
  }

  mark(name: string): void {
    this.host.refuseDisposed();
    const fault = markFault(name, this.#timeline);
    if (fault !== undefined) throw new TypeError(`mark: ${JSON.stringify(name)} ${fault}`);
    this.#timeline.mark(name);
  }

  at(place: Place): View {
    return Object.freeze(new PastView(this.past(place)));
  }

  fork(place?: Place): Simulator {
    this.host.refuseDisposed();
    const { position, nowMs } = this.host;
    const moment = place === undefined ? { position, atMs: nowMs } : this.#momentAt(place);
    return simulatorOf(this.#timeline.branch(moment), this.#settings);
  }

  dispose(): void {
    this.host.dispose();
  }

  #momentAt(place: Place): Moment {
    this.host.refuseDisposed();
    return momentOf(this.#timeline, place);
  }
}

class PastView extends Doors implements View {
  protected readonly host: Host<World>;

  constructor(host: Host<World>) {
    super();
    this.host = host;
  }

  get clock(): { now(): EpochMs } {
    return { now: () => this.host.nowMs };
  }

  protected past(): Host<World> {
    throw new TypeError("a view of the past is at one place already");
  }
}

function clusterNamed({ secrets }: World, name: string): ClusterName {
  if (!Object.hasOwn(secrets, name)) {
    throw new TypeError(
      `secrets.cluster: no cluster is named ${String(name)}; there are ${Object.keys(secrets).join(", ")}`,
    );
  }
  return name as ClusterName;
}

function logOf(timeline: () => WorldTimeline): Log {
  return Object.freeze({
    commits: () => [...timeline().history.commits(1, timeline().position)],
    events: () =>
      [...timeline().history.commits(1, timeline().position)].flatMap(({ position, atMs, events }) =>
        events.map((event) => ({ position, atMs, ...event })),
      ),
  });
}

function markFault(name: unknown, timeline: WorldTimeline): string | undefined {
  if (typeof name !== "string" || name === "") return "is no name";
  if (/^\d+$/.test(name)) return "reads as a position";
  if (isInstantText(name)) return "reads as an instant";
  return timeline.marks.has(name) ? "is taken" : undefined;
}
