import { deepEqual } from "node:assert/strict";
import type { Simulator, Vocabulary } from "../../src/index.ts";
import { type NeutralWords, refuseAmbiguity } from "../../src/languages/vocabulary/ambiguity.ts";
import { HASHICORP } from "../../src/languages/vocabulary/hashicorp.ts";
import { renamed } from "../../src/languages/vocabulary/rename.ts";
import type { ServiceVocabulary } from "../../src/languages/vocabulary/vocabulary.ts";
import { type Direction, type ServiceWords, wordsOfVocabulary } from "../../src/languages/vocabulary/words.ts";
import { runsWords } from "../../src/services/runs/words/neutral.ts";
import * as ofRuns from "../../src/services/runs/words/wire.ts";
import { schedulerWords } from "../../src/services/scheduler/words/neutral.ts";
import * as ofScheduler from "../../src/services/scheduler/words/wire.ts";
import { secretsWords } from "../../src/services/secrets/words/neutral.ts";
import { wordedFetch } from "./worded.ts";

// Requests to the run service and to the scheduler by a client who knows other words than the contract's: what goes to a simulator is put
// into them, and what comes back is put into the contract's, so that a test fails where the two do not fit together.

/** What is in use, and words of every other kind, which none of the services in use renames. No text for people has any of them. */
const VOCABULARY: Vocabulary = {
  runs: {
    ...HASHICORP.runs,
    headers: { "X-RateLimit-Limit": "X-Quota-Limit", "X-RateLimit-Reset": "X-Quota-Reset" },
    segments: {
      v2: "v9",
      runs: "executions",
      "policy-checks": "rule-checks",
      "policy-evaluations": "rule-evaluations",
      "policy-check-outputs": "rule-outputs",
      "task-stages": "phases",
      actions: "doings",
      override: "overrule",
      output: "printout",
      organizations: "firms",
      workspaces: "rooms",
    },
    fields: {
      ...HASHICORP.runs?.fields,
      attributes: "facts",
      "can-override": "may-override",
      comment: "remark",
      data: "payload",
      detail: "particulars",
      enforcementLevel: "strictness",
      enforcement_level: "strict_ness",
      errors: "faults",
      filter: "sieve",
      id: "ident",
      include: "with",
      links: "pointers",
      number: "ordinal",
      page: "sheet",
      parameter: "argument",
      "policy-checks": "rule-checks",
      run: "execution",
      size: "extent",
      source: "origin",
      status: "condition",
      "total-count": "grand-total",
      type: "sort",
      workspace: "room",
    },
    values: {
      ...HASHICORP.runs?.values,
      passed: "held-up",
      "soft-mandatory": "soft-obligatory",
      "enforcement_level=mandatory": "obligatory",
      "status=policy_soft_failed": "rule_soft_failed",
      "policy-checks": "rule-checks",
    },
    prefixes: { "run-": "exec-", "polchk-": "rulechk-", "ts-": "phase-" },
  },
  scheduler: {
    headers: HASHICORP.scheduler?.headers ?? {},
    segments: { acl: "rights", policy: "rule", policies: "rules", token: "ticket", tokens: "tickets", self: "mine" },
    fields: {
      Name: "Title",
      SecretID: "Hidden",
      Policies: "Ruleset",
      index: "since",
      wait: "patience",
      region: "area",
    },
    values: { ...HASHICORP.scheduler?.values, management: "unlimited", client: "limited" },
  },
};

/** Refuses an answer with a member, or a status or a type, that the validator of vocabularies does not know. */
function expectKnown(known: NeutralWords, content: unknown): void {
  deepEqual(unknownIn(known, content), [], "words that the validator of vocabularies does not know");
}

function unknownIn(known: NeutralWords, content: unknown): readonly string[] {
  if (Array.isArray(content)) return content.flatMap((item) => unknownIn(known, item));
  if (typeof content !== "object" || content === null) return [];
  return Object.entries(content).flatMap(([name, member]: [string, unknown]) => {
    if (!known.fields.includes(name)) return [name];
    if (VALUED.has(name) && typeof member === "string")
      return known.values.includes(member) ? [] : [`${name}=${member}`];
    return FREE.has(name) ? [] : unknownIn(known, member);
  });
}

/** Members that hold values of the service. A number of a document's errors is called a status as well. */
const VALUED: ReadonlySet<string> = new Set([
  "type",
  "scope",
  "status",
  "stage",
  "policy-kind",
  "enforcement_level",
  "Type",
]);
/** Members in which names are a caller's. */
const FREE: ReadonlySet<string> = new Set(["engine", "variables"]);

const neutral = { runs: runsWords, scheduler: schedulerWords, secrets: secretsWords };
refuseAmbiguity("the vocabulary of the suite", VOCABULARY, (service) => neutral[service]());

const KNOWN = { runs: runsWords(), scheduler: schedulerWords() };
const WORDS = wordsOfVocabulary(VOCABULARY, () => undefined);

/** How requests to a service and its answers are put into other words. */
interface Language {
  readonly words: ServiceWords;
  path(path: string, to: Direction): string;
  parameter(pair: readonly [string, string]): readonly [name: string, worth: string];
  body(content: object): object;
  answer(text: string, type: string | null): string;
  header(name: string, value: string): string;
}

