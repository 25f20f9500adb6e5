import * as v from "valibot";
import { readArgument } from "../kernel/arguments.ts";
import { type EpochMs, epochMs } from "../kernel/brand.ts";
import { LAST_INSTANT_MS } from "../kernel/calendar.ts";
import type { Plain } from "../kernel/plain.ts";
import { type Instant, instantMs } from "../languages/instant.ts";
import { nodeUrls } from "../services/secrets/cluster/nodes.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import { QUIRKS, type Quirk } from "../services/secrets/quirks.ts";
import type { License } from "../services/secrets/state.ts";

/** Options of `createSimulator`. */
export interface SimulatorOptions {
  /** Decides everything random: equal seeds and equal commands leave equal logs. Default 1. */
  readonly seed?: number | string;
  /** Where virtual time begins: an instant, or epoch milliseconds. Default `2026-01-01T00:00:00.000Z`. */
  readonly startAt?: Instant | number;
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
  return Object.freeze({
    seed: read.seed,
    startAtMs: startMsOf(read.startAt),
    clusters: clustersOf(read.secrets.clusters, read.secrets.url, read.secrets.nodes),
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
  const { seed: _, startAtMs: __, ...logged } = settings;
  return logged;
}

/**
 * Settings from a log's header.
 *
 * @throws TypeError naming the option that this version does not know
 */
export function readLoggedOptions(options: Plain): Omit<Settings, "seed" | "startAtMs"> {
  const read = readArgument(logged, "replay: options", options);
  return { ...read, clusters: read.clusters.map(({ name, url }) => ({ name: name as ClusterName, url })) };
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
  nodes: number,
): readonly { readonly name: ClusterName; readonly url: string }[] {
  const clusters = names.map((name) => ({
    name: name as ClusterName,
    url: originOf(name, url === undefined ? `https://secrets-${name}.test` : url(name)),
  }));
  const numbered = nodes === 1 ? undefined : clusters.find(({ url: own }) => new URL(own).hostname.startsWith("["));
  if (numbered !== undefined) {
    throw new TypeError(
      `createSimulator: secrets.url gives ${numbered.url}, a number that nodes cannot be named after`,
    );
  }
  const origins = clusters.flatMap(({ url: own }) => [own, ...nodeUrls(own, nodes)]);
  if (new Set(origins).size < origins.length) {
    throw new TypeError("createSimulator: secrets.url gives two clusters the same URL, or one that of another's node");
  }
  return clusters;
}

function originOf(cluster: string, url: unknown): string {
  const origin = typeof url === "string" && URL.canParse(url) ? new URL(url).origin : "null";
  if (origin === "null")
    throw new TypeError(`createSimulator: secrets.url gives ${String(url)} for ${cluster}, which is no URL`);
  return origin;
}
