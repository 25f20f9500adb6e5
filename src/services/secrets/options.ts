import * as v from "valibot";
import { duration, optionsSchema } from "../../kernel/arguments.ts";
import type { EpochMs } from "../../kernel/brand.ts";
import type { Plain } from "../../kernel/plain.ts";
import type { Duration } from "../../languages/duration.ts";
import { emptyDirectory } from "../../surroundings/directory/state.ts";
import { newOrchestrator } from "../../surroundings/orchestrator/state.ts";
import { SIGNING_KEYS } from "../../surroundings/orchestrator/tokens.ts";
import type { OptionsRead } from "../kit/module.ts";
import { count, label, labels, originAt, urlsByName, whole } from "../kit/options.ts";
import { type ClusterDefaults, newCluster } from "./birth.ts";
import { nodeUrls } from "./cluster/nodes.ts";
import { DEFAULT_ELECTION_MS, type License } from "./cluster/state.ts";
import { type ClusterName, defaultClusterUrl } from "./place.ts";
import { QUIRKS, type Quirk } from "./quirks.ts";
import { DEFAULT_REPLICATION, isDefaultReplication } from "./replication/state.ts";
import type { SecretsWorld } from "./world.ts";

/** The options of a simulator for this service. */
export interface SecretsOptions {
  /** Names of the clusters: DNS labels. Default `["main"]`. */
  readonly clusters?: readonly string[];
  /** Behaviour of the real service that the contract does not have. Default none. */
  readonly quirks?: readonly Quirk[];
  /** The version of the engine at `kv/`. Default 1. */
  readonly kv?: 1 | 2;
  /** Shares into which the key of a cluster is split, 1 to 255. Default 5. */
  readonly keyShares?: number;
  /** How many of them unseal it. Default 3, or as many as there are if that is less. */
  readonly keyThreshold?: number;
  /** Nodes of a cluster; the first is active at first. Default 1. */
  readonly nodes?: number;
  /** How long another node takes to become active when the active one was stopped. Default 10 s. */
  readonly electionDuration?: Duration;
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
}

/** Its settings: what every cluster begins with, and which there are. */
export interface SecretsSettings extends ClusterDefaults {
  readonly clusters: readonly { readonly name: ClusterName; readonly url: string }[];
  /** Where a cluster answers that is added later: a log does not carry it. */
  readonly clusterUrlOf: (cluster: string) => string;
}

const LICENSES = ["enterprise", "community"] as const;
const DEFAULT_KEYS = { keyShares: 5, keyThreshold: 3 };
const DEFAULT_PLUGIN_DIRECTORY = "/plugins";

const pluginDirectory = v.optional(
  v.nullable(
    v.pipe(
      v.string("a directory is a text, or null for none"),
      v.nonEmpty("a directory's path is not empty: null is none"),
    ),
  ),
  DEFAULT_PLUGIN_DIRECTORY,
);

/** Nodes are bounded because each has an address of its own. */
export const nodeCount = count(100);
export const licenseName = v.picklist(LICENSES, `a license is one of ${LICENSES.join(", ")}`);
export const givenKeys = v.object({ keyShares: v.optional(count(255)), keyThreshold: v.optional(count(255)) });

/** What options and headers write alike. */
const ofClusters = {
  nodes: v.optional(nodeCount, 1),
  license: v.optional(licenseName, "enterprise"),
  version: v.optional(v.pipe(v.string("a version is a text"), v.nonEmpty("a version is not empty")), "1.15.0"),
};

const schema = optionsSchema({
  clusters: v.optional(labels("cluster"), ["main"]),
  quirks: v.optional(v.array(v.picklist(QUIRKS, `a quirk is one of ${QUIRKS.join(", ")}`)), []),
  kv: v.optional(v.picklist([1, 2], "kv is 1 or 2"), 1),
  ...givenKeys.entries,
  ...ofClusters,
  electionDuration: v.optional(duration, DEFAULT_ELECTION_MS),
  pluginDirectory,
  syncDurations: v.optional(optionsSchema({ diff: v.optional(duration, 0), sync: v.optional(duration, 0) }), {}),
  reindexDuration: v.optional(duration, 0),
  flushDuration: v.optional(duration, 0),
  merkleCheckEvery: v.optional(duration, DEFAULT_REPLICATION.merkleCheckEveryMs),
  walBuffer: v.optional(whole(0), DEFAULT_REPLICATION.walBuffer),
  roleChangeOutage: v.optional(duration, 0),
  url: v.optional(urlsByName("cluster")),
});

type Given = v.InferOutput<typeof schema>;

const logged = {
  // Absent when all are the defaults.
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
  clusters: v.array(v.strictObject({ name: label("a cluster's name"), url: v.string() })),
  quirks: v.array(v.picklist(QUIRKS)),
  // Logs of before there was a choice have none of these.
  ...ofClusters,
  // Logs whose clusters have the usual ones have none of these.
  pluginDirectory,
  kv: v.optional(v.literal(2)),
  electionMs: v.optional(whole(0)),
  keyShares: v.optional(count(255), DEFAULT_KEYS.keyShares),
  keyThreshold: v.optional(count(255), DEFAULT_KEYS.keyThreshold),
};

