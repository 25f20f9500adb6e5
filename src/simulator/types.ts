import type { Fetch } from "../http/fetch.ts";
import type { EpochMs, LogPosition } from "../kernel/brand.ts";
import type { Commit } from "../kernel/commit.ts";
import type { Difference } from "../kernel/diff.ts";
import type { JournalEntry } from "../kernel/journal.ts";
import type { ChangedAnswer } from "../kernel/rewrite.ts";
import type { Duration } from "../languages/duration.ts";
import type { Instant } from "../languages/instant.ts";
import type { PendingTimer } from "../programs/timer.ts";
import type { ProgramTimers } from "../programs/timers.ts";
import type { OperationInfo } from "../services/kit/registry.ts";
import type { Why } from "../services/kit/why.ts";
import type { FailRunsRequestsOptions } from "../services/runs/control.ts";
import type { RunsHandle } from "../services/runs/handle.ts";
import type { FailRegionRequestsOptions, RegionHandle, SchedulerHandle } from "../services/scheduler/handle.ts";
import type { ClusterHandle, FailClusterRequestsOptions } from "../services/secrets/cluster-handle.ts";
import type { SecretsHandle } from "../services/secrets/clusters-handle.ts";
import type { StorageFaults } from "../services/secrets/faults/handle.ts";
import type { ClusterNetworkHandle } from "../services/secrets/network/handle.ts";
import type { LossForecast, LostCommit } from "../services/secrets/replication/loss/report.ts";
import type { DirectoryHandle } from "../surroundings/directory/handle.ts";
import type { RequestEffectGiven, RequestFault, RequestFaultRule } from "../surroundings/faults/handle.ts";
import type { NetworkHandle } from "../surroundings/network/handle.ts";
import type { OrchestratorHandle } from "../surroundings/orchestrator/handle.ts";
import type { StoresHandle } from "../surroundings/stores/handle.ts";
import type { Clock, Pending } from "./clock.ts";
import type { Explanation } from "./explain.ts";
import type { LossReportOptions } from "./losses.ts";
import type { CommonOptions, ServiceName } from "./options.ts";
import type { Place } from "./place.ts";
import type { Program } from "./programs.ts";
import type { Edit } from "./rewrite.ts";
import type { SimulatorOptions, World } from "./world.ts";

/** What a simulator and a view of its past have because of its services. */
interface Handles {
  readonly runs: RunsHandle;
  readonly scheduler: SchedulerHandle;
  readonly secrets: SecretsHandle;
  /** The directory server that engines act on. */
  readonly directory: DirectoryHandle;
  /** The stores that automated snapshots are written to. */
  readonly stores: StoresHandle;
  /** The container orchestrator that engines act on. */
  readonly orchestrator: OrchestratorHandle;
}

/** Which of them because of each. Types that name no service are those of a simulator that has all. */
interface HandlesOf {
  runs: "runs";
  scheduler: "scheduler";
  secrets: "secrets" | "directory" | "stores" | "orchestrator";
}

/** What needs a service, where it is there. */
type With<N extends ServiceName, S extends ServiceName, T> = N extends S ? T : unknown;

/** Options of `createSimulator` for some services. */
export type OptionsOf<S extends ServiceName> = Pick<SimulatorOptions, keyof CommonOptions | S>;

/** How the next requests to each service are made to fail. */
interface FailuresOf {
  runs: FailRunsRequestsOptions;
  scheduler: FailRegionRequestsOptions;
  secrets: FailClusterRequestsOptions;
}

export type FailRequestsOptions<S extends ServiceName = ServiceName> = FailuresOf[S];

/** What goes wrong at once because a test wants it to. */
export type InjectedFaults<S extends ServiceName = ServiceName> = FailingRequests<S> &
  With<"secrets", S, StorageFaults>;

