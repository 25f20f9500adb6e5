import type { Plain } from "../../kernel/plain.ts";
import type { RunsRecorder } from "./declare.ts";
import type { RunId } from "./ids.ts";
import { advanceRun, carryOn } from "./runs/progress.ts";

/** Decides what happens when a deadline of a run is reached. */
type TimerDecider = (decision: RunsRecorder, input: { readonly [key: string]: Plain }) => void;

/** The deadlines of this service, by the names of their commands. */
export const runsTimers: Readonly<Record<string, TimerDecider>> = {
  /** The phase in which a run spent time is over. */
  "timer.runPhase": (decision, input) => {
    const run = input["run"] as RunId;
    advanceRun(decision, run);
    carryOn(decision, run);
  },
};
