import { Draw, seedKey } from "../kernel/randomness.ts";
import { realNowMs } from "../programs/machine.ts";
import { Counting, type Coverage } from "./coverage.ts";
import type { Failed } from "./failed.ts";
import type { Settings } from "./options.ts";
import { RANGE, type RangeResult, type RangeTask, reachedIn } from "./range.ts";

/** Whoever plays ranges: this process, its threads, or whoever takes them from a queue. */
export type Players = (tasks: readonly RangeTask[]) => AsyncIterable<RangeResult> | Iterable<Promise<RangeResult>>;

/** A failure as it was found. */
export interface Found {
  readonly failed: Omit<Failed, "error">;
  readonly schedule: string;
  /** The number of the schedule, from 1. */
  readonly n: number;
}

/** What was found, and in how much. */
export interface Searched {
  readonly schedules: number;
  readonly found: readonly Found[];
  readonly coverage: Coverage;
  readonly virtualMs: number;
}

/** How far a search is. */
export interface SearchProgress {
  readonly schedules: number;
  readonly of: number;
  readonly virtualMs: number;
  readonly reached: number;
  readonly failures: number;
}

/** The first round; each is twice as long as the one before, up to the last. */
const FIRST_ROUND = 64;
const LAST_ROUND = 2_048;

/** The schedules that reached something new, of which the last are varied. */
const CORPUS = 256;

/**
 * Plays schedules in rounds. What a round plays follows from the seed and from what the rounds before it reached, and what came of it is
 * counted in the order of its schedules: so who played them, and how many at a time, makes no difference.
 */
export async function search(
  settings: Pick<Settings, "schedules" | "seed" | "maxFailures" | "budgetMs">,
  players: Players,
  onProgress: (progress: SearchProgress) => void = () => undefined,
): Promise<Searched> {
  const { seed, maxFailures, budgetMs } = settings;
  const beganMs = realNowMs();
  const counting = new Counting();
  const corpus: string[] = [];
  const found: Found[] = [];
  let [played, virtualMs] = [0, 0];
  for (let round = FIRST_ROUND; played < settings.schedules; round = Math.min(2 * round, LAST_ROUND)) {
    if (found.length >= maxFailures || realNowMs() - beganMs >= budgetMs) break;
    const tasks = tasksOf(played, Math.min(round, settings.schedules - played), corpus, seed);
    const news: string[] = [];
    let isOver = false;
    for await (const result of players(tasks)) {
      let index = 0;
      for (const reached of reachedIn(result)) {
        if (isOver) break;
        played += 1;
        virtualMs += result.virtualMs[index] ?? 0;
        if (counting.add(reached)) news.push(result.schedules[index] ?? "");
        const failure = result.failures.find((one) => one.index === index);
        if (failure !== undefined && !found.some(({ failed }) => failed.key === failure.failed.key)) {
          found.push({ failed: failure.failed, schedule: failure.schedule, n: played });
          isOver = found.length >= maxFailures;
        }
        index += 1;
      }
      onProgress({
        schedules: played,
        of: settings.schedules,
        virtualMs,
        reached: counting.size,
        failures: found.length,
      });
      if (isOver) break;
    }
    counting.note(played);
    corpus.push(...news);
    corpus.splice(0, corpus.length - CORPUS);
  }
  return { schedules: played, found, coverage: await counting.coverage(), virtualMs };
}

function tasksOf(from: number, count: number, corpus: readonly string[], seed: number | string): RangeTask[] {
  const tasks: RangeTask[] = [];
  for (let begun = 0; begun < count; begun += RANGE) {
    const first = from + begun;
    const own = Math.min(RANGE, count - begun);
    const draw = new Draw(`${seedKey(seed)}:bases:${first}`);
    const bases = Array.from({ length: own }, () => (draw.below(2) === 0 ? null : baseIn(corpus, draw)));
    tasks.push({ seed, from: first, count: own, bases });
  }
  return tasks;
}

/** Of two that are drawn the later one: what was reached last leads further. */
function baseIn(corpus: readonly string[], draw: Draw): string | null {
  if (corpus.length === 0) return null;
  return corpus[Math.max(draw.below(corpus.length), draw.below(corpus.length))] ?? null;
}
