import type { EpochMs, LogPosition } from "./brand.ts";
import type { VirtualClock } from "./clock.ts";
import { AUTHOR, type Command } from "./commit.ts";
import type { ClockMove, Journal } from "./journal.ts";
import type { Outcome } from "./outcome.ts";
import type { Draw } from "./randomness.ts";
import type { Moment, Timeline } from "./timeline.ts";
import type { ReaderEnds, WaitingReader, Watch } from "./waiting.ts";

/** What a door needs of the world behind it: the present, or a moment of the past, which takes no commands. */
export interface Host<S> {
  readonly state: S;
  readonly nowMs: EpochMs;
  readonly position: LogPosition;
  /** False for a view of the past. */
  readonly takesCommands: boolean;
  /**
   * Decides a command and makes its answer; then whatever has become due fires, before the caller goes on.
   *
   * @throws TypeError on a view of the past
   */
  execute<A>(command: Command, answer: (outcome: Outcome<unknown>) => A): A;
  /** Counts a request that commits nothing; the stream is for what its answer needs at random. */
  serve(): Draw;
  /**
   * Lets a reader wait until what it watches changes, or for its time.
   *
   * @throws TypeError on a view of the past
   */
  wait(reader: WaitingReader, watch: Watch<S>, ends: ReaderEnds, signal?: AbortSignal): void;
  /** Does something when the command under way has been answered. */
  later(work: () => void): void;
  /** Whether refusals over HTTP say why. */
  readonly explainsOverHttp: boolean;
  /** Where what is asked is noted; a moment of the past has none. */
  readonly journal: Journal | undefined;
  /** The line of time that it belongs to. */
  readonly origin: object;
  /** Who asks through it. */
  readonly program: string;
  /** The names of who asks besides the test author. */
  readonly programs: Set<string>;
  /** Whose order requests are decided in: all that ask the present of one world share it. */
  readonly turns: object;
  /** Lets time come up to where whoever leads it is, before a request is looked at. */
  comeUp(): void;
  /** Notes real work that an answer waits for, such as a signature: a clock that waits for everybody waits for it. */
  hold<T>(what: string, work: Promise<T>): Promise<T>;
}

/** Who leads the time of a world. */
export interface Leader {
  /** Who it is, for messages; undefined where others may move the clock, too. */
  readonly name: string | undefined;
  /** Moves time to where it is at the leader. */
  catchUp(): void;
  /** What is waited for may be another: whoever waits is to be woken in time. */
  rearm(): void;
  /** Leads no more. */
  stop(): void;
}

/** The present of a timeline. */
export class LiveHost<S extends object, M extends object> implements Host<S> {
  readonly takesCommands = true;
  readonly program: string = AUTHOR;
  readonly #timeline: Timeline<S, M>;
  readonly clock: VirtualClock<S, M>;
  readonly journal: Journal;
  readonly #held = new Set<symbol>();
  #asked = 0;
  #disposed = false;
  /** Who leads its time, while somebody does. */
  leader: Leader | undefined;

  readonly explainsOverHttp: boolean;

  constructor(timeline: Timeline<S, M>, clock: VirtualClock<S, M>, journal: Journal, explainsOverHttp = true) {
    this.#timeline = timeline;
    this.explainsOverHttp = explainsOverHttp;
    this.clock = clock;
    this.journal = journal;
  }

  get state(): S {
    this.refuseDisposed();
    return this.#timeline.state;
  }

  get nowMs(): EpochMs {
    this.refuseDisposed();
    return this.#timeline.nowMs;
  }

  get position(): LogPosition {
    this.refuseDisposed();
    return this.#timeline.position;
  }

  get origin(): object {
    return this.#timeline.history;
  }

  get programs(): Set<string> {
    this.refuseDisposed();
    return this.#timeline.programs;
  }

  get turns(): object {
    return this;
  }

  comeUp(): void {
    this.leader?.catchUp();
  }

