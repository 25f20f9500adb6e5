import type { FetchHosts } from "../http/hosts.ts";
import { bisect, blame } from "../kernel/blame.ts";
import { epochMs, type LogPosition } from "../kernel/brand.ts";
import { VirtualClock } from "../kernel/clock.ts";
import { AUTHOR, type Commit } from "../kernel/commit.ts";
import { type Difference, differences } from "../kernel/diff.ts";
import { placeOfHandle } from "../kernel/handle.ts";
import { type Host, LiveHost, PastHost } from "../kernel/host.ts";
import { Journal, type JournalEntry } from "../kernel/journal.ts";
import { Rejection } from "../kernel/rejection.ts";
import type { Moment } from "../kernel/timeline.ts";
import { isInstantText } from "../languages/instant.ts";
import { shown } from "../languages/shown.ts";
import type { Led } from "../programs/leading-source.ts";
import { Mistakes } from "../programs/mistakes.ts";
import { ProgramsTime } from "../programs/program-time.ts";
import type { PendingTimer } from "../programs/timer.ts";
import { atPlace, callSite, callSites } from "../programs/where.ts";
import { whyBehind } from "../services/kit/explained.ts";
import type { Site } from "../services/kit/module.ts";
import { type OperationInfo, operationInfos } from "../services/kit/registry.ts";
import type { Why } from "../services/kit/why.ts";
import type { ClusterHandle } from "../services/secrets/cluster-handle.ts";
import type { LossForecast, LostCommit } from "../services/secrets/replication/loss/report.ts";
import { type Clock, refuseLed, simulatorClock } from "./clock.ts";
import { DoorKinds, Doors } from "./doors.ts";
import { checkEachDeadline } from "./each-deadline.ts";
import { checkEachRequest } from "./each-request.ts";
import { type Explanation, explained } from "./explain.ts";
import { FaultDoors } from "./fault-doors.ts";
import { faultsHandle } from "./faults.ts";
import { type Rebuilt, simulatorLog } from "./log.ts";
import { type LossReportOptions, lossForecast, lossReport } from "./losses.ts";
import { isPlace, servicesOf } from "./model.ts";
import { PastView } from "./past-view.ts";
import { momentOf, type Place, placeInText } from "./place.ts";
import { hostsOfProgram, type Program } from "./programs.ts";
import { type Edit, rewriteTimeline } from "./rewrite.ts";
import type {
  DeadlineCheck,
  EachRequestOptions,
  Faults,
  Log,
  RequestStory,
  RequestsVisited,
  Rewriting,
  Simulator,
  View,
} from "./types.ts";
import { whyOf } from "./why.ts";
import type { Settings, World, WorldEvents, WorldTimeline } from "./world.ts";

/** What lies behind the public door. */
export interface Inside {
  readonly timeline: WorldTimeline;
  readonly settings: Settings;
  readonly hosts: FetchHosts<World>;
  readonly host: LiveHost<World, WorldEvents>;
  /** What whoever leads its time moves. */
  readonly led: Led;
}

/** What a simulator knows of the one that it was forked from. */
interface Begun {
  readonly timersLeftBehind?: () => readonly PendingTimer[];
  /** What was told there is not told again: a story may run on hundreds of forks. */
  readonly mistakes?: () => Mistakes;
  /** Gives it the journal that it begins with. */
  readonly journal?: (own: Journal) => void;
}

const NOTHING: Begun = Object.freeze({});

/** A simulator over a timeline. */
export class LiveSimulator extends Doors implements Simulator {
  readonly #timeline: WorldTimeline;
  readonly #settings: Settings;
  readonly #journal: Journal;
  readonly #virtualClock: VirtualClock<World, WorldEvents>;
  readonly #host: LiveHost<World, WorldEvents>;
  readonly #begun: Begun;
  #time: ProgramsTime | undefined;
  #mistakes: Mistakes | undefined;
  #clock: Clock | undefined;
  #log: Log | undefined;
  #faults: Faults | undefined;

  static readonly #kinds = new DoorKinds<typeof LiveSimulator>();

  private constructor(timeline: WorldTimeline, settings: Settings, host: LiveHost<World, WorldEvents>, begun: Begun) {
    super(host, servicesOf(timeline));
    this.#begun = begun;
    this.#timeline = timeline;
    this.#settings = settings;
    this.#journal = host.journal;
    this.#virtualClock = host.clock;
    this.#host = host;
    Object.freeze(this);
  }

