import * as v from "valibot";
import { readArgument } from "../kernel/arguments.ts";
import { type EpochMs, epochMs } from "../kernel/brand.ts";
import { LAST_INSTANT_MS } from "../kernel/calendar.ts";
import type { Plain } from "../kernel/plain.ts";
import { type Duration, durationMs } from "../languages/duration.ts";
import { type Instant, instantMs } from "../languages/instant.ts";
import { DEFAULT_RUNS_URL } from "../services/runs/state.ts";
import { regionName } from "../services/scheduler/control.ts";
import type { RegionName } from "../services/scheduler/ids.ts";
import {
  DEFAULT_SCHEDULER,
  defaultRegionUrl,
  isDefaultScheduler,
  type SchedulerBirth,
} from "../services/scheduler/state.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import { QUIRKS, type Quirk } from "../services/secrets/quirks.ts";
import type { License } from "../services/secrets/state.ts";

/** Options of `createSimulator`. */
export interface SimulatorOptions {
  /** Decides everything random: equal seeds and equal commands leave equal logs. Default 1. */
  readonly seed?: number | string;
  /** Where virtual time begins: an instant, or epoch milliseconds. Default `2026-01-01T00:00:00.000Z`. */
  readonly startAt?: Instant | number;
  readonly runs?: {
    /** Where the run service answers. Default `https://runs.test`. */
    readonly url?: string;
    /** Requests that one user, team or organization may make in a clock second. Default any number. */
    readonly rateLimitPerSecond?: number;
  };
  readonly scheduler?: {
    /** Names of the regions: DNS labels. The first is authoritative. Default `["global"]`. */
    readonly regions?: readonly string[];
    /** Without the ACL system every endpoint answers 400. Default true. */
    readonly aclEnabled?: boolean;
    /** From a commit in the authoritative region to its arrival in another one. Default 100 ms. */
    readonly replicationLag?: Duration;
    /** No blocking query waits longer. Default 300 s. */
    readonly maxBlockingWait?: Duration;
    /** Adds up to a sixteenth to how long a blocking query waits, from the seed. Default false. */
    readonly blockingJitter?: boolean;
    /** Where a region answers. Default `https://scheduler-<region>.test`. */
    readonly url?: (region: string) => string;
  };
  readonly secrets?: {
    /** Names of the clusters: DNS labels. Default `["main"]`. */
    readonly clusters?: readonly string[];
    /** Behaviour of the real service that the contract does not have. Default none. */
    readonly quirks?: readonly Quirk[];
    /** Shares into which the key of a cluster is split, 1 to 255. Default 5. */
    readonly keyShares?: number;
    /** How many of them unseal it. Default 3, or as many as there are if that is less. */
    readonly keyThreshold?: number;
    /** Nodes of a cluster; the first is active at first. Default 1. */
    readonly nodes?: number;
    /** Without the enterprise licence there are no namespaces, and standbys serve nothing. Default `"enterprise"`. */
    readonly license?: License;
    /** The version that the service says it has. Default `"1.15.0"`. */
    readonly version?: string;
    /** Where a cluster answers. Default `https://secrets-<cluster>.test`. */
    readonly url?: (cluster: string) => string;
  };
  readonly history?: {
    /** Commits between two states that are kept. Fewer make travelling faster and cost memory. Default 32. */
    readonly checkpointEvery?: number;
    /** Requests that the journal remembers. Default 1,000. */
    readonly journalSize?: number;
  };
  readonly limits?: {
    /** Deadlines that may fire in one step of the clock, so that an endless schedule ends. Default 10,000,000. */
    readonly firingsPerAdvance?: number;
  };
}

