import type { EpochMs, LogPosition } from "./brand.ts";
import type { Command, Commit, RecordedEvent } from "./commit.ts";
import { type Difference, differences } from "./diff.ts";
import type { Move, Outcome } from "./outcome.ts";
import { isSame } from "./rehearse.ts";
import type { Timeline } from "./timeline.ts";

/** How a commit came about: what was asked, which charts were asked what, what was recorded, and what changed. */
export interface CommitExplained {
  readonly position: LogPosition;
  readonly atMs: EpochMs;
  readonly command: Command;
  readonly moves: readonly Move[];
  readonly events: readonly RecordedEvent[];
  readonly changes: readonly Difference[];
  /** What the command came to when it was decided again; undefined when today's rules do not come to its facts. */
  readonly outcome: Outcome<unknown> | undefined;
}

/** Decides a commit's command once more, on a branch from just before it, to see what the log does not keep. */
export function explainCommit<S extends object, M extends object>(
  timeline: Timeline<S, M>,
  position: LogPosition,
): CommitExplained {
  const commit = timeline.history.commitAt(position);
  const before = timeline.history.stateAt(position - 1);
  const after = timeline.history.stateAt(position);
  const branch = timeline.branch({ position: (position - 1) as LogPosition, atMs: commit.atMs });
  const outcome = decidedAgain(branch, commit);
  return {
    position,
    atMs: commit.atMs,
    command: commit.command,
    moves: outcome?.moves ?? [],
    events: commit.events,
    changes: differences(before, after),
    outcome,
  };
}

/** What a log does not keep can only be told while the rules are those that it was made by. */
function decidedAgain<S extends object, M extends object>(
  branch: Timeline<S, M>,
  commit: Commit,
): Outcome<unknown> | undefined {
  try {
    const outcome = branch.executeAgain(commit);
    return outcome.commit !== undefined && isSame(commit, outcome.commit) ? outcome : undefined;
  } catch {
    return undefined;
  }
}
