import type { Failed } from "./failed.ts";
import type { Prepared } from "./prepared.ts";
import { Schedule } from "./schedule.ts";

// A range is what is played in one piece: by whom and where makes no difference to what comes of it.

/** So many schedules are one range. */
export const RANGE = 16;

/** Schedules to be played: plain data. */
export interface RangeTask {
  readonly seed: number | string;
  /** The number of the first. */
  readonly from: number;
  readonly count: number;
  /** For those that vary another one: which, as text. */
  readonly bases: readonly (string | null)[];
}

/** What came of a range: plain data. */
export interface RangeResult {
  readonly from: number;
  /** For each schedule what it reached. What an earlier one of the range reached, too, is named by its place there. */
  readonly reached: readonly (readonly (string | number)[])[];
  readonly virtualMs: readonly number[];
  /** Those that reached something that none of the range before them did, as text; others are empty. */
  readonly schedules: readonly string[];
  readonly failures: readonly {
    readonly index: number;
    readonly failed: Omit<Failed, "error">;
    readonly schedule: string;
  }[];
}

/** A log is folded again after each so many schedules. */
const FOLDED_EVERY = 64;

/** Plays a range. */
export async function playRange(prepared: Prepared, { seed, from, count, bases }: RangeTask): Promise<RangeResult> {
  const names = new Map<string, number>();
  const reached: (string | number)[][] = [];
  const virtualMs: number[] = [];
  const schedules: string[] = [];
  const failures: RangeResult["failures"][number][] = [];
  for (const [index, drawn] of prepared.drawn(seed, from, count).entries()) {
    const base = bases[index];
    const schedule = base == null ? drawn : prepared.varied(Schedule.parse(base), drawn, `${seed}:${from + index}`);
    const played = await prepared.play(schedule, { checksLog: (from + index) % FOLDED_EVERY === 0 });
    await prepared.leave(played);
    virtualMs.push(played.virtualMs);
    const before = names.size;
    reached.push(
      [...played.reached].map((what) => {
        const known = names.get(what);
        if (known === undefined) names.set(what, names.size);
        return known ?? what;
      }),
    );
    schedules.push(names.size > before ? `${schedule}` : "");
    if (played.failed !== undefined) {
      const { error: _, ...failed } = played.failed;
      failures.push({ index, failed, schedule: `${schedule}` });
    }
  }
  return { from, reached, virtualMs, schedules, failures };
}

/** What the schedules of a range reached, in words. */
export function* reachedIn({ reached }: RangeResult): Generator<readonly string[]> {
  const names: string[] = [];
  for (const row of reached) {
    yield row.map((what) => {
      if (typeof what === "number") return names[what] as string;
      names.push(what);
      return what;
    });
  }
}
