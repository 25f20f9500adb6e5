import * as v from "valibot";
import { readArgument } from "../kernel/arguments.ts";
import { copyPlain, type Plain } from "../kernel/plain.ts";
import { whole } from "../services/kit/options.ts";
import type { WorldService } from "./model.ts";
import type { CommonSettings } from "./options.ts";
import { readVocabularyOf } from "./read-vocabulary.ts";
import type { Settings } from "./world.ts";

const common = {
  // Absent where the words are the contract's.
  vocabulary: v.optional(v.unknown()),
  checkpointEvery: whole(1),
  journalSize: whole(0),
  firingsPerAdvance: whole(1),
};

/** Settings as a log's header carries them; seed and start stand beside them. */
export function loggedOptions(services: readonly WorldService[], settings: Settings): Plain {
  const { vocabulary, checkpointEvery, journalSize, firingsPerAdvance } = settings;
  return {
    ...(Object.assign({}, ...services.map(({ options }) => options.toLog(settings as never))) as object),
    checkpointEvery,
    journalSize,
    firingsPerAdvance,
    ...(Object.assign({}, ...services.map(({ options }) => options.toLogsEnd?.(settings as never))) as object),
    ...(vocabulary === undefined ? {} : { vocabulary: copyPlain(vocabulary) }),
  };
}

/**
 * Settings from a log's header.
 *
 * @throws TypeError naming the option that this version does not know
 */
export function readLoggedOptions(
  services: readonly WorldService[],
  options: Plain,
): Omit<Settings, "seed" | "startAtMs"> {
  const entries = services.flatMap((service) => Object.entries(service.options.logged));
  const logged: v.ObjectEntries = Object.fromEntries(entries);
  const read = readArgument(v.strictObject({ ...logged, ...common }), "replay: options", options);
  const { vocabulary, checkpointEvery, journalSize, firingsPerAdvance } = read;
  const given: { readonly [member: string]: unknown } = read;
  const ofServices = services.map(({ options: own }) =>
    own.readLogged(Object.fromEntries(Object.keys(own.logged).map((member) => [member, given[member]])) as never),
  );
  return {
    ...(Object.assign({}, ...ofServices) as Omit<Settings, keyof CommonSettings>),
    ...(vocabulary === undefined
      ? {}
      : { vocabulary: readVocabularyOf(services, "replay: options.vocabulary", vocabulary) }),
    checkpointEvery,
    journalSize,
    firingsPerAdvance,
  };
}
