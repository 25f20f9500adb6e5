import { type EpochMs, type LogPosition, logPosition } from "./brand.ts";
import { AUTHOR, type Command, type Commit, programOf, type RecordedEvent } from "./commit.ts";
import { Deciding } from "./deciding.ts";
import { foldCommit } from "./fold.ts";
import { History } from "./history.ts";
import type { Model } from "./model.ts";
import { Ending, type Outcome, type Refusal } from "./outcome.ts";
import { deepFreeze } from "./plain.ts";
import { Draw, seedKey } from "./randomness.ts";
import { WaitingRoom } from "./waiting.ts";

/** Where a place in history lies: a position, and the instant at which its clock stands. */
export interface Moment {
  readonly position: LogPosition;
  readonly atMs: EpochMs;
}

export interface TimelineStart<S extends object> {
  readonly seed: number | string;
  readonly startAtMs: EpochMs;
  readonly initialState: S;
  readonly checkpointEvery: number;
}

/** Is told of each command that was decided, and what came of it. */
export type DecisionObserver = (command: Command, outcome: Outcome<unknown>) => void;

/**
 * One line of time: a state, the log that made it, and the present instant. It decides commands, keeps what they record,
 * and branches; what drives its clock is `VirtualClock`.
 */
export class Timeline<S extends object, M extends object> {
  readonly model: Model<S, M>;
  readonly seed: number | string;
  readonly startAtMs: EpochMs;
  readonly history: History<S, M>;
  readonly waiting = new WaitingRoom<S>();
  readonly #observers = new Set<() => void>();
  readonly #decisionObservers = new Set<DecisionObserver>();
  readonly #marks: Map<string, Moment>;
  /** The names of who has asked besides the test author: known beside the facts, as marks are. */
  readonly programs = new Set<string>();
  #position: LogPosition;
  #nowMs: EpochMs;
  #state: S | undefined;
  #requestsServed = 0;
  /** What the names of streams to come begin with: in a rewritten history positions are taken. */
  #streams = "";
  /** Knows the streams of commands that were drawn from before, while a history is rewritten. */
  #streamOf: ((command: Command, atMs: EpochMs) => string | undefined) | undefined;

  private constructor(
    origin: { readonly model: Model<S, M>; readonly seed: number | string; readonly startAtMs: EpochMs },
    history: History<S, M>,
    moment: Moment,
    marks: Map<string, Moment>,
    state: S | undefined,
  ) {
    this.model = origin.model;
    this.seed = origin.seed;
    this.startAtMs = origin.startAtMs;
    this.history = history;
    this.#position = moment.position;
    this.#nowMs = moment.atMs;
    this.#marks = marks;
    this.#state = state;
  }

  static begin<S extends object, M extends object>(model: Model<S, M>, start: TimelineStart<S>): Timeline<S, M> {
    const state = start.initialState;
    const moment = { position: logPosition(0), atMs: start.startAtMs };
    const history = History.begin(model, start.checkpointEvery, state);
    return new Timeline({ model, ...start }, history, moment, new Map(), state);
  }

  get state(): S {
    this.#state ??= this.history.stateAt(this.#position);
    return this.#state;
  }

  /** The position of the last commit. */
  get position(): LogPosition {
    return this.#position;
  }

  get nowMs(): EpochMs {
    return this.#nowMs;
  }

  // --- deciding ---------------------------------------------------------------------------------------------------

