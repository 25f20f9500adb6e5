import { rfc3339 } from "../../../../languages/instant.ts";
import type { SecretsReading } from "../../declare.ts";
import type { Cluster } from "../../state.ts";
import { clusterOf } from "../../world.ts";
import { corruptPages, type PageShown } from "./pages.ts";
import { base64Root, treeRootOf } from "./root.ts";
import type { MerkleTree } from "./state.ts";

// Source of all rules in this file: secrets.md, merkle-check; decisions-replication.md, 8.4.

interface TreeShown {
  readonly tree_type: MerkleTree;
  /** 20 bytes in base64. */
  readonly root_hash: string;
  readonly corrupted_subtree_root: boolean;
  /** By page; null when the tree is sound. */
  readonly corrupted_index_tuples_map: { readonly [page: string]: PageShown } | null;
}

export interface MerkleReport {
  readonly merkle_corruption_report: {
    readonly corrupted_root: boolean;
    /** The contract's page number is that of the tree. */
    readonly corrupted_tree_map: { readonly "1": TreeShown; readonly "2": TreeShown };
    /** RFC 3339, unlike the status of a primary. */
    readonly last_corruption_check_epoch: string;
  };
}

/** What a check of both trees finds now. Damage hits pages, so roots as such are never corrupt. */
export function merkleReport(reading: SecretsReading): MerkleReport {
  const cluster = clusterOf(reading.state, reading.caller.cluster);
  return {
    merkle_corruption_report: {
      corrupted_root: false,
      corrupted_tree_map: {
        "1": treeShown(reading, cluster, "replicated"),
        "2": treeShown(reading, cluster, "local"),
      },
      last_corruption_check_epoch: rfc3339(reading.nowMs),
    },
  };
}

function treeShown({ nowMs }: SecretsReading, cluster: Cluster, tree: MerkleTree): TreeShown {
  const pages = corruptPages(cluster.ignored, tree, nowMs);
  return {
    tree_type: tree,
    root_hash: base64Root(treeRootOf(cluster, tree, nowMs)),
    corrupted_subtree_root: false,
    corrupted_index_tuples_map: pages.size === 0 ? null : Object.fromEntries(pages),
  };
}
