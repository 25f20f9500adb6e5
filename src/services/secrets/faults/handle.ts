import type { Via } from "../../../kernel/commit.ts";
import { placeOfHandle } from "../../../kernel/handle.ts";
import type { Host } from "../../../kernel/host.ts";
import { copyPlain } from "../../../kernel/plain.ts";
import { shown } from "../../../languages/shown.ts";
import type { ClusterHandle } from "../cluster-handle.ts";
import type { CorruptStorageOptions } from "../replication/merkle/corrupt.ts";
import type { SecretsWorld } from "../world.ts";

/** Faults that clusters alone have. */
export interface StorageFaults {
  /**
   * Lets a page of a Merkle tree of a cluster, or some subpages of it, say something else than what is stored. Pages and subpages are 0
   * to 255, the tree is `"replicated"` unless told otherwise. A reindex repairs it, and a wipe.
   *
   * @throws TypeError for what is no cluster, and for a wrong option
   * @example
   * sim.faults.corruptStorage(sim.secrets.cluster("west"), { page: 12, subpages: [3] });
   */
  corruptStorage(cluster: ClusterHandle, options: CorruptStorageOptions): void;
}

/** Makes the calls; `via` is the door whose calls they are. */
export function storageFaults(host: Host<SecretsWorld>, via: Via): StorageFaults {
  return {
    corruptStorage: (handle, options) => {
      const cluster = clusterName(host.state, handle);
      const input = copyPlain({ cluster: { cluster }, options }, "faults.corruptStorage");
      host.execute({ name: "control.faults.corruptStorage", input, caller: { cluster }, via }, () => undefined);
    },
  };
}

function clusterName({ secrets }: SecretsWorld, cluster: ClusterHandle): string {
  const name = placeOfHandle(cluster)?.["cluster"];
  if (name !== undefined && Object.hasOwn(secrets, name)) return name;
  throw new TypeError(`faults.corruptStorage: ${shown(cluster)} is no handle of a cluster of this simulator`);
}