type Logged = v.InferOutput<v.ObjectSchema<typeof logged, undefined>>;

export const secretsOptions = {
  schema,
  read: (given: Given): OptionsRead => {
    const clusterUrlOf = (name: string): string =>
      given.url === undefined ? defaultClusterUrl(name) : originAt(`secrets.url gives for ${name}`, given.url(name));
    const clusters = given.clusters.map((name) => ({ name: name as ClusterName, url: clusterUrlOf(name) }));
    refuseNumbers(given.nodes, clusters);
    const settings: SecretsSettings = {
      clusters,
      clusterUrlOf,
      replication: replicationOf(given),
      quirks: given.quirks,
      ...(given.kv === 1 ? {} : { kv: given.kv }),
      ...keysOf("createSimulator: secrets.keyThreshold", given, DEFAULT_KEYS),
      nodes: given.nodes,
      ...(given.electionDuration === DEFAULT_ELECTION_MS ? {} : { electionMs: given.electionDuration }),
      license: given.license,
      version: given.version,
      pluginDirectory: given.pluginDirectory,
    };
    const urls = clusters.flatMap(({ name, url }) =>
      [url, ...nodeUrls(url, given.nodes)].map((own) => [`secrets.url of the cluster ${name}`, own] as const),
    );
    return { settings, urls };
  },
  logged,
  readLogged: ({
    clusters,
    replication = DEFAULT_REPLICATION,
    kv,
    electionMs,
    ...others
  }: Logged): SecretsSettings => ({
    ...others,
    ...(kv === undefined ? {} : { kv }),
    ...(electionMs === undefined ? {} : { electionMs }),
    clusters: clusters.map(({ name, url }) => ({ name: name as ClusterName, url })),
    clusterUrlOf: defaultClusterUrl,
    replication,
  }),
  toLog: (settings: SecretsSettings): { readonly [member: string]: Plain } => {
    const { replication, clusters, quirks, keyShares, keyThreshold, nodes, license, version } = settings;
    return {
      ...(isDefaultReplication(replication) ? {} : { replication: { ...replication } }),
      clusters,
      quirks,
      keyShares,
      keyThreshold,
      nodes,
      license,
      version,
    };
  },
  toLogsEnd: ({
    pluginDirectory: directory,
    kv,
    electionMs,
  }: SecretsSettings): { readonly [member: string]: Plain } => ({
    ...(directory === DEFAULT_PLUGIN_DIRECTORY ? {} : { pluginDirectory: directory }),
    ...(kv === undefined ? {} : { kv }),
    ...(electionMs === undefined ? {} : { electionMs }),
  }),
  /** With it comes what its engines act on. */
  newPart: ({ clusters, ...birth }: SecretsSettings, seed: string, atMs: EpochMs): SecretsWorld => ({
    secrets: Object.fromEntries(
      clusters.map(({ name, url }) => [name, newCluster({ ...birth, seed, name, url, atMs })]),
    ),
    directory: emptyDirectory,
    orchestrator: newOrchestrator(seed, SIGNING_KEYS),
  }),
};

function replicationOf(given: Given): SecretsSettings["replication"] {
  return {
    diffMs: given.syncDurations.diff,
    syncMs: given.syncDurations.sync,
    reindexMs: given.reindexDuration,
    flushMs: given.flushDuration,
    merkleCheckEveryMs: given.merkleCheckEvery,
    walBuffer: given.walBuffer,
    roleChangeOutageMs: given.roleChangeOutage,
  };
}

type Keys = Pick<ClusterDefaults, "keyShares" | "keyThreshold">;

/** What is not given follows from what is. `who` is how messages call the threshold. */
export function keysOf(who: string, given: v.InferOutput<typeof givenKeys>, usual: Keys): Keys {
  const keyShares = given.keyShares ?? Math.max(usual.keyShares, given.keyThreshold ?? 0);
  const keyThreshold = given.keyThreshold ?? Math.min(usual.keyThreshold, keyShares);
  if (keyThreshold <= keyShares) return { keyShares, keyThreshold };
  throw new TypeError(`${who} is ${keyThreshold}: it is at most the ${keyShares} keyShares`);
}

/** A node has a name of its own, which is made of its cluster's. */
function refuseNumbers(nodes: number, clusters: SecretsSettings["clusters"]): void {
  const numbered = nodes === 1 ? undefined : clusters.find(({ url }) => new URL(url).hostname.startsWith("["));
  if (numbered === undefined) return;
  throw new TypeError(`createSimulator: secrets.url gives ${numbered.url}, a number that nodes cannot be named after`);
}
