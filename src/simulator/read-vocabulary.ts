import { shown } from "../languages/shown.ts";
import { type NeutralWords, refuseAmbiguity } from "../languages/vocabulary/ambiguity.ts";
import { HASHICORP } from "../languages/vocabulary/hashicorp.ts";
import { readTables } from "../languages/vocabulary/read.ts";
import type { Vocabulary } from "../languages/vocabulary/vocabulary.ts";
import { type RoutesAt, type Words, wordsOfVocabulary } from "../languages/vocabulary/words.ts";
import type { ServiceModule } from "../services/kit/module.ts";
import type { CommonSettings } from "./options.ts";

type Service = Pick<ServiceModule<never>, "name" | "words">;
type Given = NonNullable<CommonSettings["vocabulary"]>;

/**
 * The vocabulary of an option: a name, or a table that is copied.
 *
 * @param name how messages call it
 * @throws TypeError that says which value is wrong, or which two words could not be told apart
 */
export function readVocabularyOf(services: readonly Service[], name: string, given: unknown): Given {
  if (given === "hashicorp") return given;
  if (typeof given === "string") {
    throw new TypeError(`${name} is ${shown(given)}: the vocabulary that has a name is "hashicorp"`);
  }
  const vocabulary = readTables(
    name,
    given,
    services.map((service) => service.name),
  );
  refuseAmbiguity(name, vocabulary, (called) => neutralOf(services, called));
  return vocabulary;
}

function neutralOf(services: readonly Service[], called: string): NeutralWords {
  const service = services.find(({ name }) => name === called);
  if (service === undefined) throw new TypeError(`${called} is no service of this simulator`);
  return service.words.neutral();
}

/** Where names in paths can look like words of a service. Only one has such paths. */
function routesIn(services: readonly Service[]): RoutesAt {
  return services.find(({ words }) => words.routesAt !== undefined)?.words.routesAt ?? (() => undefined);
}

/** The words of a vocabulary that was read; each is made ready once. */
export function wordsNamed(services: readonly Service[], given: Given): Words {
  const vocabulary: Vocabulary = given === "hashicorp" ? HASHICORP : given;
  let words = ready.get(vocabulary);
  if (words === undefined) {
    words = wordsOfVocabulary(vocabulary, routesIn(services));
    ready.set(vocabulary, words);
  }
  return words;
}

const ready = new WeakMap<Vocabulary, Words>();
