// The types that callers of the secrets service name, and those of what its engines act on.

export type { DirectoryHandle, ShownEntry } from "../../surroundings/directory/handle.ts";
export type { OrchestratorHandle, ShownObject } from "../../surroundings/orchestrator/handle.ts";
export type { PolicyRule } from "../../surroundings/orchestrator/rules.ts";
export type { PublicJwk, TokenReview } from "../../surroundings/orchestrator/tokens.ts";
export type { StorageType, StoredSnapshot, StoresHandle } from "../../surroundings/stores/handle.ts";
export type { SecretsClient } from "./client.ts";
export type { ClusterHandle, FailClusterRequestsOptions } from "./cluster-handle.ts";
export type { AddClusterOptions } from "./clusters/add.ts";
export type { SecretsHandle as Secrets } from "./clusters-handle.ts";
export type { CallOptions } from "./declare.ts";
export type { ClusterNetworkHandle } from "./network/handle.ts";
export type { Quirk } from "./quirks.ts";
export type { Fate, LostObject } from "./replication/loss/fates.ts";
export type { Because } from "./replication/loss/reasons.ts";
export type { Acknowledged, LossForecast, LossKind, LostCommit } from "./replication/loss/report.ts";
export type { CorruptStorageOptions } from "./replication/merkle/corrupt.ts";
export type { AuthShown, Envelope, WrapInfo } from "./reply.ts";
