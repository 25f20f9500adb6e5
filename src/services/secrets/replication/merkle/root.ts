import type { EpochMs } from "../../../../kernel/brand.ts";
import { hashOfText, hexOf, isContentHashed, SelectiveHasher } from "../../../../kernel/hash.ts";
import { toBase64 } from "../../bytes.ts";
import type { Cluster } from "../../state.ts";
import type { ReplicationKind } from "../state.ts";
import { corruptPages } from "./pages.ts";
import type { MerkleTree } from "./state.ts";

// The trees over what is shipped (decisions-replication.md, 2 and 8.4). Our choice: their pages are the injected damage, and not a
// layout of the storage: nothing shows which page an entry lies in.

/**
 * The root over what a kind of replication ships: 40 hexadecimal characters, a pure function of the data. What is corrupt makes another
 * one.
 */
export function merkleRootOf(cluster: Cluster, kind: ReplicationKind, nowMs: EpochMs): string {
  const replicated = treeRootOf(cluster, "replicated", nowMs);
  return kind === "performance" ? replicated : digits40(`${replicated} ${treeRootOf(cluster, "local", nowMs)}`);
}

/** The root of one of the trees, in hexadecimal. */
export function treeRootOf(cluster: Cluster, tree: MerkleTree, nowMs: EpochMs): string {
  const root = hexOf(content.hashOf(cluster[tree]));
  const pages = [...corruptPages(cluster.ignored, tree, nowMs)];
  return digits40(pages.length === 0 ? root : `${root} ${JSON.stringify(pages)}`);
}

/** The same as the bytes that it stands for, in base64. */
export function base64Root(root: string): string {
  return toBase64(
    Uint8Array.from({ length: 20 }, (_, index) => Number.parseInt(root.slice(2 * index, 2 * index + 2), 16)),
  );
}

/** The calendars, and the keys by which their deadlines are kept, follow from the data and from when it was written. */
const content = new SelectiveHasher((name, member) =>
  name === "calendar" ? isTable(member) : name.endsWith("eadline") && isDeadlineKey(member),
);

function isTable(member: unknown): boolean {
  return typeof member === "object" && member !== null && isContentHashed(member);
}

/** What a caller stored under such a name is data like any other. */
function isDeadlineKey(member: unknown): boolean {
  return typeof member === "string" && /^\d{15}\.\d{10}\.\d{9}$/.test(member);
}

function digits40(text: string): string {
  const digits = hexOf(hashOfText(text));
  return digits + hexOf(hashOfText(`${digits} ${text}`)).slice(0, 8);
}
