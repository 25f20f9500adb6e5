import type { StateValueFrom } from "xstate";
import type { clusterMachine } from "../../../../machines/cluster.machine.ts";
import type { EpochMs } from "../../../kernel/brand.ts";
import { arm, type Calendar, type Deadline } from "../../../kernel/calendar.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Upcasters } from "../../../kernel/model.ts";
import { Table } from "../../../kernel/table.ts";
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

/** The nodes of a cluster, numbered from 0: one is active, the others stand by or are stopped. */
export interface Nodes {
  readonly count: number;
  /** While another is elected, the one that was active. */
  readonly active: number;
  readonly activeSinceMs: EpochMs;
  /** How long the election of another takes; absent for the default. */
  readonly electionMs?: number;
  /** Those that are stopped while others run. Absent for none. */
  readonly stopped?: readonly StoppedNode[];
}

export interface StoppedNode {
  readonly node: number;
  readonly sinceMs: EpochMs;
}

/** Source: control-surface.md, "Settled". */
export const DEFAULT_ELECTION_MS = 10_000;

/** The search for another active node. */
export interface Election {
  readonly dueAtMs: EpochMs;
  /** Its own: nothing else fires meanwhile. */
  readonly calendar: Calendar;
}

export type ClusterStatus = StateValueFrom<ReturnType<typeof clusterMachine>>;

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
  /** It runs and has an active node, sealed or not; a stopped one answers nobody and fires nothing. */
  readonly running: boolean;
  /** Absent unless its active node was stopped while others ran. */
  readonly election?: Election;
  readonly podEnvironment: PodEnvironment;
  /** Where clients outside reach it. Absent where nobody said so: it is where it answers in the simulator. */
  readonly advertisedUrl?: string;
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
  /** Without a node all run; else that one does, alone, and is active. */
  ClusterStarted: InCluster & { readonly status: "running"; readonly node?: number };
  NodeStopped: InCluster & { readonly node: number };
  NodeStarted: InCluster & { readonly node: number };
  /** The active node was stopped: another is elected at the instant. */
  ElectionStarted: InCluster & { readonly status: "electing"; readonly dueAtMs: EpochMs };
  ActiveNodeElected: InCluster & { readonly status: "running"; readonly node: number };
  /** Without a URL it is where it answers in the simulator. */
  ClusterAdvertised: InCluster & { readonly url?: string };
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
    endWork(ignored, status, meta.atMs);
    if (ignored.election !== undefined) delete ignored.election;
    ignored.nodes = withStopped(ignored.nodes, []);
  },
  ClusterStarted: (ignored, { status, node }, meta) => {
    ignored.running = isRunning(status);
    if (node !== undefined) {
      const others = numbersOf(ignored.nodes).filter((other) => other !== node);
      const stopped = others.map((other) => ({ node: other, sinceMs: meta.atMs }));
      ignored.nodes = withStopped(ignored.nodes, stopped);
    }
    activate(ignored, node ?? ignored.nodes.active, meta.atMs);
  },
  NodeStopped: (ignored, { node }, { atMs }) => {
    ignored.nodes = withStopped(ignored.nodes, [...(ignored.nodes.stopped ?? []), { node, sinceMs: atMs }]);
  },
  NodeStarted: (ignored, { node }) => {
    ignored.nodes = withStopped(ignored.nodes, ignored.nodes.stopped?.filter((one) => one.node !== node) ?? []);
  },
  ElectionStarted: (ignored, { status, dueAtMs }, meta) => {
    endWork(ignored, status, meta.atMs);
    const holder = { calendar: Table.of<Deadline>() };
    arm(holder, dueAtMs, { command: "timer.election", input: {} }, meta);
    ignored.election = { dueAtMs, calendar: holder.calendar };
  },
  ActiveNodeElected: (ignored, { status, node }, meta) => {
    ignored.running = isRunning(status);
    if (ignored.election !== undefined) delete ignored.election;
    activate(ignored, node, meta.atMs);
  },
  ClusterAdvertised: (ignored, { url }) => {
    if (url !== undefined) ignored.advertisedUrl = url;
    else delete ignored.advertisedUrl;
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

function isRunning(status: ClusterStatus): boolean {
  return status === "running";
}

/** What the active node was at ends with it. */
function endWork(ignored: { running: boolean } & Flat<MerkleSlice>, status: ClusterStatus, atMs: EpochMs): void {
  ignored.running = isRunning(status);
  if (ignored.merkle !== undefined) ignored.merkle = merkleAfterStop(ignored.merkle, atMs);
}

function withStopped({ stopped: _, ...nodes }: Nodes, stopped: readonly StoppedNode[]): Nodes {
  return stopped.length === 0 ? nodes : { ...nodes, stopped };
}

/** The numbers of all nodes. */
export function numbersOf({ count }: Nodes): readonly number[] {
  return Array.from({ length: count }, (_, node) => node);
}

/** Since when a node is stopped while others run; undefined where it is not. */
export function stoppedSinceMs({ stopped }: Nodes, node: number): EpochMs | undefined {
  return stopped?.find((one) => one.node === node)?.sinceMs;
}

/** Spelled as the states of the cluster chart. */
export function statusOf({ running, election }: ClusterSlice): ClusterStatus {
  if (running) return "running";
  return election === undefined ? "stopped" : "electing";
}

/** Who does not listen where a cluster is asked, or one of its nodes; undefined where somebody does. */
export function stoppedAt(cluster: ClusterSlice, node?: number): "the cluster" | "the node" | undefined {
  if (statusOf(cluster) === "stopped") return "the cluster";
  return node !== undefined && stoppedSinceMs(cluster.nodes, node) !== undefined ? "the node" : undefined;
}

/** No share of an attempt to unseal. */
export const NOTHING_GIVEN: Pick<SealState, "given" | "nonce"> = Object.freeze({ given: Object.freeze([]), nonce: "" });

/** A rekey is known to the node alone that was active when it began (README.md, 3.10). */
function activate(ignored: { nodes: Nodes; rekey?: unknown }, active: number, activeSinceMs: EpochMs): void {
  if (ignored.rekey !== undefined) delete ignored.rekey;
  ignored.nodes = { ...ignored.nodes, active, activeSinceMs };
}