  static over(timeline: WorldTimeline, settings: Settings, begun: Begun = NOTHING): LiveSimulator {
    const clock = new VirtualClock(timeline, settings.firingsPerAdvance);
    const services = servicesOf(timeline);
    const journal = new Journal(settings.journalSize, timeline, {
      sites: settings.callSites === true ? callSites : undefined,
      why: (refused) => whyBehind(services, refused).text,
    });
    begun.journal?.(journal);
    const host = new LiveHost(timeline, clock, journal, settings.explainOverHttp);
    const Kind = LiveSimulator.#kinds.for(services, () => class extends LiveSimulator {});
    return new Kind(timeline, settings, host, begun);
  }

  /** A simulator as a log tells of it. */
  static rebuilt({ timeline, settings, journal }: Rebuilt): LiveSimulator {
    return LiveSimulator.over(timeline, settings, { journal: (own) => own.restore(journal) });
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
    const services = servicesOf(sim.#timeline);
    const hosts = { services, present: () => sim.#host, past: (place: string) => sim.hostAt(placeInText(place)) };
    return { timeline: sim.#timeline, settings: sim.#settings, hosts, host: sim.#host, led: sim.#led };
  }

  /** Whom a simulator's author asks, or one of its programs. @throws TypeError for what is neither */
  static hostsOf(asking: Simulator | Program): FetchHosts<World> {
    return (
      ("timersLeftBehind" in asking ? undefined : hostsOfProgram(asking)) ??
      LiveSimulator.insideOf(asking as Simulator).hosts
    );
  }

  protected siteFor(call: string): Site<Settings> {
    return {
      settings: this.#settings,
      refuseTaken: (name, urls) => {
        const taken = this.#takenUrls();
        const own = urls.find((url) => taken.includes(url));
        if (own !== undefined) throw new TypeError(`${call}: ${own}, where ${name} would answer, is taken`);
      },
    };
  }

  /** Where somebody answers by now. */
  #takenUrls(): readonly string[] {
    return this.services.flatMap(({ http }) => http.origins(this.state).flatMap((origins) => [...origins.keys()]));
  }

  protected hostAt(place: Place): Host<World> {
    return new PastHost(this.#timeline, this.#momentAt(place), this.#settings.explainOverHttp);
  }

  get clock(): Clock {
    this.#clock ??= simulatorClock(this.#timeline, this.#virtualClock, this.#host, {
      time: () => this.#time,
      mistakes: () => this.#mistakesTold(),
      led: this.#led,
    });
    return this.#clock;
  }

  get #led(): Led {
    const { waiting } = this.#timeline;
    return {
      nowMs: () => this.#timeline.nowMs,
      advanceTo: (instantMs) => this.#host.moving("follow", () => void this.#virtualClock.advanceTo(instantMs)),
      nextMs: () => this.#virtualClock.nextMs(),
      isWaitedFor: () => waiting.size > 0 || this.#time?.nextMs() !== undefined,
    };
  }

