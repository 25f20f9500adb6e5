import * as v from "valibot";
import { optionsSchema, readArgument } from "../kernel/arguments.ts";
import { type EpochMs, epochMs } from "../kernel/brand.ts";
import { LAST_INSTANT_MS } from "../kernel/calendar.ts";
import { durationMs } from "../languages/duration.ts";
import { type Instant, instantMs } from "../languages/instant.ts";
import { DEFAULT_RUNS_URL } from "../services/runs/state.ts";
import { regionName } from "../services/scheduler/control.ts";
import type { RegionName } from "../services/scheduler/ids.ts";
import { DEFAULT_SCHEDULER, defaultRegionUrl } from "../services/scheduler/state.ts";
import { nodeUrls } from "../services/secrets/cluster/nodes.ts";
import { type ClusterName, defaultClusterUrl } from "../services/secrets/place.ts";
import { QUIRKS } from "../services/secrets/quirks.ts";
import { DEFAULT_REPLICATION } from "../services/secrets/replication/state.ts";
import {
  clusterOptions,
  DEFAULT_SHARES,
  DEFAULT_THRESHOLD,
  DNS_LABEL,
  pluginDirectory,
  whole,
} from "./option-schemas.ts";
import type { Settings, SimulatorOptions } from "./options.ts";
import { readVocabulary } from "./read-vocabulary.ts";

const START_AT = "2026-01-01T00:00:00.000Z";

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

const schema = optionsSchema({
  seed: v.optional(v.union([v.pipe(v.number(), v.finite()), v.string()], "a seed is a number or a text"), 1),
  startAt: v.optional(
    v.union([v.string(), v.number(), v.date()], "an instant is an ISO text, a Date or epoch milliseconds"),
    START_AT,
  ),
  runs: v.optional(
    optionsSchema({
      url: v.optional(v.string("url is a text"), DEFAULT_RUNS_URL),
      rateLimitPerSecond: v.optional(whole(1)),
    }),
    {},
  ),
  scheduler: v.optional(
    optionsSchema({
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
    }),
    {},
  ),
  secrets: v.optional(
    optionsSchema({
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
      pluginDirectory,
      syncDurations: v.optional(optionsSchema({ diff: v.optional(duration, 0), sync: v.optional(duration, 0) }), {}),
      reindexDuration: v.optional(duration, 0),
      flushDuration: v.optional(duration, 0),
      merkleCheckEvery: v.optional(duration, DEFAULT_REPLICATION.merkleCheckEveryMs),
      walBuffer: v.optional(whole(0), DEFAULT_REPLICATION.walBuffer),
      roleChangeOutage: v.optional(duration, 0),
      url: v.optional(
        v.custom<(cluster: string) => unknown>(
          (value) => typeof value === "function",
          "url is a function of a cluster's name",
        ),
      ),
    }),
    {},
  ),
  vocabulary: v.optional(v.unknown()),
  history: v.optional(
    optionsSchema({ checkpointEvery: v.optional(whole(1), 32), journalSize: v.optional(whole(0), 1000) }),
    {},
  ),
  limits: v.optional(optionsSchema({ firingsPerAdvance: v.optional(whole(1), 10_000_000) }), {}),
});

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
  const clusters = clustersOf(read.secrets.clusters, read.secrets.url, read.secrets.nodes);
  const regionUrlOf = regionUrlsOf(read.scheduler.url);
  const regions = read.scheduler.regions.map((name) => ({ name: name as RegionName, url: regionUrlOf(name) }));
  refuseSharedUrls([
    ["runs.url", runsUrl],
    ...clusters.flatMap(({ name, url }) =>
      [url, ...nodeUrls(url, read.secrets.nodes)].map((own) => [`secrets.url of the cluster ${name}`, own] as const),
    ),
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
    clusterUrlOf: (name: string) => clusterUrl(name, read.secrets.url),
    replication: {
      diffMs: read.secrets.syncDurations.diff,
      syncMs: read.secrets.syncDurations.sync,
      reindexMs: read.secrets.reindexDuration,
      flushMs: read.secrets.flushDuration,
      merkleCheckEveryMs: read.secrets.merkleCheckEvery,
      walBuffer: read.secrets.walBuffer,
      roleChangeOutageMs: read.secrets.roleChangeOutage,
    },
    quirks: read.secrets.quirks,
    ...keysOf(read.secrets),
    nodes: read.secrets.nodes,
    license: read.secrets.license,
    version: read.secrets.version,
    pluginDirectory: read.secrets.pluginDirectory,
    ...(read.vocabulary === undefined
      ? {}
      : { vocabulary: readVocabulary("createSimulator: vocabulary", read.vocabulary) }),
    checkpointEvery: read.history.checkpointEvery,
    journalSize: read.history.journalSize,
    firingsPerAdvance: read.limits.firingsPerAdvance,
  });
}

function startMsOf(startAt: Instant): EpochMs {
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
  nodes: number,
): readonly { readonly name: ClusterName; readonly url: string }[] {
  const clusters = names.map((name) => ({
    name: name as ClusterName,
    url: clusterUrl(name, url),
  }));
  const numbered = nodes === 1 ? undefined : clusters.find(({ url: own }) => new URL(own).hostname.startsWith("["));
  if (numbered !== undefined) {
    throw new TypeError(
      `createSimulator: secrets.url gives ${numbered.url}, a number that nodes cannot be named after`,
    );
  }
  return clusters;
}

function clusterUrl(name: string, url: ((cluster: string) => unknown) | undefined): string {
  return url === undefined ? defaultClusterUrl(name) : originAt(`secrets.url gives for ${name}`, url(name));
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
