import { rfc3339 } from "../../../languages/instant.ts";
import { argument, argumentsTogether, type Fact, fact, recorded } from "../../kit/why.ts";
import { gate, gone, ofCluster, type SecretsExplainers, type SecretsMet } from "../explaining.ts";
import { clusterNamed, clusterOf } from "../world.ts";
import type { ClusterRefusals } from "./rejections.ts";
import type { RekeyRefusals } from "./rekey/rejections.ts";

/** Why a cluster as a whole refuses. */
export const clusterWhy: SecretsExplainers<ClusterRefusals & RekeyRefusals> = {
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
  rekey_backup_uncovered: argumentsTogether(["backup", "pgp_keys"], "keys to encrypt what is backed up"),
  rekey_pgp_keys_count: argumentsTogether(["pgp_keys", "secret_shares"], "one key for each share"),
  rekey_threshold_above_shares: argumentsTogether(
    ["secret_shares", "secret_threshold"],
    "as many shares as count, or more",
  ),
  rekey_shares_refused: argumentsTogether(["secret_shares", "secret_threshold"], "what shares can be made of"),
  rekey_in_progress: rekeyFacts,
  rekey_not_started: rekeyFacts,
  rekey_awaits_verification: rekeyFacts,
  rekey_not_verifying: rekeyFacts,
  rekey_nonce_differs: rekeyFacts,
  rekey_share_repeated: rekeyFacts,
  rekey_aborted: rekeyFacts,
  rekey_backup_missing: (met) => [gone("backup", "backup", met.past.last("RekeyBackupDeleted", ofCluster(met)))],
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
  no_active_node: (met) => {
    const { election } = clusterOf(met.state, met.caller.cluster).ignored;
    const stopped = gate(
      `the active node of ${met.caller.cluster} is stopped`,
      met.past.last("ElectionStarted", ofCluster(met)),
    );
    return election === undefined
      ? [stopped]
      : [stopped, fact("cluster", `another is elected at ${rfc3339(election.dueAtMs)}`)];
  },
  node_stopped: (met, { node }) => [
    gate(
      `node ${node} is stopped`,
      met.past.last("NodeStopped", (data) => ofCluster(met)(data) && data.node === node),
    ),
  ],
  node_unknown: (_, { nodes }) => [fact("configured", `the cluster has ${nodes} nodes`)],
};

/** How far the attempt at another key has come: the last facts of it. */
function rekeyFacts(met: SecretsMet): readonly Fact[] {
  const last = (["RekeyStarted", "RekeyVerificationStarted", "RekeyCancelled", "ClusterRekeyed"] as const)
    .map((type) => [type, met.past.last(type, ofCluster(met))] as const)
    .reduce((newest, one) => ((one[1]?.position ?? 0) > (newest[1]?.position ?? 0) ? one : newest));
  return [recorded("rekey", REKEY_TEXTS[last[0]], last[1]) ?? fact("rekey", "no rekey was started here")];
}

const REKEY_TEXTS = {
  RekeyStarted: "a rekey was started",
  RekeyVerificationStarted: "the new shares are to be shown",
  RekeyCancelled: "the rekey was cancelled",
  ClusterRekeyed: "the new shares count",
} as const;

/** Whether a cluster is sealed, and since when. */
export function sealFact(met: SecretsMet): Fact {
  const { cluster } = met.caller;
  const status = clusterNamed(met.state, cluster)?.ignored.seal.status ?? "unsealed";
  const sealed = met.past.last("ClusterSealed", ofCluster(met));
  const unsealed = met.past.last("ClusterUnsealed", ofCluster(met));
  const last = (sealed?.position ?? 0) > (unsealed?.position ?? 0) ? sealed : unsealed;
  return gate(`cluster ${cluster} is ${status}`, last);
}