/** Options with everything that was left out. */
export interface Settings {
  readonly seed: number | string;
  readonly startAtMs: EpochMs;
  readonly runs: { readonly url: string; readonly rateLimitPerSecond?: number };
  readonly scheduler: SchedulerBirth;
  /** Where a region answers that is added later: a log does not carry it. */
  readonly regionUrlOf: (region: string) => string;
  readonly clusters: readonly { readonly name: ClusterName; readonly url: string }[];
  readonly quirks: readonly Quirk[];
  readonly keyShares: number;
  readonly keyThreshold: number;
  readonly nodes: number;
  readonly license: License;
  readonly version: string;
  readonly checkpointEvery: number;
  readonly journalSize: number;
  readonly firingsPerAdvance: number;
}

const START_AT = "2026-01-01T00:00:00.000Z";

/** RFC 1035: letters, digits and hyphens, none at the ends. */
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

const whole = (least: number) =>
  v.pipe(v.number("it is a number"), v.integer("it is a whole number"), v.minValue(least, `it is at least ${least}`));

/** A duration in milliseconds, as control calls take it. */
const duration = v.pipe(
  v.union([v.string(), v.number()], "a duration is a text with units or milliseconds"),
  v.rawTransform<string | number, number>(({ dataset, addIssue, NEVER }) => {
    try {
      return durationMs(dataset.value);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      addIssue({ message: error.message });
      return NEVER;
    }
  }),
);
const count = (most: number) => v.pipe(whole(1), v.maxValue(most, `it is at most ${most}`));
const LICENSES = ["enterprise", "community"] as const;
const DEFAULT_SHARES = 5;
const DEFAULT_THRESHOLD = 3;

/** What every cluster of a simulator begins with. Nodes are bounded because each has an address of its own. */
const clusterOptions = {
  keyShares: v.optional(count(255)),
  keyThreshold: v.optional(count(255)),
  nodes: v.optional(count(100), 1),
  license: v.optional(v.picklist(LICENSES, `a license is one of ${LICENSES.join(", ")}`), "enterprise"),
  version: v.optional(v.pipe(v.string("a version is a text"), v.nonEmpty("a version is not empty")), "1.15.0"),
};

const schema = v.strictObject(
  {
    seed: v.optional(v.union([v.pipe(v.number(), v.finite()), v.string()], "a seed is a number or a text"), 1),
    startAt: v.optional(
      v.union([v.string(), v.number(), v.date()], "an instant is an ISO text, a Date or epoch milliseconds"),
      START_AT,
    ),
    runs: v.optional(
      v.strictObject(
        { url: v.optional(v.string("url is a text"), DEFAULT_RUNS_URL), rateLimitPerSecond: v.optional(whole(1)) },
        "no such option",
      ),
      {},
    ),
    scheduler: v.optional(
      v.strictObject(
        {
          regions: v.optional(
            v.pipe(
              v.array(regionName),
              v.minLength(1, "there is at least one region"),
              v.check((names) => new Set(names).size === names.length, "each region has a name of its own"),
            ),
            ["global"],
          ),
          aclEnabled: v.optional(v.boolean("aclEnabled is true or false"), DEFAULT_SCHEDULER.aclEnabled),
          replicationLag: v.optional(duration, DEFAULT_SCHEDULER.replicationLagMs),
          maxBlockingWait: v.optional(duration, DEFAULT_SCHEDULER.maxBlockingWaitMs),
          blockingJitter: v.optional(v.boolean("blockingJitter is true or false"), DEFAULT_SCHEDULER.blockingJitter),
          url: v.optional(
            v.custom<(region: string) => unknown>(
              (value) => typeof value === "function",
              "url is a function of a region's name",
            ),
          ),
        },
        "no such option",
      ),
      {},
    ),
    secrets: v.optional(
      v.strictObject(
        {
          clusters: v.optional(
            v.pipe(
              v.array(
                v.pipe(v.string("a cluster's name is a text"), v.regex(DNS_LABEL, "a cluster's name is a DNS label")),
              ),
              v.minLength(1, "there is at least one cluster"),
              v.check((names) => new Set(names).size === names.length, "each cluster has a name of its own"),
            ),
            ["main"],
          ),
          quirks: v.optional(v.array(v.picklist(QUIRKS, `a quirk is one of ${QUIRKS.join(", ")}`)), []),
          ...clusterOptions,
          url: v.optional(
            v.custom<(cluster: string) => unknown>(
              (value) => typeof value === "function",
              "url is a function of a cluster's name",
            ),
          ),
        },
        "no such option",
      ),
      {},
    ),
    history: v.optional(
      v.strictObject(
        { checkpointEvery: v.optional(whole(1), 32), journalSize: v.optional(whole(0), 1000) },
        "no such option",
      ),
      {},
    ),
    limits: v.optional(v.strictObject({ firingsPerAdvance: v.optional(whole(1), 10_000_000) }, "no such option"), {}),
  },
  "no such option",
);

