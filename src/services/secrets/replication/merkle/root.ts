import { addHashes, hashOf, hashOfEntry, hashOfText, hexOf, NO_HASH } from "../../../../kernel/hash.ts";
import type { Cluster } from "../../state.ts";
import type { ReplicationKind } from "../state.ts";

/**
 * The root of the tree over what a kind of replication ships: 40 hexadecimal characters, a pure function of the data, without the
 * calendars (decisions-replication.md, 2).
 */
export function merkleRootOf({ replicated, local }: Cluster, kind: ReplicationKind): string {
  const shared = hashOfPart(replicated);
  const hash = kind === "performance" ? shared : addHashes(shared, hashOfPart(local));
  return hexOf(hash) + hexOf(hashOfText(hexOf(hash))).slice(0, 8);
}

function hashOfPart(part: object): typeof NO_HASH {
  let sum = NO_HASH;
  for (const [name, member] of Object.entries(part)) {
    if (name !== "calendar") sum = addHashes(sum, hashOfEntry(name, member));
  }
  return hashOf(sum);
}