interface FailingRequests<S extends ServiceName> {
  /**
   * Lets the next requests to a service fail, before any other check: with status 500 unless told otherwise, and the service's
   * own error body. Only the count is committed.
   *
   * @throws TypeError for a wrong option
   * @example
   * sim.faults.failNextRequests({ service: "runs", count: 2, status: 503 });
   * sim.faults.failNextRequests({ service: sim.scheduler.region("eu"), count: 1 });
   * sim.faults.failNextRequests({ service: sim.secrets.cluster("east"), count: 1 });
   */
  failNextRequests(options: FailRequestsOptions<S>): void;
  /**
   * Lets something happen to requests on their way, until it is removed. Of several rules that fit, the first that was made acts.
   *
   * A rule is a command of the log, so forks and replays have it. One with a count (`nth`, `every`, `times`) counts each request that
   * fits it, which is a fact. What takes time (`delay`, `hang`, `slow`, `truncate`) needs a promise: a typed call that meets it is
   * refused with a TypeError.
   *
   * @throws TypeError naming the member that is wrong
   * @example
   * sim.faults.requests({ program: "shop", method: "POST", nth: 2, effect: { kind: "lose-answer" } });
   * const slow = sim.faults.requests({ service: "secrets", effect: { kind: "delay", by: "2s" } });
   * slow.hits; // 0
   * slow.remove();
   */
  requests(rule: RequestFaultRule<EndsOf[S] | S>): RequestFault;
}

/** What goes wrong because a test wants it to. */
export type Faults<S extends ServiceName = ServiceName> = InjectedFaults<S> & ScheduledFaults<S>;

interface ScheduledFaults<S extends ServiceName> {
  /**
   * Makes a call later: any of directory, orchestrator, stores, network or faults that changes something, by its name and its
   * arguments, which are checked now. Of one server the URL is the first argument: `directory.server.setDelay`.
   *
   * It is a timer like any other: it shows in `sim.clock.pending()`, and a fork or a replay keeps it. What the world forbids by then is
   * not done.
   *
   * @param when a duration from now, or an instant
   * @throws TypeError for a call that is none, for wrong arguments, and for an instant that is past
   * @example
   * sim.faults.schedule("90s", { type: "network.cut", args: [east, west] });
   */
  schedule(when: Duration | Instant, fault: Fault<S>): void;
}

/** A call that can be scheduled. */
export type Fault<S extends ServiceName = ServiceName> =
  | CallsOf<"network", Network<S>>
  | CallsOf<"faults", InjectedFaults<S>>
  | { readonly type: "faults.requests"; readonly args: Parameters<InjectedFaults<S>["requests"]> }
  | ("secrets" extends S ? EngineFault : never);

/** One of what engines act on. */
type EngineFault =
  | CallsOf<"directory", DirectoryHandle>
  | CallsOf<"orchestrator", OrchestratorHandle>
  | CallsOf<"stores", StoresHandle>
  | { readonly type: "directory.server.setAvailable"; readonly args: readonly [url: string, available: boolean] }
  | { readonly type: "directory.server.setDelay"; readonly args: readonly [url: string, delay: Duration] };

/** What a call gives back that is made for what it changes. */
type Nothing = ReturnType<DirectoryHandle["addSuffix"]>;

/** The calls of a handle that give nothing back. */
type CallsOf<S extends string, H> = {
  [N in keyof H & string]: H[N] extends (...args: infer A) => infer R
    ? [R] extends [Nothing]
      ? { readonly type: `${S}.${N}`; readonly args: Readonly<A> }
      : never
    : never;
}[keyof H & string];

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
  /**
   * The log as text that `replay` reads: a header, one commit a line, and a last line with the present, the marks and a digest.
   *
   * @example
   * writeFileSync("failure.ndjson", sim.log.toNdjson());
   */
  toNdjson(options?: LogOptions): string;
  /** The same, line by line, each with its line end: for logs that are too long for one text. */
  lines(options?: LogOptions): AsyncGenerator<string, void>;
}

/** Options of a log as text. */
export interface LogOptions {
  /** Whether it carries the journal, which `replay` brings back. Default false. */
  readonly journal?: boolean;
}