/**
 * Reads the options of a simulator.
 *
 * @throws TypeError naming the option that is wrong
 */
export function readOptions(options: SimulatorOptions): Settings {
  if (Array.isArray(options))
    throw new TypeError("createSimulator: the options are an array, and have to be an object");
  const read = readArgument(schema, "createSimulator", options);
  const { rateLimitPerSecond } = read.runs;
  const runsUrl = originAt("runs.url is", read.runs.url);
  const clusters = clustersOf(read.secrets.clusters, read.secrets.url);
  const regionUrlOf = regionUrlsOf(read.scheduler.url);
  const regions = read.scheduler.regions.map((name) => ({ name: name as RegionName, url: regionUrlOf(name) }));
  refuseSharedUrls([
    ["runs.url", runsUrl],
    ...clusters.map(({ name, url }) => [`the cluster ${name}`, url] as const),
    ...regions.map(({ name, url }) => [`the region ${name}`, url] as const),
  ]);
  return Object.freeze({
    seed: read.seed,
    startAtMs: startMsOf(read.startAt),
    runs: { url: runsUrl, ...(rateLimitPerSecond === undefined ? {} : { rateLimitPerSecond }) },
    scheduler: {
      regions,
      aclEnabled: read.scheduler.aclEnabled,
      replicationLagMs: read.scheduler.replicationLag,
      maxBlockingWaitMs: read.scheduler.maxBlockingWait,
      blockingJitter: read.scheduler.blockingJitter,
    },
    regionUrlOf,
    clusters,
    quirks: read.secrets.quirks,
    ...keysOf(read.secrets),
    nodes: read.secrets.nodes,
    license: read.secrets.license,
    version: read.secrets.version,
    checkpointEvery: read.history.checkpointEvery,
    journalSize: read.history.journalSize,
    firingsPerAdvance: read.limits.firingsPerAdvance,
  });
}

// --- in the log -----------------------------------------------------------------------------------------------------

const logged = v.strictObject({
  // Older logs have none, and those of a run service with all its defaults neither.
  runs: v.optional(v.strictObject({ url: v.string(), rateLimitPerSecond: v.optional(whole(1)) })),
  // As above.
  scheduler: v.optional(
    v.strictObject({
      regions: v.pipe(v.array(v.strictObject({ name: regionName, url: v.string() })), v.minLength(1)),
      aclEnabled: v.boolean(),
      replicationLagMs: whole(0),
      maxBlockingWaitMs: whole(0),
      blockingJitter: v.boolean(),
    }),
  ),
  clusters: v.array(v.strictObject({ name: v.pipe(v.string(), v.regex(DNS_LABEL)), url: v.string() })),
  quirks: v.array(v.picklist(QUIRKS)),
  // Logs of before there was a choice have none of these.
  ...clusterOptions,
  keyShares: v.optional(count(255), DEFAULT_SHARES),
  keyThreshold: v.optional(count(255), DEFAULT_THRESHOLD),
  checkpointEvery: whole(1),
  journalSize: whole(0),
  firingsPerAdvance: whole(1),
});

