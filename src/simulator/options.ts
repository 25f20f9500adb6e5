import type { EpochMs } from "../kernel/brand.ts";
import type { Duration } from "../languages/duration.ts";
import type { Instant } from "../languages/instant.ts";
import type { Vocabulary } from "../languages/vocabulary/vocabulary.ts";
import type { SchedulerBirth } from "../services/scheduler/state.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import type { Quirk } from "../services/secrets/quirks.ts";
import type { ReplicationOptions } from "../services/secrets/replication/state.ts";
import type { License } from "../services/secrets/state.ts";

/** Options of `createSimulator`. */
export interface SimulatorOptions {
  /** Decides everything random: equal seeds and equal commands leave equal logs. Default 1. */
  readonly seed?: number | string;
  /** Where virtual time begins: an instant, or epoch milliseconds. Default `2026-01-01T00:00:00.000Z`. */
  readonly startAt?: Instant;
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
    /** Where the binaries of plugins lie; null when there is no such directory. Default `"/plugins"`. */
    readonly pluginDirectory?: string | null;
    /** How long a secondary takes to compare its tree with its primary's, and to fetch what differs. Default 0 each. */
    readonly syncDurations?: { readonly diff?: Duration; readonly sync?: Duration };
    /** How long a reindex takes, and then the flush of its tree. Default 0. */
    readonly reindexDuration?: Duration;
    readonly flushDuration?: Duration;
    /** How often a disaster-recovery primary checks its own tree; 0 is never. Default 1 h. */
    readonly merkleCheckEvery?: Duration;
    /** Entries of its log that a primary keeps for secondaries that lack them. Default 16,384. */
    readonly walBuffer?: number;
    /** For so long a cluster answers nobody after a change of its role. Default 0. */
    readonly roleChangeOutage?: Duration;
    /** Where a cluster answers. Default `https://secrets-<cluster>.test`. */
    readonly url?: (cluster: string) => string;
  };
  /**
   * The words that clients use: `"hashicorp"`, or a table of renames. Requests and answers are in these words; state, log and typed calls
   * keep the contract's. Default none.
   */
  readonly vocabulary?: "hashicorp" | Vocabulary;
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
  /** Where a cluster answers that is added later: a log does not carry it. */
  readonly clusterUrlOf: (cluster: string) => string;
  readonly replication: ReplicationOptions;
  readonly quirks: readonly Quirk[];
  readonly keyShares: number;
  readonly keyThreshold: number;
  readonly nodes: number;
  readonly license: License;
  readonly version: string;
  readonly pluginDirectory: string | null;
  /** Absent for the contract's own words. */
  readonly vocabulary?: "hashicorp" | Vocabulary;
  readonly checkpointEvery: number;
  readonly journalSize: number;
  readonly firingsPerAdvance: number;
}