  /** Decides a command at the present instant, and commits what it recorded. */
  execute(command: Command): Outcome<unknown> {
    const outcome = this.#decide(command);
    for (const observer of this.#decisionObservers) observer(command, outcome);
    return outcome;
  }

  #decide(command: Command): Outcome<unknown> {
    const decide = this.model.deciderOf(command);
    if (decide === undefined) throw new TypeError(`${command.name} is no command`);
    const before = this.state;
    const position = logPosition(this.#position + 1);
    const stream = command.stream ?? this.#streamOf?.(command, this.#nowMs) ?? `${this.#streams}${position}`;
    const draw = new Draw(`${seedKey(this.seed)}:${stream}`);
    const deciding = new Deciding(this.model, before, position, this.#nowMs, command.caller, draw);
    let result: unknown;
    let refusal: Refusal | undefined;
    try {
      result = decide(deciding, command.input);
    } catch (ending) {
      if (!(ending instanceof Ending)) throw ending;
      refusal = deciding.refusalOf(ending);
      if (!ending.keepsFacts) deciding.forget();
    }
    // A timer's deadline is used up whatever was decided; of all others only facts make a commit.
    const isTimer = command.caller?.["deadline"] !== undefined;
    if (deciding.events.length === 0 && !isTimer) {
      const aside = { commit: undefined, draw: this.serve(), moves: deciding.moves };
      return refusal === undefined ? { kind: "accepted", result, ...aside } : { kind: "rejected", refusal, ...aside };
    }
    const recorded = withStream(command, stream === `${position}` ? undefined : stream);
    const commit = commitOf(position, this.#nowMs, recorded, deciding.events, refusal);
    this.#commit(commit, deciding.settled());
    const aside = { commit, draw: deciding.draw, moves: deciding.moves };
    return refusal === undefined ? { kind: "accepted", result, ...aside } : { kind: "failed", refusal, ...aside };
  }

  /**
   * Decides the command of a commit once more, with what it drew then. On this timeline its position may be another one, and so
   * may be the streams of commands to come.
   */
  executeAgain({ position, command }: Commit): Outcome<unknown> {
    return this.execute({ ...command, stream: command.stream ?? `${position}` });
  }

  /** Counts a request that commits nothing, and gives the stream for what its answer needs at random. */
  serve(): Draw {
    const served = this.#requestsServed++;
    return new Draw(`${seedKey(this.seed)}:${this.#position}:${served}`);
  }

  #commit(commit: Commit, after: S): void {
    this.history.append(commit, after);
    const program = programOf(commit.command);
    if (program !== AUTHOR) this.programs.add(program);
    this.#state = after;
    this.#position = commit.position;
    this.#requestsServed = 0;
    this.waiting.committed(after);
    this.#changed();
  }

  // --- watching ---------------------------------------------------------------------------------------------------

  /**
   * Tells whoever asks that there is a commit, an instant or a mark more. It must neither throw nor decide anything.
   *
   * @returns what ends it
   */
  observe(observer: () => void): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  /** Tells whoever asks of each decision, also of one that commits nothing. It must neither throw nor decide anything. */
  observeDecisions(observer: DecisionObserver): () => void {
    this.#decisionObservers.add(observer);
    return () => this.#decisionObservers.delete(observer);
  }

  #changed(): void {
    for (const observer of this.#observers) observer();
  }

  // --- replaying --------------------------------------------------------------------------------------------------

  /** Takes a commit as it was recorded: its facts are folded, and nothing is decided. */
  replay(commit: Commit): void {
    if (commit.position !== this.#position + 1)
      throw new RangeError(`commit ${commit.position} follows ${this.#position}`);
    const after = foldCommit(this.model, this.state, commit);
    this.moveTo(commit.atMs);
    this.#commit(commit, after);
  }

  /** Takes the present instant, the marks and the programs, as a log ends with them. */
  restore(end: {
    readonly nowMs: EpochMs;
    readonly marks: ReadonlyMap<string, Moment>;
    readonly programs?: Iterable<string>;
  }): void {
    this.moveTo(end.nowMs);
    for (const [name, moment] of end.marks) this.#marks.set(name, moment);
    for (const name of end.programs ?? []) this.programs.add(name);
  }

  /** Draws from streams with a prefix, but for commands whose stream `streamOf` knows. */
  drawAs(prefix: string, streamOf?: (command: Command, atMs: EpochMs) => string | undefined): void {
    this.#streams = prefix;
    this.#streamOf = streamOf;
  }

  /** What the names of streams to come begin with. */
  get streams(): string {
    return this.#streams;
  }

  // --- moving and branching ---------------------------------------------------------------------------------------

  /** Sets the present instant. Time never goes backward. */
  moveTo(instantMs: EpochMs): void {
    if (instantMs < this.#nowMs)
      throw new RangeError(`time never goes backward: now ${this.#nowMs}, asked ${instantMs}`);
    const moved = instantMs !== this.#nowMs;
    this.#nowMs = instantMs;
    if (moved) this.#changed();
  }

  get marks(): ReadonlyMap<string, Moment> {
    return this.#marks;
  }

  mark(name: string): void {
    this.#marks.set(name, { position: this.#position, atMs: this.#nowMs });
    this.#changed();
  }

  /** A line of time with the same past up to a moment, and its own future from there. */
  branch(moment: Moment): Timeline<S, M> {
    const state = moment.position === this.#position ? this.#state : undefined;
    const marks = new Map([...this.#marks].filter(([, mark]) => !isLater(mark, moment)));
    const branch = new Timeline(this, this.history.branch(moment.position, state), moment, marks, state);
    branch.#streams = this.#streams;
    for (const name of this.programs) branch.programs.add(name);
    return branch;
  }
}

function isLater(left: Moment, right: Moment): boolean {
  return left.position > right.position || left.atMs > right.atMs;
}

function withStream(command: Command, stream: string | undefined): Command {
  if (command.stream === stream) return command;
  const { stream: _, ...plain } = command;
  return stream === undefined ? plain : { ...plain, stream };
}

function commitOf(
  position: LogPosition,
  nowMs: EpochMs,
  command: Command,
  events: readonly RecordedEvent[],
  refusal: Refusal | undefined,
): Commit {
  // A copy: what an array has grown by pushing stays reserved, and the log keeps it for ever.
  const commit = { position, atMs: nowMs, command: deepFreeze(command), events: Object.freeze(events.slice()) };
  return Object.freeze(refusal === undefined ? commit : { ...commit, failed: refusal.code });
}