/** What a network connects, and requests are sent to. */
interface EndsOf {
  runs: RunsHandle;
  scheduler: RegionHandle;
  secrets: ClusterHandle;
}

/** The network as test authors change it. */
export type Network<S extends ServiceName = ServiceName> = NetworkHandle<EndsOf[S] | Program> &
  With<"secrets", S, ClusterNetworkHandle>;

/** What a simulator and a view of its past have in common. */
export type Moments<S extends ServiceName = ServiceName> = Pick<Handles, HandlesOf[S]> & CommonMoments<S>;

interface CommonMoments<S extends ServiceName> {
  /** Answers requests to the simulated services, with the manners of `fetch`. */
  readonly fetch: Fetch;
  /**
   * A program under test by its name, a DNS label; it is made when it is first asked for. Requests that name none are those of `author`.
   * Forks, views and replays know the same programs.
   *
   * @throws TypeError for a name that is none
   * @example
   * const shop = sim.program("shop");
   * const keeper = new Keeper({ fetch: shop.fetch, timers: shop.timers });
   */
  program(name: string): Program;
  /** The programs in the order of their making; the first is the author. */
  programs(): Program[];
  /** The network between regions, the one between clusters, and the lines of programs. */
  readonly network: Network<S>;
  /** The whole state, frozen. */
  readonly state: Omit<World, Exclude<keyof Handles, HandlesOf[S]>>;
  /** The position of the last commit; 0 before the first. */
  readonly position: LogPosition;
  /** 32 hexadecimal digits: equal states, deadlines included, have equal hashes. */
  stateHash(): string;
}

/** A look at a place in history. It reads; commands are refused. */
export type View<S extends ServiceName = ServiceName> = Moments<S> & { readonly clock: { now(): EpochMs } };

/** One millisecond before a deadline, at it, or one after it. */
export type DeadlineOffset = -1 | 0 | 1;

/** What is to hold around a deadline. It asserts by throwing, on a fork that nobody else has; it may be async. */
export type DeadlineCheck<S extends ServiceName = ServiceName> = (
  due: Pending,
  fork: Simulator<S>,
  offsetMs: DeadlineOffset,
) => unknown;

/** A simulated world: services, clock, log and history. */
export type Simulator<S extends ServiceName = ServiceName> = Moments<S> &
  CommonSimulator<S> &
  With<"secrets", S, LossReports>;

