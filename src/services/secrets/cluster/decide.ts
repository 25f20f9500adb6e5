import type { StateValueFrom } from "xstate";
import { clusterMachine } from "../../../../machines/cluster.machine.ts";
import { sealMachine } from "../../../../machines/seal.machine.ts";
import { arrivedAt } from "../../../kernel/machine.ts";
import { bytesOfBase64, sameBytes, toBase64 } from "../bytes.ts";
import type { SecretsRecorder } from "../declare.ts";
import type { ClusterName } from "../place.ts";
import { failKeepingFacts, refuse } from "../rejections.ts";
import { clusterOf } from "../world.ts";
import { keyOfShares } from "./shamir.ts";
import type { SealState } from "./state.ts";

// Source of all rules in this file: decisions-secrets-core.md, D.4 and A.11.

const UNASKED = { complete: false, fits: false };

export function sealCluster(decision: SecretsRecorder, cluster: ClusterName): void {
  const { seal } = clusterOf(decision.state, cluster).ignored;
  const status = arrivedAt(decision.step(sealMachine, seal.status, UNASKED, { type: "seal" }), "sealed");
  if (seal.status !== status) decision.record({ type: "ClusterSealed", data: { cluster, status } });
}

/** Opens the seal without shares: what a test author may do. */
export function unsealCluster(decision: SecretsRecorder, cluster: ClusterName): void {
  const { seal } = clusterOf(decision.state, cluster).ignored;
  const status = arrivedAt(decision.step(sealMachine, seal.status, UNASKED, { type: "unseal" }), "unsealed");
  if (seal.status !== status) decision.record({ type: "ClusterUnsealed", data: { cluster, status } });
}

/** Takes one share: the first one begins an attempt, one that is there already changes nothing, the last one opens the seal. */
export function giveShare(decision: SecretsRecorder, cluster: ClusterName, share: Uint8Array): void {
  const { seal } = clusterOf(decision.state, cluster).ignored;
  const text = toBase64(share);
  const given = seal.given.includes(text) ? seal.given : [...seal.given, text];
  const complete = given.length >= seal.threshold;
  const judgement = { complete, fits: complete && makesKey(given, seal) };
  const next =
    decision.step(sealMachine, seal.status, judgement, { type: "giveShare" }) ?? forgetShares(decision, cluster, seal);
  if (next.value !== seal.status) {
    decision.record({ type: "ClusterUnsealed", data: { cluster, status: arrivedAt(next, "unsealed") } });
  } else if (given !== seal.given && next.value === "sealed") {
    const nonce = seal.nonce === "" ? decision.draw.uuid() : seal.nonce;
    decision.record({ type: "KeyShareGiven", data: { cluster, share: text, nonce } });
  }
}

function forgetShares(decision: SecretsRecorder, cluster: ClusterName, { given }: SealState): never {
  if (given.length > 0) decision.record({ type: "KeySharesForgotten", data: { cluster } });
  return failKeepingFacts("key_shares_do_not_fit", {});
}

function makesKey(given: readonly string[], { key, threshold }: SealState): boolean {
  const made = keyOfShares(given.map(bytesOfBase64), threshold);
  return made !== undefined && sameBytes(made, bytesOfBase64(key));
}

/** Forgets the shares given so far. */
export function resetUnseal(decision: SecretsRecorder, cluster: ClusterName): void {
  const { seal } = clusterOf(decision.state, cluster).ignored;
  if (decision.step(sealMachine, seal.status, UNASKED, { type: "reset" }) === undefined) refuse("not_sealed", {});
  if (seal.given.length > 0) decision.record({ type: "KeySharesForgotten", data: { cluster } });
}

/** Moves the active role to a node, at once. */
export function setActiveNode(decision: SecretsRecorder, cluster: ClusterName, node: number): void {
  const { nodes } = clusterOf(decision.state, cluster).ignored;
  if (node >= nodes.count) refuse("node_unknown", { node, nodes: nodes.count });
  if (node !== nodes.active) decision.record({ type: "ActiveNodeChanged", data: { cluster, node } });
}

/** The active node gives its role up: the next one takes it, and the only one takes it again (cluster/README.md, 1.5). */
export function stepDown(decision: SecretsRecorder, cluster: ClusterName): void {
  const { active, count } = clusterOf(decision.state, cluster).ignored.nodes;
  decision.record({ type: "ActiveNodeChanged", data: { cluster, node: (active + 1) % count } });
}

/** What is written from now on is encrypted with a new key (cluster/README.md, 1.9). */
export function rotateBarrierKey(decision: SecretsRecorder, cluster: ClusterName): void {
  const { barrierKey, walIndex } = clusterOf(decision.state, cluster).ignored;
  const term = (barrierKey?.term ?? 1) + 1;
  decision.record({ type: "BarrierKeyRotated", data: { cluster, term, writtenBefore: walIndex } });
}

export function stopCluster(decision: SecretsRecorder, cluster: ClusterName): void {
  const before = powerOf(decision, cluster);
  const status = arrivedAt(decision.step(clusterMachine, before, {}, { type: "stop" }), "stopped");
  if (status !== before) decision.record({ type: "ClusterStopped", data: { cluster, status } });
}

export function startCluster(decision: SecretsRecorder, cluster: ClusterName): void {
  const before = powerOf(decision, cluster);
  const status = arrivedAt(decision.step(clusterMachine, before, {}, { type: "start" }), "running");
  if (status !== before) decision.record({ type: "ClusterStarted", data: { cluster, status } });
}

function powerOf({ state }: SecretsRecorder, cluster: ClusterName): StateValueFrom<ReturnType<typeof clusterMachine>> {
  return clusterOf(state, cluster).ignored.running ? "running" : "stopped";
}
