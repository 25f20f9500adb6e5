import type { Folds } from "../../../kernel/evolvers.ts";
import { deepFreeze } from "../../../kernel/plain.ts";
import { type ClusterBirth, newCluster } from "../birth.ts";
import type { ClusterName } from "../place.ts";
import type { SecretsWorld } from "../world.ts";

/** The facts of the clusters as a whole. */
export interface ClustersEvents {
  /** `seed` is what its key and its tokens are drawn from. */
  ClusterAdded: { readonly cluster: ClusterName } & Omit<ClusterBirth, "name" | "atMs">;
}

export const clustersFolds: Folds<SecretsWorld, ClustersEvents> = {
  ClusterAdded: (world, { cluster: name, ...birth }, { atMs }) => {
    if (Object.hasOwn(world.secrets, name)) return world;
    return deepFreeze({ ...world, secrets: { ...world.secrets, [name]: newCluster({ ...birth, name, atMs }) } });
  },
};