const runs = WORDS.runs as ServiceWords;
const RUNS: Language = {
  words: runs,
  path: (path, to) => ofRuns.renamedPath(runs, path, to),
  parameter: (pair) => ofRuns.renamedPair(runs, pair, "own"),
  body: (content) => ofRuns.renamedDocument(runs, content, "own") as object,
  answer: (text, type) => {
    if (type !== "application/vnd.api+json") return text;
    const document = JSON.parse(text) as object;
    const refused = ofRuns.renamedErrors(runs, document, "neutral") as { readonly errors?: readonly RunsError[] };
    if (refused.errors === undefined) {
      const shown = ofRuns.renamedDocument(runs, document, "neutral");
      expectKnown(KNOWN.runs, shown);
      return JSON.stringify(shown);
    }
    const errors = refused.errors.map(({ detail, source, ...others }) => ({
      ...others,
      ...(detail === undefined ? {} : { detail: toldBack(runs, VOCABULARY.runs ?? {}, detail) }),
      ...(source === undefined ? {} : { source: sourceBack(source) }),
    }));
    return JSON.stringify({ errors });
  },
  header: (name, value) => (name === "location" ? ofRuns.renamedLink(runs, value, "neutral") : value),
};

interface RunsError {
  readonly detail?: string;
  readonly source?: RunsSource;
}

type RunsSource = { readonly parameter: string } | { readonly pointer: string };

function sourceBack(source: RunsSource): RunsSource {
  if ("parameter" in source) return { parameter: ofRuns.renamedParameter(runs, source.parameter, "neutral") };
  return { pointer: source.pointer.replace(/[^/]+/g, (name) => renamed(runs.fields, name, "neutral")) };
}

const scheduler = WORDS.scheduler as ServiceWords;
const SCHEDULER: Language = {
  words: scheduler,
  path: (path, to) => ofScheduler.renamedPath(scheduler, path, to),
  parameter: (pair) => ofScheduler.renamedPair(scheduler, pair, "own"),
  body: (content) => ofScheduler.renamedFields(scheduler, content, "own"),
  answer: (text, type) => {
    if (type !== "application/json") return toldBack(scheduler, VOCABULARY.scheduler ?? {}, text);
    const isPretty = text.endsWith("\n");
    const body = ofScheduler.renamedBody(scheduler, JSON.parse(text), "neutral");
    expectKnown(KNOWN.scheduler, body);
    return isPretty ? `${JSON.stringify(body, null, 4)}\n` : JSON.stringify(body);
  },
  header: (_, value) => value,
};

/** A text for people, in which own words mean nothing else. Those that are plain English are renamed in quotes alone, so others stand there. */
function toldBack({ prefixes }: ServiceWords, { fields, values }: ServiceVocabulary, text: string): string {
  const back = new Map(
    Object.entries({ ...fields, ...values }).map(([neutral, own]) => [own, neutral.slice(neutral.indexOf("=") + 1)]),
  );
  return text.replace(/[\w-]+/g, (word) => {
    const begun = prefixes.own.find(({ own }) => word.startsWith(own));
    return back.get(word) ?? (begun === undefined ? word : begun.neutral + word.slice(begun.own.length));
  });
}

/** What a client of other words asks for. */
export function urlInOtherWords(sim: Simulator, asked: string): string {
  const url = new URL(asked);
  const language = languageOf(sim, url);
  if (language === undefined) return asked;
  url.pathname = language.path(url.pathname, "own");
  const pairs = [...url.searchParams].map((pair) => language.parameter(pair) as [string, string]);
  if (pairs.length > 0) url.search = new URLSearchParams(pairs).toString();
  return url.href;
}

/** The secrets service has none here: its suite has a door of its own. */
function languageOf(sim: Simulator, { origin }: URL): Language | undefined {
  if (origin === new URL(sim.runs.url).origin) return RUNS;
  const isOfSecrets = Object.values(sim.state.secrets).some(({ ignored }) => new URL(ignored.url).origin === origin);
  return isOfSecrets ? undefined : SCHEDULER;
}

/** Reaches a simulator in other words. As with `sim.fetch`, a request has been decided when the call returns. */
export function inOtherWords(sim: Simulator): (url: string | URL, init?: RequestInit) => Promise<Response> {
  const send = wordedFetch(sim, WORDS);
  return async (asked, init = {}) => {
    const language = languageOf(sim, new URL(asked));
    if (language === undefined) return send(asked, init);
    const headers = Object.fromEntries(
      [...new Headers(init.headers)].map(([name, worth]) => [language.words.headers.own.get(name) ?? name, worth]),
    );
    const url = urlInOtherWords(sim, String(asked));
    return answered(language, await send(url, { ...init, headers, ...bodyOf(language, init.body) }));
  };
}

/** Only what is an object has words in it. */
function bodyOf(language: Language, body: RequestInit["body"]): { readonly body?: string } {
  if (typeof body !== "string") return {};
  try {
    const content: unknown = JSON.parse(body);
    const isObject = typeof content === "object" && content !== null && !Array.isArray(content);
    return isObject ? { body: JSON.stringify(language.body(content)) } : {};
  } catch {
    return {};
  }
}

async function answered(language: Language, response: Response): Promise<Response> {
  const { status } = response;
  const { own, neutral: back } = language.words.headers;
  const headers = new Headers(
    [...response.headers].map(([name, value]): [string, string] => {
      // What should have been called otherwise is nothing that the suite looks for.
      if (own.has(name)) return [`${name}-not-renamed`, value];
      const known = (back.get(name) ?? name).toLowerCase();
      return [known, language.header(known, value)];
    }),
  );
  const text = await response.text();
  const body = text === "" ? null : language.answer(text, headers.get("Content-Type"));
  // A response of our own makes up a type for a text that has none.
  const answer = new Response(body === null ? null : new TextEncoder().encode(body), { status, headers });
  const url = new URL(response.url);
  url.pathname = language.path(url.pathname, "neutral");
  return Object.defineProperty(answer, "url", { value: url.href });
}
