import type { ClusterHandle } from "../../services/secrets/cluster-handle.ts";
import type { ClusterName } from "../../services/secrets/place.ts";
import { roleOf } from "../../services/secrets/replication/roles.ts";
import type { ReplicationKind } from "../../services/secrets/replication/state.ts";
import { clusterOf } from "../../services/secrets/world.ts";
import type { Simulator } from "../../simulator/types.ts";
import { isCut } from "../../surroundings/network/state.ts";
import type { Otherwise } from "./line-of-time.ts";

// What an operator, or somebody with a pair of pliers, does to clusters that replicate.

const KINDS: readonly ReplicationKind[] = ["dr", "performance"];

/** The promotions and demotions that a cluster has. Our choice: nobody is asked for tokens or key shares, as whoever forks has all. */
export function roleChoices({ state }: Simulator, name: string): Otherwise[] {
  const cluster = clusterOf(state, name as ClusterName);
  return KINDS.flatMap((kind): Otherwise[] => {
    const { mode } = roleOf(cluster, kind);
    if (mode === "disabled") return [];
    const purpose = kind === "dr" ? "DR" : kind;
    const isPrimary = mode === "primary";
    return [
      {
        title: `${name} is ${isPrimary ? "demoted" : "promoted"} (${purpose})`,
        does: ({ secrets }) => (isPrimary ? demote : promote)(secrets.cluster(name), kind),
      },
    ];
  });
}

async function promote(cluster: ClusterHandle, kind: ReplicationKind): Promise<void> {
  if (kind === "performance") cluster.as(rootOf(cluster)).replication.performance.promote();
  else cluster.as().replication.dr.promote({ dr_operation_token: await operationToken(cluster) });
}

function demote(cluster: ClusterHandle, kind: ReplicationKind): void {
  cluster.as(rootOf(cluster)).replication[kind].primaryDemote();
}

function rootOf(cluster: ClusterHandle): string {
  return cluster.createToken({ policies: ["root"], displayName: "otherwise" }).token;
}

/** As the holders of the key shares make one; an attempt that is under way is given up for it. */
async function operationToken(cluster: ClusterHandle): Promise<string> {
  const { operationToken: generation } = cluster.as().replication.dr;
  if (generation.attempt().started) generation.cancel();
  const { nonce, otp = "", required } = await generation.start();
  let encoded = "";
  for (const key of cluster.keyShares.slice(0, required)) {
    encoded = (await generation.update({ key, nonce })).encoded_token;
  }
  const bytes = [...atob(encoded)].map((character, index) => character.charCodeAt(0) ^ otp.charCodeAt(index));
  return String.fromCharCode(...bytes);
}

/** The lines between clusters that replicate: those that hold can be cut, and those that are cut be mended. */
export function lineChoices({ state }: Simulator): Otherwise[] {
  const names = Object.keys(state.secrets) as ClusterName[];
  return names.flatMap((name) => {
    const { links } = clusterOf(state, name).ignored;
    const upstreams = new Set(KINDS.flatMap((kind) => links[kind]?.upstream ?? []));
    return [...upstreams].map((upstream): Otherwise => {
      const cut = isCut(state, { cluster: upstream }, { cluster: name });
      return {
        title: `the line between ${upstream} and ${name} is ${cut ? "mended" : "cut"}`,
        does: ({ network, secrets }) => {
          const ends = [secrets.cluster(upstream), secrets.cluster(name)] as const;
          if (cut) network.heal(...ends);
          else network.cut(...ends);
        },
      };
    });
  });
}
