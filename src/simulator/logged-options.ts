import * as v from "valibot";
import { readArgument } from "../kernel/arguments.ts";
import { copyPlain, type Plain } from "../kernel/plain.ts";
import { DEFAULT_RUNS_URL } from "../services/runs/state.ts";
import { DEFAULT_SCHEDULER, defaultRegionUrl, isDefaultScheduler } from "../services/scheduler/birth.ts";
import { regionName } from "../services/scheduler/control.ts";
import type { RegionName } from "../services/scheduler/ids.ts";
import { type ClusterName, defaultClusterUrl } from "../services/secrets/place.ts";
import { QUIRKS } from "../services/secrets/quirks.ts";
import { DEFAULT_REPLICATION, isDefaultReplication } from "../services/secrets/replication/state.ts";
import {
  clusterOptions,
  count,
  DEFAULT_PLUGIN_DIRECTORY,
  DEFAULT_SHARES,
  DEFAULT_THRESHOLD,
  DNS_LABEL,
  pluginDirectory,
  whole,
} from "./option-schemas.ts";
import type { Settings } from "./options.ts";
import { readVocabulary } from "./read-vocabulary.ts";

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
  // As above: absent when all are the defaults.
  replication: v.optional(
    v.strictObject({
      diffMs: whole(0),
      syncMs: whole(0),
      reindexMs: whole(0),
      flushMs: whole(0),
      merkleCheckEveryMs: whole(0),
      walBuffer: whole(0),
      roleChangeOutageMs: whole(0),
    }),
  ),
  clusters: v.array(v.strictObject({ name: v.pipe(v.string(), v.regex(DNS_LABEL)), url: v.string() })),
  quirks: v.array(v.picklist(QUIRKS)),
  // Logs of before there was a choice have none of these.
  ...clusterOptions,
  // A log whose clusters have the usual directory has none.
  pluginDirectory,
  keyShares: v.optional(count(255), DEFAULT_SHARES),
  keyThreshold: v.optional(count(255), DEFAULT_THRESHOLD),
  // Absent where the words are the contract's.
  vocabulary: v.optional(v.unknown()),
  checkpointEvery: whole(1),
  journalSize: whole(0),
  firingsPerAdvance: whole(1),
});

/** Settings as a log's header carries them; seed and start stand beside them. */
export function loggedOptions(settings: Settings): Plain {
  const {
    seed: _,
    startAtMs: __,
    regionUrlOf: ___,
    clusterUrlOf: ____,
    runs,
    scheduler,
    replication,
    pluginDirectory: plugins,
    vocabulary,
    ...logged
  } = settings;
  const isDefault = runs.url === DEFAULT_RUNS_URL && runs.rateLimitPerSecond === undefined;
  return {
    ...(isDefault ? {} : { runs }),
    ...(isDefaultScheduler(scheduler) ? {} : { scheduler: { ...scheduler } }),
    ...(isDefaultReplication(replication) ? {} : { replication: { ...replication } }),
    ...logged,
    ...(plugins === DEFAULT_PLUGIN_DIRECTORY ? {} : { pluginDirectory: plugins }),
    ...(vocabulary === undefined ? {} : { vocabulary: copyPlain(vocabulary) }),
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
  const { vocabulary, ...others } = read;
  return {
    ...others,
    ...(vocabulary === undefined ? {} : { vocabulary: readVocabulary("replay: options.vocabulary", vocabulary) }),
    runs,
    scheduler,
    regionUrlOf: defaultRegionUrl,
    clusterUrlOf: defaultClusterUrl,
    replication: read.replication ?? DEFAULT_REPLICATION,
    clusters: read.clusters.map(({ name, url }) => ({ name: name as ClusterName, url })),
  };
}