  hold<T>(what: string, work: Promise<T>): Promise<T> {
    const held = Symbol(what);
    this.#held.add(held);
    const done = (): boolean => this.#held.delete(held);
    work.then(done, done);
    return work;
  }

  /** What real work answers wait for. */
  get held(): readonly string[] {
    return [...this.#held].map(({ description = "" }) => description);
  }

  /** Ends it: readers that wait are rejected, and further use is refused. */
  dispose(): void {
    if (this.#disposed) return;
    this.leader?.stop();
    this.leader = undefined;
    this.#disposed = true;
    this.#timeline.waiting.failAll(
      ({ request }) => new Error(`the simulator was disposed of while ${request} still waited`),
    );
  }

  /** @throws TypeError once it was disposed of */
  refuseDisposed(): void {
    if (this.#disposed)
      throw new TypeError("this simulator was disposed of: make another one, or fork before disposing");
  }

  /** How many requests and calls came in so far. */
  get asked(): number {
    return this.#asked;
  }

  execute<A>(command: Command, answer: (outcome: Outcome<unknown>) => A): A {
    this.refuseDisposed();
    // Requests and typed calls have come up before they looked at anything.
    if (command.via === "control") this.comeUp();
    this.#asked += 1;
    const outcome = this.#timeline.execute(command);
    try {
      return answer(outcome);
    } finally {
      // Also when the answer is an error that is thrown: its facts were kept, and may have made something due.
      this.clock.fireDue();
      this.#timeline.waiting.resume();
      this.leader?.rearm();
    }
  }

  /** Moves the clock, and notes how far that came. */
  moving<T>(by: ClockMove, move: () => T): T {
    const fromMs = this.nowMs;
    const moved = (): void => {
      if (this.#timeline.nowMs > fromMs) this.journal.add({ kind: "clock", fromMs, by });
    };
    let result: T | undefined;
    try {
      result = move();
      return result;
    } finally {
      if (result instanceof Promise) result.then(moved, moved);
      else moved();
    }
  }

  serve(): Draw {
    this.refuseDisposed();
    this.#asked += 1;
    return this.#timeline.serve();
  }

  wait(reader: WaitingReader, watch: Watch<S>, ends: ReaderEnds, signal?: AbortSignal): void {
    this.#timeline.waiting.enter(reader, watch, this.#timeline, ends, signal);
    this.leader?.rearm();
  }

  later(work: () => void): void {
    this.#timeline.waiting.later(work);
  }
}

/** A moment of a timeline's past. Its readers wait for nothing and are noted nowhere. */
export class PastHost<S extends object, M extends object> implements Host<S> {
  readonly takesCommands = false;
  readonly program: string = AUTHOR;
  readonly journal = undefined;
  readonly nowMs: EpochMs;
  readonly position: LogPosition;
  readonly origin: object;
  readonly explainsOverHttp: boolean;
  readonly #timeline: Timeline<S, M>;

  constructor(timeline: Timeline<S, M>, moment: Moment, explainsOverHttp = true) {
    this.explainsOverHttp = explainsOverHttp;
    this.#timeline = timeline.branch(moment);
    this.origin = timeline.history;
    this.nowMs = moment.atMs;
    this.position = moment.position;
  }

  get state(): S {
    return this.#timeline.state;
  }

  execute<A>(command: Command): A {
    throw new TypeError(`${command.name} is a command, and a view of the past only reads: fork it to go on from there`);
  }

  serve(): Draw {
    return this.#timeline.serve();
  }

  wait({ request }: WaitingReader): void {
    throw new TypeError(`${request} cannot wait: nothing happens any more in a view of the past`);
  }

  later(work: () => void): void {
    work();
  }

  get programs(): Set<string> {
    return this.#timeline.programs;
  }

  get turns(): object {
    return this;
  }

  comeUp(): void {}

  hold<T>(_: string, work: Promise<T>): Promise<T> {
    return work;
  }
}
