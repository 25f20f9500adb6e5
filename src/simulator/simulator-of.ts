import type { Rehearsal } from "../kernel/rehearse.ts";
import { LiveSimulator } from "./live-simulator.ts";
import { type Rebuilt, type ReplayOptions, readLog, readLogInPieces, rehearseLog } from "./log.ts";
import { beginWorldOf, type WorldModel } from "./model.ts";
import { readOptionsOf } from "./read-options.ts";
import type { Simulator } from "./types.ts";

/** What makes simulators of the services of a model. */
export interface Simulators<S> {
  readonly create: (options: object) => S;
  readonly replay: (log: string, options: ReplayOptions) => S;
  readonly replayInPieces: (log: AsyncIterable<string>, options: ReplayOptions) => Promise<S>;
  readonly rehearse: (log: string | AsyncIterable<string>) => Promise<Rehearsal>;
}

/** Makes simulators of the services of a model. */
export function simulatorsOf(model: WorldModel): Simulators<Simulator> {
  const rebuilt = ({ timeline, settings }: Rebuilt): Simulator => LiveSimulator.over(timeline, settings);
  return {
    create: (options) => {
      const settings = readOptionsOf(model.services, options);
      return LiveSimulator.over(beginWorldOf(model, settings), settings);
    },
    replay: (log, options) => rebuilt(readLog(model, log, options)),
    replayInPieces: async (log, options) => rebuilt(await readLogInPieces(model, log, options)),
    rehearse: (log) => rehearseLog(model, log),
  };
}
