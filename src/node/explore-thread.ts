import { readSettings } from "../explore/options.ts";
import { Prepared } from "../explore/prepared.ts";
import { playRange, type RangeResult, type RangeTask } from "../explore/range.ts";
import { explorationOf } from "./explore/file.ts";

// A thread that plays ranges of the exploration of a file.

let prepared: Promise<Prepared> | undefined;

/** Plays a range. A world is made for the first. */
export async function play({ file, task }: { file: string; task: RangeTask }): Promise<RangeResult> {
  prepared ??= explorationOf(file).then(({ options }) => Prepared.of(file, readSettings(file, options)));
  return playRange(await prepared, task);
}
