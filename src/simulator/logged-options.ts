import * as v from "valibot";
import { readArgument } from "../kernel/arguments.ts";
import { copyPlain, type Plain } from "../kernel/plain.ts";
import { whole } from "../services/kit/options.ts";
import type { WorldService } from "./model.ts";
import { type CommonSettings, SERVICE_NAMES } from "./options.ts";
import { readVocabularyOf } from "./read-vocabulary.ts";
import type { Settings } from "./world.ts";

const common = {
  // Absent for all of this package.
  services: v.optional(v.array(v.string()), [...SERVICE_NAMES]),
  // Absent where the words are the contract's.
  vocabulary: v.optional(v.unknown()),
  checkpointEvery: whole(1),
  journalSize: whole(0),
  // Absent where refusals say why.
  explainOverHttp: v.optional(v.boolean(), true),
  firingsPerAdvance: whole(1),
};

/** Settings as a log's header carries them; seed and start stand beside them. */
export function loggedOptions(services: readonly WorldService[], settings: Settings): Plain {
  const names = services.map(({ name }) => name);
  const { vocabulary, checkpointEvery, journalSize, explainOverHttp, firingsPerAdvance } = settings;
  return {
    ...(Object.assign({}, ...services.map(({ options }) => options.toLog(settings as never))) as object),
    checkpointEvery,
    journalSize,
    firingsPerAdvance,
    ...(Object.assign({}, ...services.map(({ options }) => options.toLogsEnd?.(settings as never))) as object),
    ...(explainOverHttp ? {} : { explainOverHttp }),
    ...(vocabulary === undefined ? {} : { vocabulary: copyPlain(vocabulary) }),
    ...(names.join() === SERVICE_NAMES.join() ? {} : { services: names }),
  };
}

/**
 * Settings from a log's header.
 *
 * @throws TypeError naming the option that this version does not know, or the service that is not there
 */
export function readLoggedOptions(
  services: readonly WorldService[],
  options: Plain,
): Omit<Settings, "seed" | "startAtMs"> {
  refuseOthers(services, options);
  const entries = services.flatMap((service) => Object.entries(service.options.logged));
  const logged: v.ObjectEntries = Object.fromEntries(entries);
  const read = readArgument(v.strictObject({ ...logged, ...common }), "replay: options", options);
  const { vocabulary, checkpointEvery, journalSize, explainOverHttp, firingsPerAdvance } = read;
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
    explainOverHttp,
    firingsPerAdvance,
  };
}

/** A log is read by whoever has its services, neither less nor more: a world begins with all that it ever has. */
function refuseOthers(services: readonly WorldService[], options: Plain): void {
  const { services: logged } = readArgument(v.looseObject({ services: common.services }), "replay: options", options);
  const own = services.map(({ name }) => name);
  const absent = logged.find((name) => !own.includes(name));
  const surplus = own.find((name) => !logged.includes(name));
  const entry = logged.length === 1 ? `hindcast/${logged[0]}` : "hindcast";
  const advice = `import replay from "${entry}"`;
  if (absent !== undefined)
    throw new TypeError(`replay: there is no service ${absent} here, and the log has it: ${advice}`);
  if (surplus !== undefined)
    throw new TypeError(`replay: the log has no service ${surplus}, and here it is: ${advice}`);
}