/** Settings as a log's header carries them; seed and start stand beside them. */
export function loggedOptions(settings: Settings): Plain {
  const { seed: _, startAtMs: __, regionUrlOf: ___, runs, scheduler, ...logged } = settings;
  const isDefault = runs.url === DEFAULT_RUNS_URL && runs.rateLimitPerSecond === undefined;
  return {
    ...(isDefault ? {} : { runs }),
    ...(isDefaultScheduler(scheduler) ? {} : { scheduler: { ...scheduler } }),
    ...logged,
  };
}

/**
 * Settings from a log's header.
 *
 * @throws TypeError naming the option that this version does not know
 */
export function readLoggedOptions(options: Plain): Omit<Settings, "seed" | "startAtMs"> {
  const read = readArgument(logged, "replay: options", options);
  const { url, rateLimitPerSecond } = read.runs ?? { url: DEFAULT_RUNS_URL };
  const runs = { url, ...(rateLimitPerSecond === undefined ? {} : { rateLimitPerSecond }) };
  const scheduler =
    read.scheduler === undefined
      ? DEFAULT_SCHEDULER
      : {
          ...read.scheduler,
          regions: read.scheduler.regions.map(({ name, url: own }) => ({ name: name as RegionName, url: own })),
        };
  return {
    ...read,
    runs,
    scheduler,
    regionUrlOf: defaultRegionUrl,
    clusters: read.clusters.map(({ name, url }) => ({ name: name as ClusterName, url })),
  };
}

function startMsOf(startAt: Instant | number): EpochMs {
  const ms = typeof startAt === "number" ? startAt : instantMs(startAt);
  if (!Number.isInteger(ms) || ms < 0 || ms > LAST_INSTANT_MS) {
    throw new TypeError(`createSimulator: startAt is ${ms}: it lies between 1970 and 9999, in whole milliseconds`);
  }
  return epochMs(ms);
}

function keysOf(given: { readonly keyShares?: number | undefined; readonly keyThreshold?: number | undefined }): {
  readonly keyShares: number;
  readonly keyThreshold: number;
} {
  const keyShares = given.keyShares ?? Math.max(DEFAULT_SHARES, given.keyThreshold ?? 0);
  const keyThreshold = given.keyThreshold ?? Math.min(DEFAULT_THRESHOLD, keyShares);
  if (keyThreshold > keyShares) {
    throw new TypeError(
      `createSimulator: secrets.keyThreshold is ${keyThreshold}: it is at most the ${keyShares} keyShares`,
    );
  }
  return { keyShares, keyThreshold };
}

function clustersOf(
  names: readonly string[],
  url: ((cluster: string) => unknown) | undefined,
): readonly { readonly name: ClusterName; readonly url: string }[] {
  const clusters = names.map((name) => ({
    name: name as ClusterName,
    url: originAt(`secrets.url gives for ${name}`, url === undefined ? `https://secrets-${name}.test` : url(name)),
  }));
  if (new Set(clusters.map(({ url: own }) => own)).size < clusters.length) {
    throw new TypeError("createSimulator: secrets.url gives two clusters the same URL");
  }
  return clusters;
}

function regionUrlsOf(url: ((region: string) => unknown) | undefined): (region: string) => string {
  if (url === undefined) return defaultRegionUrl;
  return (region) => originAt(`scheduler.url gives for ${region}`, url(region));
}

function refuseSharedUrls(named: readonly (readonly [name: string, url: string])[]): void {
  const byUrl = new Map<string, string>();
  for (const [name, url] of named) {
    const other = byUrl.get(url);
    if (other !== undefined) throw new TypeError(`createSimulator: ${other} and ${name} have the same URL, ${url}`);
    byUrl.set(url, name);
  }
}

function originAt(where: string, url: unknown): string {
  const origin = typeof url === "string" && URL.canParse(url) ? new URL(url).origin : "null";
  if (origin === "null") throw new TypeError(`createSimulator: ${where} ${String(url)}, which is no URL`);
  return origin;
}