interface CommonSimulator<S extends ServiceName> {
  readonly clock: Clock;
  /** The author's timers, and what `install` puts in the place of the platform's. */
  readonly timers: ProgramTimers;
  /** Of a fork: the timers of programs that waited when it was made, and do not fire here. */
  readonly timersLeftBehind: readonly PendingTimer[];
  readonly log: Log;
  readonly faults: Faults<S>;
  /**
   * What was done, oldest first: requests through every door and what they were answered, typed calls, notes, moves of the clock, marks and
   * steps. Forks inherit it, and a log carries it on request.
   *
   * @example
   * sim.journal.filter((entry) => entry.kind === "request" && entry.refusal !== undefined);
   */
  readonly journal: readonly JournalEntry[];
  /** What the test believes at this moment: an entry of the journal, and no fact. @throws TypeError for what JSON cannot carry */
  note(data: unknown): void;
  /** Every operation that the services answer. */
  operations(): OperationInfo[];
  /**
   * Holds the clock: while the promise is pending, `clock.run` lets no time go on. It is for input and output that the simulator cannot
   * see, such as that of a socket.
   *
   * @returns the promise
   * @throws TypeError for what is no promise
   * @example
   * await sim.busy(once(child, "exit"));
   */
  busy<T>(promise: Promise<T>): Promise<T>;
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
  at(place: Place): View<S>;
  /**
   * A new simulator with the same past up to a place, by default the present. Neither changes what the other sees.
   *
   * @throws Rejection `unknown_place`
   */
  fork(place?: Place): Simulator<S>;
  /**
   * Where two places differ, by path. An object that is on one side only is one difference.
   *
   * @example
   * sim.diff("before the loan", sim.position)[0]; // { path: 'secrets.main.local.leases["..."]', before: undefined, after: {...} }
   * @throws Rejection `unknown_place`
   */
  diff(from: Place, to: Place): Difference[];
  /**
   * The first position at which a predicate holds, or undefined. It is asked O(log n) times, so it has to stay true once it is; a
   * `Rejection` inside counts as false.
   *
   * @example
   * sim.bisect((view) => view.state.secrets["main"]?.local.leases.size === 0);
   */
  bisect(predicate: (view: View<S>) => boolean): LogPosition | undefined;
  /**
   * The commit that last changed what stands at a path of the state; undefined when nothing did.
   *
   * @example
   * sim.blame('secrets.main.replicated.mounts["ldap/"].library.accounts["svc-1"].status')?.command;
   * @throws TypeError for a text that is no path
   */
  blame(path: string): Commit | undefined;
  /**
   * How a commit, or the answer that a response carries, came about: route, caller, chart moves, facts, what changed.
   *
   * @throws Rejection `unknown_place`; TypeError for a response of another simulator
   */
  explain(what: LogPosition | number | Response): Explanation;
  /**
   * Why a request or a call was refused, down to the facts: which token, made and ended by which commits, which policies, which gate.
   * Nothing is looked for until this is asked. The text tells no token, password or key.
   *
   * @param what a response of this simulator's, an entry of its journal, a `Rejection` that a call threw, or the error of a connection that broke
   * @returns undefined for what is no refusal
   * @throws TypeError for a response or an error of another simulator, such as a fork
   * @example
   * const response = await sim.fetch(`${east.url}/v1/kv/app/db`, { headers: { "X-Secrets-Token": token } });
   * sim.why(response)?.text;
   * // token ... ended at 2026-01-01T01:00:00Z (#4, timer.tokenExpiry); it was made ... (#3, control.createToken) for 1h, and never renewed
   */
  why(what: Response | Error | JournalEntry): Why | undefined;
  /**
   * Decides the past again with changes in it, on a fork. What is not edited keeps its ids and passwords, so `changed` names the answers
   * that the edits changed. This simulator stays as it is.
   *
   * @throws Rejection `unknown_place`; TypeError for an edit of a timer, which fires by itself
   * @example
   * const { fork, changed } = await sim.rewrite([{ delay: 12, by: "5m" }]);
   */
  rewrite(edits: readonly Edit[]): Promise<Rewriting<S>>;
  /**
   * Runs a check three times for every deadline and every timer of a program that is pending now, in the order in which they fire: on a
   * fork whose clock stands one millisecond before it, on one where it and all that is due then has fired, and on one a millisecond later.
   * A timer that is due together with a deadline is visited once more, on a fork at that instant in which the deadline has not fired.
   * Checks run one after another; the first that throws ends it, and its error says where. This simulator stays as it is, and forks have
   * no timers: the check does what the program would.
   *
   * Deadlines that are armed on the way fire, but are not visited. One that is due or overdue already has the present before it, unfired;
   * after the last instant of the clock there is nothing.
   *
   * @returns how many checks ran: 0 where nothing is pending
   * @throws TypeError for a check that is no function
   * @example
   * await sim.forEachDeadline(async (deadline, fork, offsetMs) => {
   *   const { status } = await fork.fetch(url, { headers });
   *   expect(status).toBe(offsetMs < 0 ? 200 : 403);
   * });
   */
  forEachDeadline(check: DeadlineCheck<S>): Promise<number>;
  /**
   * Runs a story once as it is, and once more for each request that it made and each fault, on forks: what a program does under every fault
   * at every request. Typed calls are the test's own hand, and are not visited.
   *
   * A story fails when it or the check rejects, and when it waits for what does not come although nobody moves the clock.
   *
   * @returns how often it ran, and how many requests it makes without a fault
   * @throws AggregateError of `RequestFailure`s, one for each request and fault with which it failed; without any fault its own error
   * @example
   * await sim.forEachRequest(failOver, { check: (fork) => expect(leadersOf(fork)).toHaveLength(1) });
   */
  forEachRequest(story: RequestStory<S>, options?: EachRequestOptions<S>): Promise<RequestsVisited>;
  /** Ends it: what still waits is rejected, and further use is refused. */
  dispose(): void;
}

