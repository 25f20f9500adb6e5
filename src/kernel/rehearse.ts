import type { EpochMs } from "./brand.ts";
import type { VirtualClock } from "./clock.ts";
import type { Commit, RecordedEvent } from "./commit.ts";
import { differences } from "./diff.ts";
import { differencesText } from "./difference-text.ts";
import type { Outcome } from "./outcome.ts";
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
  /** In words: what differs; for facts that say something else, on several lines. */
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
    this.#divergence ??= this.#firedOtherwise(commit) ?? this.#decidedOtherwise(commit);
  }

  /** Looks for deadlines that fall between the last commit and the end. */
  finish(nowMs: EpochMs): Rehearsal {
    const due = this.#clock.nextDeadline();
    if (this.#divergence === undefined && due !== undefined && this.#isMissed(due, nowMs)) {
      const position = this.#timeline.position + 1;
      const why = `${due.command} is due before the log's end, and the log has no commit for it`;
      this.#divergence = { ok: false, position, expected: NOTHING, actual: this.#firedNow(), why };
    }
    return this.#divergence ?? { ok: true };
  }

  /**
   * Whether a deadline has to have fired before the log goes on at an instant. As long as the clock stands still it may wait: a fork
   * can begin between a commit and what that commit made due.
   */
  #isMissed({ dueAtMs }: { readonly dueAtMs: EpochMs }, atMs: EpochMs): boolean {
    return dueAtMs <= atMs && atMs > this.#timeline.nowMs;
  }

  /** A deadline that is due before the next commit has to be that commit, and a timer's commit has to have been due. */
  #firedOtherwise(commit: Commit): Divergence | undefined {
    const { position, atMs, command } = commit;
    const expected = decided(commit);
    const deadline = command.caller?.["deadline"];
    const due = this.#clock.nextDeadline();
    if (deadline !== undefined && (due === undefined || due.dueAtMs > atMs)) {
      const why = `the log has ${command.name}, and no such deadline is due`;
      return { ok: false, position, expected, actual: NOTHING, why };
    }
    const isOther =
      deadline === undefined
        ? due !== undefined && this.#isMissed(due, atMs)
        : due?.key !== deadline || due?.command !== command.name;
    if (!isOther) return undefined;
    const first = due?.command === command.name ? `another ${due.command}` : due?.command;
    const why = `${first} is due first, and the log has ${command.name}`;
    return { ok: false, position, expected, actual: this.#firedNow(), why };
  }

  /** What the next deadline leaves when it fires. */
  #firedNow(): Decided {
    const [fired] = this.#clock.next();
    return fired === undefined ? NOTHING : decided(this.#timeline.history.commitAt(fired.position));
  }

  #decidedOtherwise(commit: Commit): Divergence | undefined {
    const { position, atMs } = commit;
    const expected = decided(commit);
    const parted = (why: string, actual = NOTHING): Divergence => ({ ok: false, position, expected, actual, why });
    this.#timeline.moveTo(atMs);
    let outcome: Outcome<unknown>;
    try {
      outcome = this.#timeline.executeAgain(commit);
    } catch (error) {
      // What nobody decides any more, or takes other inputs now, is a divergence like others.
      return parted(`it is no longer decided: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (outcome.commit === undefined) {
      return parted(
        outcome.kind === "rejected"
          ? `it is refused with ${outcome.refusal.code}`
          : "it is done without leaving anything",
      );
    }
    const actual = decided(outcome.commit);
    return isSame(expected, actual) ? undefined : parted(whyDifferent(expected, actual), actual);
  }
}

function decided({ events, failed }: Decided): Decided {
  return failed === undefined ? { events } : { events, failed };
}

/** Whether two commits left the same facts and the same code. In which order members stand is no difference. */
export function isSame(one: Decided, other: Decided): boolean {
  const [left, right] = [decided(one), decided(other)];
  return JSON.stringify(left) === JSON.stringify(right) || differences(plain(left), plain(right)).length === 0;
}

/** Beyond so many a message says no more than the facts themselves, which stand beside it. */
const DIFFERENCES_TOLD = 5;

function whyDifferent(expected: Decided, actual: Decided): string {
  const types = (of: Decided): string => of.events.map(({ type }) => type).join(", ") || "no facts";
  if (types(expected) !== types(actual)) return `the log has ${types(expected)}; decided now: ${types(actual)}`;
  const found = differences(plain(expected), plain(actual));
  return `what it leaves now differs from the log:\n${differencesText(found, DIFFERENCES_TOLD)}`;
}

/** As the log has it: what has no JSON form is gone. */
function plain(value: Decided): unknown {
  return JSON.parse(JSON.stringify(value));
}
