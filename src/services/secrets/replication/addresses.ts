import { isCut, type NetworkWorld } from "../../../surroundings/network/state.ts";
import { nodeClusterAddress, nodeUrls } from "../cluster/nodes.ts";
import type { ClusterName } from "../place.ts";
import type { Cluster } from "../state.ts";
import { clusterOf, isAwake, type SecretsWorld } from "../world.ts";

/** What clusters reach each other by. */
export type ConnectedWorld = SecretsWorld & NetworkWorld;

/** The cluster that a cluster address leads to: where the test author points it, or else the one that has it. */
export function clusterAtAddress(world: ConnectedWorld, address: string): ClusterName | undefined {
  const pointed = world.network?.addresses.get(address) as ClusterName | undefined;
  if (pointed !== undefined) return pointed;
  return clusterWhere(world, (cluster) => clusterAddressesOf(cluster).includes(address));
}

/** The cluster whose API answers at an address, whatever path it has. */
export function clusterAtApi(world: SecretsWorld, address: string): ClusterName | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin } = new URL(address);
  return clusterWhere(
    world,
    ({ ignored: { url, nodes } }) => new URL(url).origin === origin || nodeUrls(url, nodes.count).includes(origin),
  );
}

function clusterWhere({ secrets }: SecretsWorld, holds: (cluster: Cluster) => boolean): ClusterName | undefined {
  for (const name in secrets) if (holds(secrets[name] as Cluster)) return name as ClusterName;
  return undefined;
}

/** The addresses at which other clusters reach a cluster: its own, and those of its nodes. */
function clusterAddressesOf({ ignored }: Cluster): readonly string[] {
  const { clusterAddress, nodes } = ignored;
  if (nodes.count === 1) return [clusterAddress];
  return [clusterAddress, ...Array.from({ length: nodes.count }, (_, node) => nodeClusterAddress(ignored, node))];
}

/** Whether two clusters can talk: both run unsealed, and nothing is cut between them (decisions-replication.md, 1). */
export function areLinked(world: ConnectedWorld, a: ClusterName, b: ClusterName): boolean {
  return isAwake(clusterOf(world, a)) && isAwake(clusterOf(world, b)) && !isCut(world, { cluster: a }, { cluster: b });
}
