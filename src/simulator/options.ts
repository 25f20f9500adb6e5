import type { EpochMs } from "../kernel/brand.ts";
import type { Instant } from "../languages/instant.ts";
import type { Vocabulary } from "../languages/vocabulary/vocabulary.ts";

/** Options of `createSimulator`, but for those of services. */
export interface CommonOptions {
  /** Decides everything random: equal seeds and equal commands leave equal logs. Default 1. */
  readonly seed?: number | string;
  /** Where virtual time begins: an instant, or epoch milliseconds. Default `2026-01-01T00:00:00.000Z`. */
  readonly startAt?: Instant;
  /**
   * The words that clients use: `"hashicorp"`, or a table of renames. Requests and answers are in these words; state, log and typed calls
   * keep the contract's. Default none.
   */
  readonly vocabulary?: "hashicorp" | Vocabulary;
  readonly history?: {
    /** Commits between two states that are kept. Fewer make travelling faster and cost memory. Default 32. */
    readonly checkpointEvery?: number;
    /** Entries that the journal remembers. Default 1,000. */
    readonly journalSize?: number;
    /** Whether refusals over HTTP say why, in a header `X-Hindcast-Why`. Default true. */
    readonly explainOverHttp?: boolean;
    /** Whether the journal tells which line of the program sent a request. It costs some microseconds a request. Default false. */
    readonly callSites?: boolean;
  };
  readonly limits?: {
    /** Deadlines that may fire in one step of the clock, so that an endless schedule ends. Default 10,000,000. */
    readonly firingsPerAdvance?: number;
  };
}

/** Options with everything that was left out, but for those of services. */
export interface CommonSettings {
  readonly seed: number | string;
  readonly startAtMs: EpochMs;
  /** Absent for the contract's own words. */
  readonly vocabulary?: "hashicorp" | Vocabulary;
  readonly checkpointEvery: number;
  readonly journalSize: number;
  readonly explainOverHttp: boolean;
  /** It is no part of the world, and stands in no log. */
  readonly callSites?: boolean;
  readonly firingsPerAdvance: number;
}

/** The services of this package, by name, in the order of their entries: a simulator need not have them all. */
export const SERVICE_NAMES = ["runs", "scheduler", "secrets"] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];
