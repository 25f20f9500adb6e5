import type { Due } from "../../kernel/calendar.ts";
import type { Failing } from "../kit/request-failures.ts";
import type { RekeySlice } from "./cluster/rekey/state.ts";
import type { ClusterSlice } from "./cluster/state.ts";
import type { MigrationSlice } from "./mounts/state.ts";
import type { PluginFileSlice } from "./plugins/state.ts";
import type { QuirkSlice } from "./quirks.ts";
import type { ConnectionSlice } from "./replication/connections.ts";
import type { LineageSlice } from "./replication/lineage/state.ts";
import type { MerkleSlice } from "./replication/merkle/state.ts";
import type { DrOperationTokenSlice } from "./replication/operation-tokens/state.ts";
import type { ReplicationSlice } from "./replication/state.ts";
import type { SnapshotScheduleSlice } from "./snapshots/state.ts";
import type { Storage } from "./storage.ts";

/** A cluster: what it stores, which others receive, and what is its own. Each family knows its slice only. */
export interface Cluster extends Storage {
  readonly ignored: Ignored;
}

/** Received by nobody. */
export interface Ignored
  extends ClusterSlice,
    RekeySlice,
    ConnectionSlice,
    LineageSlice,
    ReplicationSlice,
    DrOperationTokenSlice,
    MerkleSlice,
    Failing,
    QuirkSlice,
    SnapshotScheduleSlice,
    PluginFileSlice,
    MigrationSlice,
    Due {}
