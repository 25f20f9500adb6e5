import type { FlatEvolvers } from "../../../../kernel/evolvers.ts";
import type { ClusterName } from "../../place.ts";
import type { Ignored } from "../../state.ts";

/** A token that makes up for all others on a disaster-recovery secondary (decisions-replication.md, 8.3). */
export interface DrOperationToken {
  readonly createdAtMs: number;
}

interface OfCluster {
  readonly cluster: ClusterName;
}

/** The facts of these tokens. They end with the role that they serve, by whatever ends it. */
export interface DrOperationTokenEvents {
  DrOperationTokenCreated: OfCluster & { readonly token: string };
}

export const drOperationTokenEvolvers: FlatEvolvers<Ignored, DrOperationTokenEvents> = {
  DrOperationTokenCreated: (ignored, { token }, meta) => {
    ignored.drOperationTokens = ignored.drOperationTokens.set(token, { createdAtMs: meta.atMs });
  },
};
