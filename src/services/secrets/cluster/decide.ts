import type { EventFromLogic } from "xstate";
import { clusterMachine } from "../../../../machines/cluster.machine.ts";
import { sealMachine } from "../../../../machines/seal.machine.ts";
import { epochMs } from "../../../kernel/brand.ts";
import { arrivedAt } from "../../../kernel/machine.ts";
import { bytesOfBase64, sameBytes, toBase64 } from "../bytes.ts";
import type { SecretsRecorder } from "../declare.ts";
import type { ClusterName } from "../place.ts";
import { failKeepingFacts, refuse } from "../rejections.ts";
import { clusterOf } from "../world.ts";
import { keyOfShares } from "./shamir.ts";
import {
  DEFAULT_ELECTION_MS,
  type Nodes,
  numbersOf,
  type SealState,
  statusOf,
  stoppedAt,
  stoppedSinceMs,
} from "./state.ts";

// Source of all rules in this file: decisions-secrets-core.md, D.4 and A.11.

/** What the seal chart asks about shares, where nobody gives one. */
export const SEAL_UNASKED = { complete: false, fits: false };

export function sealCluster(decision: SecretsRecorder, cluster: ClusterName): void {
  const { seal } = clusterOf(decision.state, cluster).ignored;
  const status = arrivedAt(decision.step(sealMachine, seal.status, SEAL_UNASKED, { type: "seal" }), "sealed");
  if (seal.status !== status) decision.record({ type: "ClusterSealed", data: { cluster, status } });
}

/** Opens the seal without shares: what a test author may do. */
export function unsealCluster(decision: SecretsRecorder, cluster: ClusterName): void {
  const { seal } = clusterOf(decision.state, cluster).ignored;
  const status = arrivedAt(decision.step(sealMachine, seal.status, SEAL_UNASKED, { type: "unseal" }), "unsealed");
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
  if (decision.step(sealMachine, seal.status, SEAL_UNASKED, { type: "reset" }) === undefined) refuse("not_sealed", {});
  if (seal.given.length > 0) decision.record({ type: "KeySharesForgotten", data: { cluster } });
}

/** Moves the active role to a node, at once: whoever is elected meanwhile is not. */
export function setActiveNode(decision: SecretsRecorder, cluster: ClusterName, node: number): void {
  const { ignored } = clusterOf(decision.state, cluster);
  const { nodes } = ignored;
  if (node >= nodes.count) refuse("node_unknown", { node, nodes: nodes.count });
  if (stoppedSinceMs(nodes, node) !== undefined) refuse("node_stopped", { node });
  const elected = moved(decision, cluster, "elect");
  if (ignored.election !== undefined) {
    decision.record({ type: "ActiveNodeElected", data: { cluster, status: arrivedAt(elected, "running"), node } });
  } else if (node !== nodes.active) {
    decision.record({ type: "ActiveNodeChanged", data: { cluster, node } });
  }
}

/** The active node gives its role up: the next one takes it, and the only one takes it again (cluster/README.md, 1.5). */
export function stepDown(decision: SecretsRecorder, cluster: ClusterName): void {
  const node = nextNode(clusterOf(decision.state, cluster).ignored.nodes);
  decision.record({ type: "ActiveNodeChanged", data: { cluster, node } });
}

/** The election has ended (cluster/README.md, 1.10). */
export function endElection(decision: SecretsRecorder, cluster: ClusterName): void {
  const node = nextNode(clusterOf(decision.state, cluster).ignored.nodes);
  const status = arrivedAt(moved(decision, cluster, "elect"), "running");
  decision.record({ type: "ActiveNodeElected", data: { cluster, status, node } });
}

/** The next node that runs after the active one, by number; that one itself where there is no other. */
function nextNode(nodes: Nodes): number {
  const after = numbersOf(nodes).map((step) => (nodes.active + 1 + step) % nodes.count);
  return after.find((node) => stoppedSinceMs(nodes, node) === undefined) ?? nodes.active;
}

/** What is written from now on is encrypted with a new key (cluster/README.md, 1.9). */
export function rotateBarrierKey(decision: SecretsRecorder, cluster: ClusterName): void {
  const { barrierKey, walIndex } = clusterOf(decision.state, cluster).ignored;
  const term = (barrierKey?.term ?? 1) + 1;
  decision.record({ type: "BarrierKeyRotated", data: { cluster, term, writtenBefore: walIndex } });
}

export function stopCluster(decision: SecretsRecorder, cluster: ClusterName): void {
  const before = statusOf(clusterOf(decision.state, cluster).ignored);
  const status = arrivedAt(moved(decision, cluster, "stop"), "stopped");
  if (status !== before) decision.record({ type: "ClusterStopped", data: { cluster, status } });
}

export function startCluster(decision: SecretsRecorder, cluster: ClusterName): void {
  const before = statusOf(clusterOf(decision.state, cluster).ignored);
  const next = moved(decision, cluster, "start");
  if (next?.value === before) return;
  decision.record({ type: "ClusterStarted", data: { cluster, status: arrivedAt(next, "running") } });
}

/** Stops a node (cluster/README.md, 1.10). */
export function stopNode(decision: SecretsRecorder, cluster: ClusterName, node: number): void {
  const { ignored } = clusterOf(decision.state, cluster);
  const before = statusOf(ignored);
  const next = moved(decision, cluster, "stopNode", node);
  if (stoppedAt(ignored, node) !== undefined) return;
  if (next?.value === "stopped") {
    decision.record({ type: "ClusterStopped", data: { cluster, status: next.value } });
    return;
  }
  decision.record({ type: "NodeStopped", data: { cluster, node } });
  if (next?.value === before) return;
  const dueAtMs = epochMs(decision.nowMs + (ignored.nodes.electionMs ?? DEFAULT_ELECTION_MS));
  decision.record({ type: "ElectionStarted", data: { cluster, status: arrivedAt(next, "electing"), dueAtMs } });
}

/** Starts a node: it stands by, and is the active one where no other runs. */
export function startNode(decision: SecretsRecorder, cluster: ClusterName, node: number): void {
  const { ignored } = clusterOf(decision.state, cluster);
  const next = moved(decision, cluster, "startNode", node);
  if (stoppedAt(ignored, node) === undefined) return;
  if (next?.value === statusOf(ignored)) {
    decision.record({ type: "NodeStarted", data: { cluster, node } });
    return;
  }
  const alone = ignored.nodes.count === 1 ? {} : { node };
  decision.record({ type: "ClusterStarted", data: { cluster, status: arrivedAt(next, "running"), ...alone } });
}

type ClusterMove = EventFromLogic<ReturnType<typeof clusterMachine>>["type"];

function moved(decision: SecretsRecorder, cluster: ClusterName, type: ClusterMove, node?: number) {
  const { ignored } = clusterOf(decision.state, cluster);
  const { nodes } = ignored;
  const runs = numbersOf(nodes).filter((other) => stoppedAt(ignored, other) === undefined);
  const judgement = { isActive: node === nodes.active, isLast: runs.length === 1 && runs[0] === node };
  return decision.step(clusterMachine, statusOf(ignored), judgement, { type });
}
