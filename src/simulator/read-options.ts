import * as v from "valibot";
import { optionsSchema, readArgument } from "../kernel/arguments.ts";
import { type EpochMs, epochMs } from "../kernel/brand.ts";
import { LAST_INSTANT_MS } from "../kernel/calendar.ts";
import { type Instant, instantMs } from "../languages/instant.ts";
import { whole } from "../services/kit/options.ts";
import type { WorldService } from "./model.ts";
import { type CommonSettings, SERVICE_NAMES } from "./options.ts";
import { readVocabularyOf } from "./read-vocabulary.ts";
import type { Settings } from "./world.ts";

const START_AT = "2026-01-01T00:00:00.000Z";

const first = {
  seed: v.optional(v.union([v.pipe(v.number(), v.finite()), v.string()], "a seed is a number or a text"), 1),
  startAt: v.optional(
    v.union([v.string(), v.number(), v.date()], "an instant is an ISO text, a Date or epoch milliseconds"),
    START_AT,
  ),
};

const last = {
  vocabulary: v.optional(v.unknown()),
  history: v.optional(
    optionsSchema({
      checkpointEvery: v.optional(whole(1), 32),
      journalSize: v.optional(whole(0), 1000),
      explainOverHttp: v.optional(v.boolean("explainOverHttp is true or false"), true),
      callSites: v.optional(v.boolean(), false),
    }),
    {},
  ),
  limits: v.optional(optionsSchema({ firingsPerAdvance: v.optional(whole(1), 10_000_000) }), {}),
};

/**
 * Reads the options of a simulator of some services.
 *
 * @throws TypeError naming the option that is wrong
 */
export function readOptionsOf(services: readonly WorldService[], options: object = {}): Settings {
  if (Array.isArray(options))
    throw new TypeError("createSimulator: the options are an array, and have to be an object");
  refuseAbsent(services, options);
  const read = readArgument(schemaOf(services), "createSimulator", options);
  const given: { readonly [service: string]: unknown } = read;
  const ofServices = services.map(({ name, options: own }) => own.read(given[name] as never));
  refuseSharedUrls(ofServices.flatMap(({ urls }) => urls));
  return Object.freeze({
    seed: read.seed,
    startAtMs: startMsOf(read.startAt),
    ...(Object.assign({}, ...ofServices.map(({ settings }) => settings)) as OfServices),
    ...(read.vocabulary === undefined
      ? {}
      : { vocabulary: readVocabularyOf(services, "createSimulator: vocabulary", read.vocabulary) }),
    checkpointEvery: read.history.checkpointEvery,
    journalSize: read.history.journalSize,
    explainOverHttp: read.history.explainOverHttp,
    callSites: read.history.callSites,
    firingsPerAdvance: read.limits.firingsPerAdvance,
  });
}

/** Whoever took the entry of one of our services is told where the others are. */
function refuseAbsent(services: readonly WorldService[], options: object | null): void {
  const here = new Set(services.map(({ name }) => name));
  if (!SERVICE_NAMES.some((name) => here.has(name))) return;
  const absent = SERVICE_NAMES.find((name) => !here.has(name) && Object.hasOwn(options ?? {}, name));
  if (absent === undefined) return;
  throw new TypeError(`createSimulator: there is no service ${absent} here: import createSimulator from "hindcast"`);
}

/** What the services of a simulator make of their options; each reads its own settings only. */
type OfServices = Omit<Settings, keyof CommonSettings>;

/** Made once for each list: a simulator is made in less time than a schema. */
function schemaOf(services: readonly WorldService[]) {
  const known = schemas.get(services) ?? newSchema(services);
  schemas.set(services, known);
  return known;
}

const schemas = new WeakMap<readonly WorldService[], ReturnType<typeof newSchema>>();

function newSchema(services: readonly WorldService[]) {
  const ofServices = services.map(({ name, options }) => [name, v.optional(options.schema, {})]);
  return optionsSchema({ ...first, ...(Object.fromEntries(ofServices) as Record<never, never>), ...last });
}

function startMsOf(startAt: Instant): EpochMs {
  const ms = typeof startAt === "number" ? startAt : instantMs(startAt);
  if (!Number.isInteger(ms) || ms < 0 || ms > LAST_INSTANT_MS) {
    throw new TypeError(`createSimulator: startAt is ${ms}: it lies between 1970 and 9999, in whole milliseconds`);
  }
  return epochMs(ms);
}

function refuseSharedUrls(named: readonly (readonly [name: string, url: string])[]): void {
  const byUrl = new Map<string, string>();
  for (const [name, url] of named) {
    const other = byUrl.get(url);
    if (other !== undefined) throw new TypeError(`createSimulator: ${other} and ${name} have the same URL, ${url}`);
    byUrl.set(url, name);
  }
}
