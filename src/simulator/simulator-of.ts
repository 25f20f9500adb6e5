import { type Difference, differences } from "../kernel/diff.ts";
import type { Rehearsal } from "../kernel/rehearse.ts";
import { LiveSimulator } from "./live-simulator.ts";
import { type Rebuilt, type ReplayOptions, readLog, readLogInPieces, rehearseLog } from "./log.ts";
import { beginWorldOf, type WorldModel } from "./model.ts";
import type { ServiceName } from "./options.ts";
import { readOptionsOf } from "./read-options.ts";
import type { Moments, OptionsOf, Simulator } from "./types.ts";

/** What makes simulators of the services of a model. */
export interface Simulators<S extends ServiceName> {
  readonly create: (options?: OptionsOf<S>) => Simulator<S>;
  readonly replay: {
    (log: string, options?: ReplayOptions): Simulator<S>;
    (log: AsyncIterable<string>, options?: ReplayOptions): Promise<Simulator<S>>;
  };
  readonly rehearse: (log: string | AsyncIterable<string>) => Promise<Rehearsal>;
}

/** Makes simulators of the services of a model, which are those of `S`. */
export function simulatorsOf<S extends ServiceName = ServiceName>(model: WorldModel): Simulators<S> {
  // Each kind of simulator has the members of its model's services: the type says which these are.
  const over = (rebuilt: Rebuilt) => LiveSimulator.rebuilt(rebuilt) as object as Simulator<S>;
  return {
    create: (options) => {
      const settings = readOptionsOf(model.services, options);
      return over({ timeline: beginWorldOf(model, settings), settings, journal: [] });
    },
    replay: ((log: string | AsyncIterable<string>, options: ReplayOptions = {}) =>
      typeof log === "string"
        ? over(readLog(model, log, options))
        : readLogInPieces(model, log, options).then(over)) as Simulators<S>["replay"],
    rehearse: (log) => rehearseLog(model, log),
  };
}

/** Where two simulators or views differ, such as a fork and its parent. */
export function diff(before: Pick<Moments<never>, "state">, after: Pick<Moments<never>, "state">): Difference[] {
  return differences(before.state, after.state);
}
