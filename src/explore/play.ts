import { gateRequests, observeRequests } from "../http/line.ts";
import type { Simulator } from "../index.ts";
import { epochMs } from "../kernel/brand.ts";
import { AUTHOR } from "../kernel/commit.ts";
import { Draw } from "../kernel/randomness.ts";
import { turn } from "../programs/machine.ts";
import { untilQuiet } from "../programs/quiet.ts";
import { type Inside, LiveSimulator } from "../simulator/live-simulator.ts";
import { replay } from "../simulator.ts";
import { done, stateMet, tried, type Undo } from "./acts.ts";
import { moveText } from "./coverage.ts";
import { type Failed, failedWith } from "./failed.ts";
import type { Judge, Run, Settings } from "./options.ts";
import { type Act, effectOf, type Schedule, type Step, stepText } from "./schedule.ts";
import { Turns } from "./turns.ts";

/** What came of a schedule. */
export interface Played {
  readonly failed: Failed | undefined;
  /** What was reached: moves of charts, refusals, faults with what they met. */
  readonly reached: ReadonlySet<string>;
  readonly virtualMs: number;
  /** The world at the end, which whoever asked for it disposes of. */
  readonly sim: Simulator;
  /** Where the log stood after the world was made, and after each step. */
  readonly marks: readonly Mark[];
}

export interface Mark {
  readonly title: string;
  readonly position: number;
  readonly atMs: number;
}

/** So long a step waits for a request that does not come. */
const REQUEST_WAIT_MS = 600_000;

/** So long, in real time, programs may take to come to rest at an instant. */
const REST_LIMIT_MS = 10_000;

/** Rules judge by what programs did from the beginning on. */
const JOURNAL_ENTRIES = 1_000_000;

/** A log of so many commits is folded again to see that it tells all. */
const FOLDED_AGAIN = 5_000;

/** Plays schedules, one after the other. What a program throws where nobody waits for it counts as the failure of its schedule. */
export class Player {
  readonly #settings: Settings;
  #playing: Playing | undefined;
  readonly #rejected = (error: unknown): void => this.#playing?.fail("program", error);

