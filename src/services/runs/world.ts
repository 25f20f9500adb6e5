import type { Part } from "../../kernel/evolvers.ts";
import type { LineWorld } from "../../surroundings/faults/line.ts";
import { DEFAULT_RUNS_URL, newRunService, type RunService } from "./state.ts";

/** What the run service reads and changes. The part appears with its first fact, unless options gave it settings. */
export interface RunsWorld extends LineWorld {
  readonly runs?: RunService;
}

const UNTOUCHED: RunService = Object.freeze(newRunService(DEFAULT_RUNS_URL));

/** The run service of a world, also when nothing has happened in it yet. */
export function runServiceOf({ runs }: RunsWorld): RunService {
  return runs ?? UNTOUCHED;
}

/** The part that facts change. */
export const withRunService: Part<RunsWorld, RunService, unknown> = (world, _, change) => {
  const before = runServiceOf(world);
  const after = change(before);
  return after === before ? world : { ...world, runs: after };
};
