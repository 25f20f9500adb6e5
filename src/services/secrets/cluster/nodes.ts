import { shown } from "../../../languages/shown.ts";
import type { ClusterSlice } from "./state.ts";

/**
 * Where a node answers: with one node where the cluster does, else at a host of its own, `-<i>` after the first label.
 *
 * Source: decisions-secrets-core.md, A.11 "Nodes".
 */
export function nodeUrl({ url, nodes }: Pick<ClusterSlice, "url" | "nodes">, node: number): string {
  return nodes.count === 1 ? url : withNode(url, node);
}

/** Where the nodes of a cluster answer that have an address besides its own. */
export function nodeUrls(url: string, count: number): string[] {
  return count === 1 ? [] : Array.from({ length: count }, (_, node) => new URL(withNode(url, node)).origin);
}

/** The address at which other clusters reach a node. */
export function nodeClusterAddress({ url, clusterAddress, nodes }: ClusterSlice, node: number): string {
  if (nodes.count === 1) return clusterAddress;
  return `https://${new URL(withNode(url, node)).hostname}:${new URL(clusterAddress).port}`;
}

/** @throws TypeError for what is no number of a node */
export function refuseNoNode(call: string, { nodes }: Pick<ClusterSlice, "nodes">, name: string, node: unknown): void {
  if (Number.isInteger(node) && (node as number) >= 0 && (node as number) < nodes.count) return;
  throw new TypeError(`${call}: ${shown(node)} is no node of ${name}: they are 0 to ${nodes.count - 1}`);
}

function withNode(url: string, node: number): string {
  const { protocol, host } = new URL(url);
  const [first = "", ...rest] = host.split(".");
  const [label = "", port] = first.split(":");
  const named = [`${label}-${node}${port === undefined ? "" : `:${port}`}`, ...rest].join(".");
  return `${protocol}//${named}`;
}
