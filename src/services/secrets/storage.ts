import type { Due } from "../../kernel/calendar.ts";
import type { CubbyholeSlice } from "./cubbyhole/state.ts";
import type { LeaseSlice } from "./leases/state.ts";
import type { MountSlice } from "./mounts/state.ts";
import type { Namespace, NamespaceSlice } from "./namespaces/state.ts";
import type { FlowSlice } from "./oidc/flows/state.ts";
import type { RollbackSlice } from "./orchestrator/rollback/state.ts";
import type { PluginSlice } from "./plugins/state.ts";
import type { LocalReplicationSlice } from "./replication/state.ts";
import type { SnapshotConfigSlice } from "./snapshots/configuration.ts";
import type { TokenSlice } from "./tokens/state.ts";
import type { WrappingSlice } from "./wrapping/state.ts";

// What a cluster stores, in two parts by who receives them (decisions-replication.md, 1). What is shipped between clusters is a
// reference to a part, so nothing inside names the cluster.

/** What a secondary receives, and a snapshot saves. */
export interface Storage {
  readonly replicated: Replicated;
  readonly local: Local;
}

/**
 * The root namespace and, by their full paths, all others. Received by disaster-recovery secondaries, and by performance secondaries
 * but for what filters remove.
 */
export interface Replicated extends Namespace, NamespaceSlice, PluginSlice, Due {}

/** Received by disaster-recovery secondaries. Its mounts are those that no other performance cluster sees, by `localMountKey`. */
export interface Local
  extends TokenSlice,
    WrappingSlice,
    CubbyholeSlice,
    MountSlice,
    LeaseSlice,
    SnapshotConfigSlice,
    FlowSlice,
    RollbackSlice,
    LocalReplicationSlice,
    Due {}