/** What is run under faults: it gets a simulator of its own each time. */
export type RequestStory<S extends ServiceName = ServiceName> = (fork: Simulator<S>) => void | Promise<void>;

/** A fault that each request meets: the kind of an effect, a rule, or a word. */
export type EachFault =
  | RequestEffectGiven["kind"]
  | RequestFaultRule<unknown>
  /** The service answers 503. */
  | "503"
  /** The cluster that is asked is stopped when the request sets out, and started again 30 s later. */
  | "stop"
  /** The line between the program and whom it asks is cut when the request sets out, and healed 30 s later. The author's is never cut. */
  | "cut";

export interface EachRequestOptions<S extends ServiceName = ServiceName> {
  /** Default: `lose-request`, `lose-answer`, `reset`, `hang`, `503`, `stop`, `cut`. */
  readonly faults?: readonly EachFault[];
  /** Is asked after each story, with its fork. */
  readonly check?: (fork: Simulator<S>) => void | Promise<void>;
  /** One request and one fault alone, as the message of a failure names them; `faults` does not count then. */
  readonly only?: { readonly request: number; readonly fault: EachFault };
}

export interface RequestsVisited {
  /** How often the story ran: the first time is counted. */
  readonly runs: number;
  /** How many requests it makes without a fault. */
  readonly requests: number;
}

/** What came of a rewriting. */
export interface Rewriting<S extends ServiceName = ServiceName> {
  /** The past with the edits, and what followed from them, up to the same present, or a later one that a delay reaches. */
  readonly fork: Simulator<S>;
  /** The answers that are others now, by their positions in the original; request ids do not count. */
  readonly changed: readonly ChangedAnswer[];
}

interface LossReports {
  /**
   * What one cluster acknowledged and another one does not hold: what had not been shipped when the two parted, all that came after, and
   * what a wipe or a restored snapshot cleared. It follows from what storages hold, and stays true whatever becomes of the clusters.
   *
   * Commits of timers are not told, as nobody was told of them: what they did shows in the fate of objects. What is forwarded through a
   * performance secondary is acknowledged by its primary. Of one cluster and itself, with `at`, it tells what the cluster held then and
   * does not hold now, whoever had acknowledged it.
   *
   * @param options `at`: a place in history to look from; the present if absent. `all`: also what is never shipped (`local`), and what a
   *   filter keeps back (`filtered`); false if absent.
   * @returns the commits in the order of their positions
   * @throws TypeError for what is no cluster of this simulator, for twice the same without `at`, and for a wrong option
   * @throws Rejection `unknown_place`
   * @example
   * sim.lossReport(east, west);
   * // [{ position: 42, atMs, command: "secrets.kv.write", kind: "lost", because: { reason: "cut", position: 40 },
   * //    acknowledgedTo: { program: "author", accessor: "...", displayName: "token" },
   * //    objects: [{ kind: "secret", path: "kv/a", change: "created", fate: "missing" }] }]
   */
  lossReport(from: ClusterHandle, to: ClusterHandle, options?: LossReportOptions): readonly LostCommit[];
  /**
   * What would be lost if a cluster were promoted now: the commits that others of its set hold and it does not, by who holds them and who
   * acknowledged them.
   *
   * @throws TypeError for what is no cluster of this simulator
   * @example
   * sim.lossForecast(west); // [{ cluster: "east", writer: "east", commits: [42, 43] }]
   */
  lossForecast(to: ClusterHandle): readonly LossForecast[];
}