  constructor(settings: Settings) {
    this.#settings = settings;
    process.on("unhandledRejection", this.#rejected);
  }

  /** Plays a schedule on a fork of its world. */
  play(world: Simulator, schedule: Schedule, { checksLog = false }: PlayOptions = {}): Promise<Played> {
    this.#playing = new Playing(world.fork(), this.#settings, schedule);
    return this.#playing.play(checksLog);
  }

  /** Ends a world. Programs that still wait for something in it come to their end before the next one begins. */
  async leave({ sim }: Played): Promise<void> {
    sim.dispose();
    if (this.#settings.programs.length === 0) return;
    for (let turns = 0; turns < TURNS_TO_LEAVE; turns++) await turn();
  }

  end(): void {
    process.off("unhandledRejection", this.#rejected);
  }
}

export interface PlayOptions {
  /** Whether its log is folded again. */
  readonly checksLog?: boolean;
}

/** Who is told that a simulator is gone goes on once, and what it throws then is told a turn later. */
const TURNS_TO_LEAVE = 2;

class Playing {
  readonly #sim: Simulator;
  readonly #inside: Inside;
  readonly #settings: Settings;
  readonly #schedule: Schedule;
  readonly #reached = new Set<string>();
  readonly #programs: Record<string, unknown> = {};
  readonly #marks: Mark[] = [];
  /** What takes faults back, and when. */
  readonly #undos: { readonly dueMs: number; readonly undo: Undo }[] = [];
  /** The step that waits for a request. */
  #awaited: { left: number; readonly act: Act } | undefined;
  #failed: Failed | undefined;
  #isOver = false;

  constructor(sim: Simulator, settings: Settings, schedule: Schedule) {
    this.#sim = sim;
    this.#inside = LiveSimulator.insideOf(sim);
    this.#inside.host.journal?.keepAtLeast(JOURNAL_ENTRIES);
    this.#settings = settings;
    this.#schedule = schedule;
  }

  async play(checksLog: boolean): Promise<Played> {
    const sim = this.#sim;
    const beganMs = sim.clock.now();
    const { timeline, host } = this.#inside;
    const stopWatching = this.#watch();
    this.#mark("The world is made");
    observeRequests(host, ({ program }, { operation = "" }) => {
      if (program !== AUTHOR) this.#requestSetsOut(program, operation);
    });
    if (this.#schedule.turns.length > 0) {
      const turns = new Turns(this.#schedule.turns);
      gateRequests(host, () => turns.next());
    }
    try {
      const [first] = this.#schedule.steps;
      // The first request of all may set out while its program is started.
      if (first?.wait.kind === "request") this.#await(first.wait.n, first.act);
      this.#start();
      for (const step of this.#schedule.steps) {
        if (this.#failed !== undefined) break;
        if (step !== first && step.wait.kind === "request") this.#await(step.wait.n, step.act);
        await this.#take(step);
        this.#mark(stepText(step));
      }
      if (this.#failed === undefined) await this.#end();
    } catch (error) {
      this.fail("program", error);
    }
    stopWatching();
    if (this.#failed === undefined) await this.#judgeEnd();
    if (this.#failed === undefined && checksLog && timeline.position < FOLDED_AGAIN) this.#foldAgain();
    this.#isOver = true;
    return {
      failed: this.#failed,
      reached: this.#reached,
      virtualMs: timeline.nowMs - beganMs,
      sim,
      marks: this.#marks,
    };
  }

  /** The first failure counts. */
  fail(judge: string, error: unknown): void {
    if (!this.#isOver) this.#failed ??= failedWith(judge, error);
  }

  #mark(title: string): void {
    const { position, nowMs: atMs } = this.#inside.timeline;
    this.#marks.push({ title, position, atMs });
  }

  // --- what is seen ---------------------------------------------------------------------------------------------------

  #watch(): () => void {
    const reached = this.#reached;
    const { always } = this.#settings;
    return this.#inside.timeline.observeDecisions(({ name }, { moves, commit, ...outcome }) => {
      for (const { machine, from, event, to } of moves) reached.add(moveText(machine, from, event, to));
      if ("refusal" in outcome) reached.add(`${name} refused: ${outcome.refusal.code}`);
      if (commit !== undefined && always.length > 0 && this.#failed === undefined) this.#judge(always);
    });
  }

  #judge(judges: readonly Judge[]): void {
    const run = this.#run();
    // What a judge tries on its fork is none of the run's.
    judges.forEach((judge, index) => {
      if (this.#failed !== undefined) return;
      const name = judge.name || `always[${index}]`;
      try {
        const held = judge(run);
        if (held instanceof Promise) throw new TypeError("its promise is not waited for: it has to say it at once");
        if (held === false) throw new Error("it does not hold");
      } catch (error) {
        this.fail(name, error);
      }
    });
  }

  #run(): Run {
    const sim = this.#sim;
    let fork: Simulator | undefined;
    return {
      get sim() {
        fork ??= sim.fork();
        return fork;
      },
      get journal() {
        return sim.journal;
      },
      programs: this.#programs,
      schedule: this.#schedule,
    };
  }

  // --- what happens ---------------------------------------------------------------------------------------------------

  #start(): void {
    for (const [name, start] of this.#settings.programs) {
      const draw = new Draw(`${this.#schedule.seed}:${name}`);
      const judge = `program ${name}`;
      try {
        const gave = start(this.#sim.program(name), () => draw.uint32() / 2 ** 32, this.#sim);
        if (!(gave instanceof Promise)) this.#programs[name] = gave;
        else {
          const came = (value: unknown): void => {
            this.#programs[name] = value;
          };
          gave.then(came, (error) => this.fail(judge, error));
        }
      } catch (error) {
        this.fail(judge, error);
      }
    }
  }

  async #take({ wait, act }: Step): Promise<void> {
    const { nowMs } = this.#inside.timeline;
    switch (wait.kind) {
      case "after":
        await this.#moveTo(nowMs + wait.ms);
        break;
      case "due":
        // Who has begun asks, and arms timers.
        await this.#moveTo(nowMs);
        await this.#moveTo(
          Math.max(nowMs, Math.min(this.#dueMs(wait.n) + wait.offsetMs, nowMs + this.#settings.calmMs)),
        );
        break;
      case "request": {
        await this.#moveTo(nowMs + REQUEST_WAIT_MS, () => this.#awaited === undefined);
        // What nobody asks for meets nothing.
        this.#awaited = undefined;
        return;
      }
      default:
        wait satisfies never;
    }
    if (this.#failed === undefined) await this.#do(act);
  }

  #await(n: number, act: Act): void {
    this.#awaited = { left: n, act };
  }

  #requestSetsOut(program: string, operation: string): void {
    const awaited = this.#awaited;
    if (awaited === undefined || --awaited.left > 0) return;
    this.#awaited = undefined;
    const { act } = awaited;
    if (act.kind === "do") return;
    this.#reached.add(`${act.kind} at ${operation}`);
    this.#happens(act, program);
  }

  async #do(act: Act): Promise<void> {
    if (act.kind !== "do") return this.#happens(act);
    const action = this.#settings.actions.get(act.name);
    if (action === undefined) throw new TypeError(`schedule: ${act.name} is no action`);
    try {
      const doing = action(this.#sim, act.n);
      if (doing instanceof Promise) await doing;
    } catch (error) {
      this.fail(`action ${act.name}`, error);
    }
  }

  #happens(act: Exclude<Act, { readonly kind: "do" }>, asking?: string): void {
    if (act.kind === "calm") return;
    const met = stateMet(this.#sim, act);
    if (met !== "") this.#reached.add(`${act.kind}: ${met}`);
    const undo = done(this.#sim, act, asking);
    if (undo === undefined) return;
    const lastsMs = "forMs" in act ? act.forMs : effectOf(act) === undefined ? 0 : Number.POSITIVE_INFINITY;
    this.#undos.push({ dueMs: this.#inside.timeline.nowMs + lastsMs, undo });
    this.#undos.sort((left, right) => left.dueMs - right.dueMs);
  }

  /** The n-th instant at which something is due; the last, where there are fewer within the longest wait. */
  #dueMs(n: number): number {
    const { nowMs } = this.#inside.timeline;
    let [last, left] = [nowMs, n];
    for (const { dueAtMs } of this.#sim.clock.pending()) {
      if (dueAtMs <= last) continue;
      if (dueAtMs > nowMs + this.#settings.calmMs) break;
      last = dueAtMs;
      left -= 1;
      if (left === 0) break;
    }
    return last;
  }

  /** Lets time pass up to an instant, in which faults come to their ends. */
  async #moveTo(untilMs: number, until: () => boolean = () => false): Promise<void> {
    const isOver = (): boolean => this.#failed !== undefined || until();
    while (!isOver()) {
      const [next] = this.#undos;
      if (next === undefined || next.dueMs > untilMs) return this.#runTo(untilMs, isOver);
      await this.#runTo(next.dueMs, isOver);
      if (isOver()) return;
      this.#undos.shift();
      // What cannot be taken back now is, at the end: a cluster that is stopped cannot be unsealed.
      if (!tried(next.undo)) this.#undos.push({ dueMs: Number.POSITIVE_INFINITY, undo: next.undo });
    }
  }

  async #runTo(instantMs: number, until: () => boolean): Promise<void> {
    const { host } = this.#inside;
    const target = epochMs(Math.max(instantMs, host.nowMs));
    if (this.#settings.programs.length === 0) {
      host.clock.advanceTo(target);
      return;
    }
    const watched = { asked: () => host.asked, held: () => host.held };
    const patience = { quietTurns: 1, limitMs: REST_LIMIT_MS, onLong: () => undefined };
    const breathe = () => untilQuiet(watched, patience);
    const turnsFirst = this.#schedule.ties === "programs-first";
    await host.clock.runTo(target, breathe, { between: turn, turnsFirst, until });
  }

  /** All is healed, and the world is left alone. */
  async #end(): Promise<void> {
    // Once more, for what could not be taken back before something else was.
    for (let round = 0; round < 2; round++) {
      for (const { dueMs, undo } of this.#undos.splice(0)) if (!tried(undo)) this.#undos.push({ dueMs, undo });
    }
    await this.#moveTo(this.#inside.timeline.nowMs + this.#settings.settleMs);
    this.#mark("All is healed, and has settled");
  }

  /** Rules come first: they say who did what, and when. */
  async #judgeEnd(): Promise<void> {
    this.#judgeConduct();
    const run = this.#run();
    for (const [index, judge] of this.#settings.finally.entries()) {
      if (this.#failed !== undefined) return;
      try {
        if ((await judge(run)) === false) throw new Error("it does not hold");
      } catch (error) {
        this.fail(judge.name || `finally[${index}]`, error);
      }
    }
  }

  #judgeConduct(): void {
    const { conduct, programs } = this.#settings;
    if (conduct.length === 0) return;
    const { journal } = this.#sim;
    for (const rule of conduct) {
      for (const [name] of programs) {
        const [breach] = rule(journal, this.#sim, name);
        if (breach === undefined) continue;
        const { rule: judge, text, entry } = breach;
        const key = `${judge}|${name}|${entry.refusal?.code ?? ""}`;
        this.#failed ??= { judge, message: text, key };
        return;
      }
    }
  }

  /** The log tells all that happened: that is ours to keep, whatever programs do. */
  #foldAgain(): void {
    const again = replay(this.#sim.log.toNdjson());
    if (again.stateHash() !== this.#sim.stateHash()) {
      this.fail("hindcast", new Error("the log leads to another state: that is a fault of the simulator"));
    }
    again.dispose();
  }
}
