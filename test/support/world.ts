import { beginWorldOf, newWorldOf, type WorldBirth } from "../../src/simulator/model.ts";
import { readVocabularyOf } from "../../src/simulator/read-vocabulary.ts";
import { type Settings, type World, type WorldTimeline, worldModel } from "../../src/simulator/world.ts";

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
