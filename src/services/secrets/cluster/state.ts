import type { StateValueFrom } from "xstate";
import type { clusterMachine } from "../../../../machines/cluster.machine.ts";
import type { EpochMs } from "../../../kernel/brand.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Upcasters } from "../../../kernel/model.ts";
import { adding } from "../../../kernel/upcast.ts";
import type { InCluster } from "../place.ts";
import { type MerkleSlice, merkleAfterStop } from "../replication/merkle/state.ts";

/** The seal of a cluster. Bytes stand in base64. */
export interface SealState {
  /** Spelled as the states of the seal chart. */
  readonly status: SealStatus;
  /** What enough shares make. */
  readonly key: string;
  /** Each is the key's polynomials at an x, and that x. */
  readonly shares: readonly string[];
  readonly threshold: number;
  /** The shares given so far, in the order in which they came; empty unless sealed. */
  readonly given: readonly string[];
  /** Names the attempt that the given shares belong to; empty when there is none. */
  readonly nonce: string;
}

export type SealStatus = "unsealed" | "sealed";

export type License = "enterprise" | "community";

/** The nodes of a cluster, numbered from 0: one is active, the others stand by. */
export interface Nodes {
  readonly count: number;
  readonly active: number;
  readonly activeSinceMs: EpochMs;
}

/** The key that storage is encrypted with. */
export interface BarrierKey {
  /** It is the so-manieth. */
  readonly term: number;
  readonly installedAtMs: EpochMs;
  /** Entries of storage that are under earlier keys. */
  readonly writtenBefore: number;
}

/** What a cluster finds where it runs, if that is a pod of an orchestrator. What it does not find is absent. */
export interface PodEnvironment {
  readonly host?: string;
  readonly port?: string;
  /** The contents of the files. */
  readonly caFile?: string;
  readonly tokenFile?: string;
}

/** A cluster as a machine that runs. */
export interface ClusterSlice {
  /** The cluster's own id, a UUID. */
  readonly id: string;
  readonly url: string;
  readonly clusterAddress: string;
  /** The token that the cluster was born with, also when it no longer works. */
  readonly rootToken: string;
  readonly createdAtMs: EpochMs;
  readonly license: License;
  /** The version that the service says it has. */
  readonly version: string;
  readonly seal: SealState;
  readonly nodes: Nodes;
  /** Absent until the first one was rotated. */
  readonly barrierKey?: BarrierKey;
  /** It runs, sealed or not; a stopped one answers nobody and fires nothing. */
  readonly running: boolean;
  readonly podEnvironment: PodEnvironment;
}

/** The facts of a cluster as a whole. */
export interface ClusterEvents {
  ClusterSealed: InCluster & { readonly status: "sealed" };
  ClusterUnsealed: InCluster & { readonly status: "unsealed" };
  /** A share towards unsealing; the first one brings the attempt's name. */
  KeyShareGiven: InCluster & { readonly share: string; readonly nonce: string };
  /** Somebody began anew, or the shares did not fit. */
  KeySharesForgotten: InCluster;
  ActiveNodeChanged: InCluster & { readonly node: number };
  BarrierKeyRotated: InCluster & { readonly term: number; readonly writtenBefore: number };
  ClusterStopped: InCluster & { readonly status: "stopped" };
  ClusterStarted: InCluster & { readonly status: "running" };
  PodEnvironmentSet: InCluster & { readonly environment: PodEnvironment };
}

export const clusterEvolvers: FlatEvolvers<ClusterSlice & MerkleSlice, ClusterEvents> = {
  ClusterSealed: (ignored, { status }) => {
    ignored.seal = { ...ignored.seal, status, ...NOTHING_GIVEN };
  },
  ClusterUnsealed: (ignored, { status }, meta) => {
    ignored.seal = { ...ignored.seal, status, ...NOTHING_GIVEN };
    activate(ignored, ignored.nodes.active, meta.atMs);
  },
  KeyShareGiven: (ignored, { share, nonce }) => {
    ignored.seal = { ...ignored.seal, given: [...ignored.seal.given, share], nonce };
  },
  KeySharesForgotten: (ignored) => {
    ignored.seal = { ...ignored.seal, ...NOTHING_GIVEN };
  },
  ActiveNodeChanged: (ignored, { node }, meta) => activate(ignored, node, meta.atMs),
  BarrierKeyRotated: (ignored, { term, writtenBefore }, { atMs }) => {
    ignored.barrierKey = { term, installedAtMs: atMs, writtenBefore };
  },
  ClusterStopped: (ignored, { status }, meta) => {
    ignored.running = isRunning(status);
    if (ignored.merkle !== undefined) ignored.merkle = merkleAfterStop(ignored.merkle, meta.atMs);
  },
  ClusterStarted: (ignored, { status }, meta) => {
    ignored.running = isRunning(status);
    activate(ignored, ignored.nodes.active, meta.atMs);
  },
  PodEnvironmentSet: (ignored, { environment }) => {
    ignored.podEnvironment = environment;
  },
};

/** Facts of before carry no status. */
export const clusterUpcasters: Upcasters = {
  ClusterStopped: { 1: adding({ status: "stopped" }) },
  ClusterStarted: { 1: adding({ status: "running" }) },
};

function isRunning(status: StateValueFrom<ReturnType<typeof clusterMachine>>): boolean {
  return status === "running";
}

const NOTHING_GIVEN: Pick<SealState, "given" | "nonce"> = Object.freeze({ given: Object.freeze([]), nonce: "" });

/** A rekey is known to the node alone that was active when it began (README.md, 3.10). */
function activate(ignored: { nodes: Nodes; rekey?: unknown }, active: number, activeSinceMs: EpochMs): void {
  if (ignored.rekey !== undefined) delete ignored.rekey;
  ignored.nodes = { ...ignored.nodes, active, activeSinceMs };
}
