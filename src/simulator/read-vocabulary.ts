import { shown } from "../languages/shown.ts";
import { type NeutralWords, refuseAmbiguity } from "../languages/vocabulary/ambiguity.ts";
import { HASHICORP } from "../languages/vocabulary/hashicorp.ts";
import { readTables } from "../languages/vocabulary/read.ts";
import type { ServiceName, Vocabulary } from "../languages/vocabulary/vocabulary.ts";
import { type Words, wordsOfVocabulary } from "../languages/vocabulary/words.ts";
import { runsWords } from "../services/runs/words/neutral.ts";
import { schedulerWords } from "../services/scheduler/words/neutral.ts";
import { routesAt } from "../services/secrets/routes.ts";
import { secretsWords } from "../services/secrets/words/neutral.ts";
import type { Settings } from "./options.ts";

type Given = NonNullable<Settings["vocabulary"]>;

/**
 * The vocabulary of an option: a name, or a table that is copied.
 *
 * @param name how messages call it
 * @throws TypeError that says which value is wrong, or which two words could not be told apart
 */
export function readVocabulary(name: string, given: unknown): Given {
  if (given === "hashicorp") return given;
  if (typeof given === "string") {
    throw new TypeError(`${name} is ${shown(given)}: the vocabulary that has a name is "hashicorp"`);
  }
  const vocabulary = readTables(name, given);
  refuseAmbiguity(name, vocabulary, (service) => NEUTRAL[service]());
  return vocabulary;
}

const NEUTRAL: { readonly [S in ServiceName]: () => NeutralWords } = {
  runs: runsWords,
  scheduler: schedulerWords,
  secrets: secretsWords,
};

/** The words of a vocabulary that was read; each is made ready once. */
export function wordsNamed(given: Given): Words {
  const vocabulary: Vocabulary = given === "hashicorp" ? HASHICORP : given;
  let words = ready.get(vocabulary);
  if (words === undefined) {
    words = wordsOfVocabulary(vocabulary, routesAt);
    ready.set(vocabulary, words);
  }
  return words;
}

const ready = new WeakMap<Vocabulary, Words>();
