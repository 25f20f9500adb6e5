import { argument, argumentsTogether, type Fact, fact, recorded } from "../../kit/why.ts";
import { gate, ofCluster, type SecretsExplainers, type SecretsMet } from "../explaining.ts";
import { clusterNamed, clusterOf } from "../world.ts";
import type { ClusterRefusals } from "./rejections.ts";

/** Why a cluster as a whole refuses. */
export const clusterWhy: SecretsExplainers<ClusterRefusals> = {
  already_initialized: (met) => [
    fact("configured", `cluster ${met.caller.cluster} was made with its key and its root token`),
  ],
  key_share_missing: argumentsTogether(["key", "reset"], "a share, or reset as true"),
  key_share_malformed: argument("key", "a share of 16 to 33 bytes in hexadecimal or base64"),
  not_sealed: (met) => [sealFact(met)],
  key_shares_do_not_fit: (met) => [
    fact(
      "configured",
      `${clusterOf(met.state, met.caller.cluster).ignored.seal.threshold} shares of the cluster's set make its key`,
    ),
    sealFact(met),
  ],
  cluster_exists: (met, { cluster }) => [
    recorded(
      "cluster",
      `cluster ${cluster} was added`,
      met.past.last("ClusterAdded", (data) => data.cluster === cluster),
    ) ?? fact("cluster", `cluster ${cluster} is there from the start`),
  ],
  cluster_stopped: (met, { cluster }) => [
    gate(
      `${cluster} is stopped`,
      met.past.last("ClusterStopped", (data) => data.cluster === cluster),
    ),
  ],
  node_unknown: (_, { nodes }) => [fact("configured", `the cluster has ${nodes} nodes`)],
};

/** Whether a cluster is sealed, and since when. */
export function sealFact(met: SecretsMet): Fact {
  const { cluster } = met.caller;
  const status = clusterNamed(met.state, cluster)?.ignored.seal.status ?? "unsealed";
  const sealed = met.past.last("ClusterSealed", ofCluster(met));
  const unsealed = met.past.last("ClusterUnsealed", ofCluster(met));
  const last = (sealed?.position ?? 0) > (unsealed?.position ?? 0) ? sealed : unsealed;
  return gate(`cluster ${cluster} is ${status}`, last);
}
