import type { LogHeader } from "../../src/kernel/log-format.ts";
import { headerOfLog, type LogOutcome, witnessLogOf } from "../../src/simulator/log.ts";
import { beginWorldOf, newWorldOf, type WorldBirth, type WorldModel } from "../../src/simulator/model.ts";
import { readOptionsOf } from "../../src/simulator/read-options.ts";
import { readVocabularyOf } from "../../src/simulator/read-vocabulary.ts";
import { worldModel } from "../../src/simulator/services.ts";
import type { Settings, SimulatorOptions, World, WorldTimeline } from "../../src/simulator/world.ts";

/** Reads the options of a simulator. */
export function readOptions(options: SimulatorOptions): Settings {
  return readOptionsOf(worldModel.services, options);
}

/** The header of a log that has ended. */
export function headerOf(settings: Settings, streams: string): LogHeader {
  return headerOfLog(worldModel.services, settings, streams);
}

/** Reads and folds a log of any length without keeping it. */
export function witnessLog(...asked: Witnessing): Promise<LogOutcome> {
  return witnessLogOf(worldModel, ...asked);
}

type Witnessing = Parameters<typeof witnessLogOf> extends [WorldModel, ...infer Rest] ? Rest : never;

/** A world in which nothing has happened. */
export function newWorld(birth: WorldBirth): World {
  return newWorldOf(worldModel.services, birth);
}

/** The beginning of a simulator's time. */
export function beginWorld(settings: Settings): WorldTimeline {
  return beginWorldOf(worldModel, settings);
}

/** The vocabulary of an option. */
export function readVocabulary(name: string, given: unknown): NonNullable<Settings["vocabulary"]> {
  return readVocabularyOf(worldModel.services, name, given);
}
