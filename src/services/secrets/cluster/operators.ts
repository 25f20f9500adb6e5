import { rfc3339 } from "../../../languages/instant.ts";
import { command, type SecretsReading, view } from "../declare.ts";
import { listingWith } from "../listing.ts";
import { done, enveloped, repeatingData } from "../reply.ts";
import { clusterOf } from "../world.ts";
import { rotateBarrierKey, stepDown } from "./decide.ts";
import { nodeClusterAddress, nodeUrl } from "./nodes.ts";
import { type ClusterSlice, numbersOf, stoppedSinceMs } from "./state.ts";
import { BUILD_DATE } from "./views.ts";

// Source of all rules in this file: cluster/README.md, 1.

/** The nodes of a cluster, for who operates them. */
export const nodeOperations = {
  haStatus: view({
    route: "GET /v1/sys/ha-status",
    evidence: "observed",
    view: (reading) => {
      const cluster = ignoredOf(reading);
      const nodes = numbersOf(cluster.nodes)
        .filter((node) => isHeardOf(reading, cluster, node))
        .map((node) => haNode(reading, cluster, node));
      return repeatingData(enveloped({ nodes }));
    },
  }),
  hostInfo: view({
    route: "GET /v1/sys/host-info",
    evidence: "observed",
    ofNode: true,
    view: (reading) => {
      const cluster = ignoredOf(reading);
      return enveloped(hostInfo(reading, cluster, reading.caller.node ?? cluster.nodes.active));
    },
  }),
  versions: view({
    route: "LIST /v1/sys/version-history",
    evidence: "observed",
    view: (reading) => {
      const { version, createdAtMs } = ignoredOf(reading);
      const installed = { build_date: BUILD_DATE, previous_version: null, timestamp_installed: rfc3339(createdAtMs) };
      return listingWith([[version, installed]]);
    },
  }),
  peers: view({
    route: "GET /v1/sys/storage/raft/configuration",
    evidence: "observed",
    view: (reading) => {
      const cluster = ignoredOf(reading);
      const servers = numbersOf(cluster.nodes).map((node) => ({
        node_id: nodeName(cluster, node),
        address: new URL(nodeClusterAddress(cluster, node)).host,
        leader: node === cluster.nodes.active,
        protocol_version: "3",
        voter: true,
      }));
      return enveloped({ config: { servers, index: 0 } });
    },
  }),
  stepDown: command({
    route: "POST /v1/sys/step-down",
    evidence: "observed",
    sudo: true,
    decide: (decision) => {
      stepDown(decision, decision.caller.cluster);
      return done();
    },
  }),
};

/** The key that storage is encrypted with. */
export const barrierKeyOperations = {
  status: view({
    route: "GET /v1/sys/key-status",
    evidence: "observed",
    view: (reading) => {
      const { barrierKey, createdAtMs, walIndex } = clusterOf(reading.state, reading.caller.cluster).ignored;
      const { term, installedAtMs, writtenBefore } = barrierKey ?? {
        term: 1,
        installedAtMs: createdAtMs,
        writtenBefore: 0,
      };
      // A cluster that became a secondary counts its entries anew.
      const encryptions = Math.max(0, walIndex - writtenBefore);
      return repeatingData(enveloped({ term, install_time: rfc3339(installedAtMs), encryptions }));
    },
  }),
  rotate: command({
    route: "POST /v1/sys/rotate",
    evidence: "observed",
    sudo: true,
    decide: (decision) => {
      rotateBarrierKey(decision, decision.caller.cluster);
      return done();
    },
  }),
};

function ignoredOf({ state, caller }: SecretsReading): ClusterSlice {
  return clusterOf(state, caller.cluster).ignored;
}

/** What a node is called: the first label of its host. */
function nodeName(cluster: ClusterSlice, node: number): string {
  return new URL(nodeUrl(cluster, node)).hostname.split(".")[0] ?? "";
}

const ECHO_MS = 5000;
const FORGOTTEN_AFTER_MS = 3 * ECHO_MS;

/** Who has not echoed for three echoes is forgotten (README.md, 1.11). */
function isHeardOf({ nowMs }: SecretsReading, { nodes }: ClusterSlice, node: number): boolean {
  const stoppedMs = stoppedSinceMs(nodes, node);
  return stoppedMs === undefined || nowMs - stoppedMs < FORGOTTEN_AFTER_MS;
}

function haNode({ nowMs }: SecretsReading, cluster: ClusterSlice, node: number) {
  const { active, activeSinceMs } = cluster.nodes;
  const heardMs = Math.max(stoppedSinceMs(cluster.nodes, node) ?? nowMs, activeSinceMs);
  const sinceEchoMs = (heardMs - activeSinceMs) % ECHO_MS;
  return {
    hostname: nodeName(cluster, node),
    api_address: nodeUrl(cluster, node),
    cluster_address: nodeClusterAddress(cluster, node),
    active_node: node === active,
    last_echo: node === active ? null : rfc3339(heardMs - sinceEchoMs),
    version: cluster.version,
    upgrade_version: cluster.version,
    redundancy_zone: "",
  };
}

/** Our choice: the host that every node runs on. */
function hostInfo({ nowMs }: SecretsReading, cluster: ClusterSlice, node: number) {
  const totalBytes = 8 * 2 ** 30;
  return {
    cpu: [{ cpu: 0, cores: 1, modelName: "simulated", vendorId: "hindcast", mhz: 1000 }],
    cpu_times: [],
    disk: [],
    host: {
      hostname: nodeName(cluster, node),
      bootTime: Math.floor(cluster.createdAtMs / 1000),
      uptime: Math.floor((nowMs - cluster.createdAtMs) / 1000),
      os: "linux",
      platform: "hindcast",
      procs: 1,
    },
    memory: { total: totalBytes, available: totalBytes / 2, used: totalBytes / 2, usedPercent: 50 },
    timestamp: rfc3339(nowMs),
  };
}
