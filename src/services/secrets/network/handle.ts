import type { Via } from "../../../kernel/commit.ts";
import type { Host } from "../../../kernel/host.ts";
import { shown } from "../../../languages/shown.ts";
import type { SecretsWorld } from "../world.ts";

/**
 * The network between clusters and to them, for test authors.
 *
 * A stopped cluster keeps its state: requests to it fail as a refused connection, and nothing fires on it until it is started
 * again. What has become due meanwhile happens then, in order.
 */
export interface ClusterNetworkHandle {
  /**
   * Stops a cluster; one that is stopped stays so.
   *
   * @throws TypeError for what is no cluster of this simulator
   * @example
   * sim.network.stop(east);
   * await sim.fetch(`${east.url}/v1/sys/health`); // TypeError: fetch failed, cause.code ECONNREFUSED
   */
  stop(cluster: { readonly name: string }): void;
  /** Starts it again; one that runs goes on. */
  start(cluster: { readonly name: string }): void;
  /**
   * Stops a node of a cluster; one that is stopped stays so. If it was the active one, the next that runs takes over after
   * `secrets.electionDuration`. Until then the cluster's address answers as a standby without an active node: 500, and health 473
   * (429 without a license). With the last node that ran, the cluster is stopped.
   *
   * @param node its number, from 0
   * @throws TypeError for what is no cluster of this simulator or no node of it
   * @example
   * sim.network.stopNode(east, 0);
   * sim.clock.advance("10s"); // node 1 is active
   */
  stopNode(cluster: { readonly name: string }, node: number): void;
  /** Starts it again: it stands by. Of a stopped cluster it is the only node that runs, and active at once. */
  startNode(cluster: { readonly name: string }, node: number): void;
  /**
   * Lets a cluster address lead to a cluster, whoever has it: what a load balancer or a name service does after a failover.
   *
   * @throws TypeError for what is no address or no cluster of this simulator
   * @example
   * sim.network.pointAddress(east.clusterAddress, west);
   */
  pointAddress(address: string, cluster: { readonly name: string }): void;
}

const EXAMPLE = "https://secrets-east.test:8201";

/** Makes the handle; `via` is the door whose calls it makes. */
export function clusterNetworkHandle(host: Host<SecretsWorld>, via: Via): ClusterNetworkHandle {
  const control = (call: string, cluster: unknown, own: { readonly node?: number } = {}): void => {
    const name = clusterName(host.state, call, cluster);
    const input = { cluster: { cluster: name }, ...own };
    const command = { name: `control.network.${call}`, input, caller: { cluster: name }, via };
    host.execute(command, (outcome) => {
      if (outcome.kind !== "accepted") throw new TypeError(`network.${call} was refused with ${outcome.refusal.code}`);
    });
  };
  return Object.freeze({
    stop: (cluster) => control("stop", cluster),
    start: (cluster) => control("start", cluster),
    stopNode: (cluster, node) => control("stopNode", cluster, { node }),
    startNode: (cluster, node) => control("startNode", cluster, { node }),
    pointAddress: (address, cluster) => {
      if (typeof address !== "string" || address === "") {
        throw new TypeError(`network.pointAddress: ${shown(address)} is no address: it is a text such as ${EXAMPLE}`);
      }
      const name = clusterName(host.state, "pointAddress", cluster);
      const input = { address, cluster: { cluster: name } };
      const command = { name: "control.network.pointAddress", input, caller: { cluster: name }, via };
      host.execute(command, () => undefined);
    },
  } satisfies ClusterNetworkHandle);
}

/** The name that a handle stands for, also one of a parent, a fork or a view. */
function clusterName({ secrets }: SecretsWorld, call: string, cluster: unknown): string {
  const name = typeof cluster === "object" && cluster !== null ? (cluster as { name?: unknown }).name : undefined;
  if (typeof name === "string" && Object.hasOwn(secrets, name)) return name;
  if (typeof cluster === "string") {
    throw new TypeError(
      `network.${call}: ${shown(cluster)} is a name, and a handle is asked for: sim.secrets.cluster(${shown(cluster)})`,
    );
  }
  throw new TypeError(
    `network.${call}: ${shown(cluster)} is no cluster of this simulator; there are ${Object.keys(secrets).join(", ")}`,
  );
}
