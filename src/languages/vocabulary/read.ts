import { setOwn } from "../objects.ts";
import { shown } from "../shown.ts";
import { type Renames, SCOPES, type Scope, type ServiceVocabulary, type Vocabulary } from "./vocabulary.ts";

/**
 * A vocabulary that somebody gave, copied.
 *
 * @param name how messages call it
 * @param services whose words there are
 * @throws TypeError that says which value is wrong
 */
export function readTables(name: string, given: unknown, services: readonly string[]): Vocabulary {
  return Object.freeze(
    Object.fromEntries(
      membersIn(name, given, services).map(([service, tables]) => [
        service,
        Object.freeze(
          Object.fromEntries(
            membersIn(`${name}.${service}`, tables, SCOPES).map(([scope, renames]) => [
              scope,
              readRenames(`${name}.${service}.${scope}`, scope, renames),
            ]),
          ),
        ),
      ]),
    ),
  ) satisfies Vocabulary;
}

function membersIn<N extends string>(name: string, given: unknown, known: readonly N[]): readonly [N, unknown][] {
  return Object.entries(tableIn(name, given)).flatMap(([member, value]): [N, unknown][] => {
    const found = known.find((candidate) => candidate === member);
    if (found === undefined) throw new TypeError(`${name}.${member} is no table: there are ${known.join(", ")}`);
    return value === undefined ? [] : [[found, value]];
  });
}

function tableIn(name: string, given: unknown): object {
  const prototype: unknown = typeof given === "object" && given !== null ? Object.getPrototypeOf(given) : undefined;
  const isTable = prototype === null || (prototype !== undefined && Object.getPrototypeOf(prototype) === null);
  if (!isTable) throw new TypeError(`${name} is ${shown(given)}, and has to be an object`);
  return given as object;
}

function readRenames(name: string, scope: Scope, given: unknown): Renames {
  const renames: Record<string, string> = {};
  for (const [neutral, own] of Object.entries(tableIn(name, given))) {
    const where = `${name}[${JSON.stringify(neutral)}]`;
    if (own === undefined) continue;
    if (typeof own !== "string") throw new TypeError(`${where} is ${shown(own)}, and has to be a string`);
    for (const word of [neutral, own]) {
      if (!FORMS[scope].form.test(word)) throw new TypeError(`${where}: ${shown(word)} is ${FORMS[scope].fault}`);
    }
    // A word that becomes itself is not renamed.
    if (own !== neutral) setOwn(renames, neutral, own);
  }
  return Object.freeze(renames);
}

/** What words look like, by their kind. */
const FORMS: { readonly [S in Scope]: { readonly form: RegExp; readonly fault: string } } = {
  // Source: RFC 9110, 5.6.2 "Tokens". Hindcast's own headers are no words of a service.
  headers: {
    form: /^(?!X-Hindcast-)[\w!#$%&'*+.^`|~-]+$/i,
    fault: "no name of a header, or one of hindcast's own",
  },
  // Those of dots alone are none: a URL is normalised before it is sent.
  segments: { form: /^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/, fault: "no segment of a path: letters, digits, -, ., _ and ~" },
  // No object of JavaScript has a member __proto__ that was merely set.
  fields: { form: /^(?!__proto__$)[^\s[\]&=?#,"']+$/, fault: "no name of a field" },
  values: { form: /^[^\s,"']+$/, fault: "no value" },
  prefixes: { form: /^[\x21-\x7e]+$/, fault: "no beginning of an identifier: visible ASCII" },
};

export function tablesOf(vocabulary: ServiceVocabulary): readonly (readonly [Scope, Renames])[] {
  return SCOPES.flatMap((scope) => {
    const renames = vocabulary[scope];
    return renames === undefined ? [] : [[scope, renames] as const];
  });
}