  #mistakesTold(): Mistakes {
    this.#mistakes ??= this.#begun.mistakes?.() ?? new Mistakes();
    return this.#mistakes;
  }

  protected override time(): ProgramsTime {
    if (this.#time === undefined) {
      this.#time = new ProgramsTime({
        nowMs: () => {
          this.#host.comeUp();
          return this.#host.nowMs;
        },
        onArmed: () => this.#host.leader?.rearm(),
        startAtMs: this.#settings.startAtMs,
        mistakes: () => this.#mistakesTold(),
        letsPromisesSettle: () => this.#virtualClock.isRunning || this.#host.leader !== undefined,
      });
      this.#virtualClock.accompanyBy(this.#time);
    }
    return this.#time;
  }

  get timersLeftBehind(): readonly PendingTimer[] {
    return this.#begun.timersLeftBehind?.() ?? [];
  }

  get log(): Log {
    this.#log ??= simulatorLog(this.#timeline, this.#settings, this.#host);
    return this.#log;
  }

  get faults(): Faults {
    this.#faults ??= faultsHandle(this.#host, "control", {
      services: this.services,
      handlesOver: (host) => FaultDoors.over(host, this.services),
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
    return this.services.flatMap(({ registry }) => operationInfos(registry));
  }

  lossReport(from: ClusterHandle, to: ClusterHandle, options: LossReportOptions = {}): readonly LostCommit[] {
    this.#host.refuseDisposed();
    const [source, target] = [this.#placeOf("lossReport", from), this.#placeOf("lossReport", to)];
    return lossReport(this.#timeline, this.services, [source, target], options);
  }

  lossForecast(to: ClusterHandle): readonly LossForecast[] {
    this.#host.refuseDisposed();
    return lossForecast(this.#timeline, this.services, this.#placeOf("lossForecast", to));
  }

  #placeOf(call: string, handle: unknown): string {
    const place = placeOfHandle(handle);
    const name = place?.["cluster"];
    if (place !== undefined && name !== undefined && isPlace(this.services, this.state, place)) return name;
    throw new TypeError(`${call}: ${shown(handle)} is no cluster of this simulator`);
  }

  busy<T>(promise: Promise<T>): Promise<T> {
    if (!(promise instanceof Promise)) {
      throw new TypeError(`busy: ${shown(promise)} is no promise: give what the program waits for`);
    }
    return this.#host.hold(`sim.busy${atPlace(callSite())}`, promise);
  }

  settle(): void {
    this.#host.refuseDisposed();
    refuseLed(this.#host, "settle");
    this.#host.moving("settle", () => {
      for (;;) {
        const { state } = this.#timeline;
        const arrivals = this.services.flatMap((service) => service.state.nextArrivalMs?.(state) ?? []);
        if (arrivals.length === 0) return;
        this.#virtualClock.advanceTo(epochMs(Math.min(...arrivals)));
      }
    });
  }

  note(data: unknown): void {
    this.program(AUTHOR).note(data);
  }

  mark(name: string): void {
    this.#host.refuseDisposed();
    const fault = markFault(name, this.#timeline);
    if (fault !== undefined) throw new TypeError(`mark: ${JSON.stringify(name)} ${fault}`);
    this.#timeline.mark(name);
    this.#journal.add({ kind: "mark", name });
  }

  at(place: Place): View {
    return PastView.over(this.hostAt(place), this.services);
  }

  fork(place?: Place): Simulator {
    this.#host.refuseDisposed();
    const { position, nowMs } = this.#host;
    const moment = place === undefined ? { position, atMs: nowMs } : this.#momentAt(place);
    const timersLeftBehind = this.#time?.pendingLater();
    return LiveSimulator.over(this.#timeline.branch(moment), this.#settings, {
      journal: (own) => own.inherit(this.#journal, moment),
      mistakes: () => this.#mistakesTold(),
      ...(timersLeftBehind === undefined ? {} : { timersLeftBehind }),
    });
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

  why(what: Response | Error | JournalEntry): Why | undefined {
    this.#host.refuseDisposed();
    return whyOf(this.#timeline, what);
  }

  async rewrite(edits: readonly Edit[]): Promise<Rewriting> {
    this.#host.refuseDisposed();
    const { timeline, changed } = await rewriteTimeline(this.#timeline, this.#settings, edits);
    return { fork: LiveSimulator.over(timeline, this.#settings), changed };
  }

  async forEachDeadline(check: DeadlineCheck): Promise<number> {
    this.#host.refuseDisposed();
    return checkEachDeadline(this, check, (world, instantMs) => {
      const { timeline, settings, host } = LiveSimulator.insideOf(world);
      const moment = { position: timeline.position, atMs: timeline.nowMs };
      const branch = timeline.branch(moment);
      branch.moveTo(epochMs(instantMs));
      return LiveSimulator.over(branch, settings, { journal: (own) => own.inherit(host.journal, moment) });
    });
  }

  forEachRequest(story: RequestStory, options: EachRequestOptions = {}): Promise<RequestsVisited> {
    this.#host.refuseDisposed();
    const hostOf = (fork: Simulator) => LiveSimulator.insideOf(fork).host;
    return checkEachRequest(this, story, options, { hostOf, seed: this.#timeline.seed });
  }

  dispose(): void {
    this.#time?.end();
    this.#host.dispose();
  }

  #momentAt(place: Place): Moment {
    this.#host.refuseDisposed();
    return momentOf(this.#timeline, place);
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
