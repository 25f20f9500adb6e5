import type { EpochMs } from "./brand.ts";
import type { VirtualClock } from "./clock.ts";
import type { Commit, RecordedEvent } from "./commit.ts";
import { differences } from "./diff.ts";
import type { Timeline } from "./timeline.ts";

/** What a command left, once in the log and once decided again. */
export interface Decided {
  readonly events: readonly RecordedEvent[];
  /** The code of an answer that was an error. */
  readonly failed?: string;
}

/** The first place at which a log and what is decided today part. */
export interface Divergence {
  readonly ok: false;
  readonly position: number;
  /** What the log has. */
  readonly expected: Decided;
  /** What is decided now. */
  readonly actual: Decided;
  /** In words: what differs. */
  readonly why: string;
}

export type Rehearsal = { readonly ok: true } | Divergence;

const NOTHING: Decided = Object.freeze({ events: Object.freeze([]) });

/** Decides commands again, on a timeline that begins as theirs did, and compares with what they left. */
export class Rehearsing<S extends object, M extends object> {
  readonly #timeline: Timeline<S, M>;
  readonly #clock: VirtualClock<S, M>;
  #divergence: Divergence | undefined;

  constructor(timeline: Timeline<S, M>, clock: VirtualClock<S, M>) {
    this.#timeline = timeline;
    this.#clock = clock;
  }

  /** The first divergence so far. */
  get divergence(): Divergence | undefined {
    return this.#divergence;
  }

  /** Decides the command of the next commit again; after a divergence nothing is decided any more. */
  commit(commit: Commit): void {
    this.#divergence ??= this.#missedTimer(commit) ?? this.#decidedOtherwise(commit);
  }

  /** Looks for deadlines that fall between the last commit and the end. */
  finish(nowMs: EpochMs): Rehearsal {
    const due = this.#clock.pending().find(({ dueAtMs }) => dueAtMs <= nowMs);
    if (this.#divergence === undefined && due !== undefined) {
      const position = this.#timeline.position + 1;
      const why = `${due.command} is due before the log's end, and the log has no commit for it`;
      this.#divergence = { ok: false, position, expected: NOTHING, actual: NOTHING, why };
    }
    return this.#divergence ?? { ok: true };
  }

  /** A deadline that is due before the next commit has to be that commit. */
  #missedTimer({ position, atMs, command, ...left }: Commit): Divergence | undefined {
    const deadline = command.caller?.["deadline"];
    const due = this.#clock.nextDeadline();
    if (due !== undefined && due.dueAtMs <= atMs && due.key !== deadline) {
      const why = `${due.command} is due first, and the log has ${command.name}`;
      return { ok: false, position, expected: decided(left), actual: NOTHING, why };
    }
    if (deadline !== undefined && due?.key !== deadline) {
      const why = `the log has ${command.name}, and no such deadline is armed`;
      return { ok: false, position, expected: decided(left), actual: NOTHING, why };
    }
    return undefined;
  }

  #decidedOtherwise({ position, atMs, command, ...left }: Commit): Divergence | undefined {
    this.#timeline.moveTo(atMs);
    const outcome = this.#timeline.execute(command);
    const expected = decided(left);
    if (outcome.commit === undefined) {
      const why =
        outcome.kind === "rejected"
          ? `it is refused with ${outcome.refusal.code}`
          : "it is done without leaving anything";
      return { ok: false, position, expected, actual: NOTHING, why };
    }
    const actual = decided(outcome.commit);
    if (JSON.stringify(actual) === JSON.stringify(expected)) return undefined;
    return { ok: false, position, expected, actual, why: whyDifferent(expected, actual) };
  }
}

function decided({ events, failed }: Decided): Decided {
  return failed === undefined ? { events } : { events, failed };
}

function whyDifferent(expected: Decided, actual: Decided): string {
  const types = (of: Decided): string => of.events.map(({ type }) => type).join(", ") || "no facts";
  if (types(expected) !== types(actual)) return `the log has ${types(expected)}; decided now: ${types(actual)}`;
  const [first] = differences(plain(expected), plain(actual));
  return first === undefined
    ? "the facts differ in the order of their members"
    : `${first.path} was ${JSON.stringify(first.before)} and is ${JSON.stringify(first.after)}`;
}

/** As the log has it: what has no JSON form is gone. */
function plain(value: Decided): unknown {
  return JSON.parse(JSON.stringify(value));
}
