export type { Fired, PendingDeadline } from "./kernel/clock.ts";
export type { Command, Commit, RecordedEvent, Via } from "./kernel/commit.ts";
export type { Difference } from "./kernel/diff.ts";
export type { JournalEntry } from "./kernel/journal.ts";
export { LogError, type LogFault } from "./kernel/log-error.ts";
export type { Move } from "./kernel/outcome.ts";
export type { Divergence, Rehearsal } from "./kernel/rehearse.ts";
export { Rejection } from "./kernel/rejection.ts";
export type { ChangedAnswer } from "./kernel/rewrite.ts";
export { Table } from "./kernel/table.ts";
export type { Duration } from "./languages/duration.ts";
export type { Instant } from "./languages/instant.ts";
export { LanguageError } from "./languages/language-error.ts";
export type { Renames, ServiceVocabulary, Vocabulary } from "./languages/vocabulary/vocabulary.ts";
export { type Cast, defineScenario, type Scenario, type Step } from "./scenario/define.ts";
export { type RunOptions, runScenario, type ScenarioReport, type StepReport } from "./scenario/run.ts";
export type { Evidence } from "./services/kit/operation.ts";
export type { Graded, OperationInfo } from "./services/kit/registry.ts";
export type { RunsClient } from "./services/runs/client.ts";
export type { Document, Identifier, PagedDocument } from "./services/runs/documents.ts";
export type { RunHandle, RunsHandle } from "./services/runs/handle.ts";
export type { PageLinks, PageMeta } from "./services/runs/pagination.ts";
export type { BarePolicyCheckResource, PolicyCheckResource } from "./services/runs/policy-checks/views.ts";
export type { PolicyEvaluationResource } from "./services/runs/policy-evaluations/views.ts";
export type { PolicySetOutcomeResource } from "./services/runs/policy-set-outcomes/views.ts";
export type { CreatedRun } from "./services/runs/runs/create.ts";
export type { CreateRunOptions } from "./services/runs/runs/options.ts";
export type { RunResource } from "./services/runs/runs/views.ts";
export type { TaskStageResource } from "./services/runs/task-stages/views.ts";
export type { CreateApiTokenOptions } from "./services/runs/tokens/create.ts";
export type { WorkspaceResource } from "./services/runs/workspaces/views.ts";
export type { SchedulerClient } from "./services/scheduler/client.ts";
export type { FailRegionRequestsOptions, RegionHandle, SchedulerHandle } from "./services/scheduler/handle.ts";
export type { PolicyDocument, PolicyStub } from "./services/scheduler/policies/views.ts";
export type { ReadOptions } from "./services/scheduler/query.ts";
export type { CapabilityKind } from "./services/scheduler/rules/resolve.ts";
export type { TokenDocument, TokenStub } from "./services/scheduler/tokens/views.ts";
export type { SecretsClient } from "./services/secrets/client.ts";
export type { ClusterHandle, FailClusterRequestsOptions } from "./services/secrets/cluster-handle.ts";
export type { AddClusterOptions } from "./services/secrets/clusters/add.ts";
export type { CallOptions } from "./services/secrets/declare.ts";
export type { ClusterNetworkHandle } from "./services/secrets/network/handle.ts";
export type { Quirk } from "./services/secrets/quirks.ts";
export type { LostCommit } from "./services/secrets/replication/loss/report.ts";
export type { CorruptStorageOptions } from "./services/secrets/replication/merkle/corrupt.ts";
export type { AuthShown, Envelope, WrapInfo } from "./services/secrets/reply.ts";
export type { Clock } from "./simulator/clock.ts";
export type { Explanation } from "./simulator/explain.ts";
export { format } from "./simulator/format.ts";
export type { ReplayOptions } from "./simulator/log.ts";
export type { Place } from "./simulator/place.ts";
export type { Edit, Rewriting } from "./simulator/rewrite.ts";
export type {
  DeadlineCheck,
  DeadlineOffset,
  FailRequestsOptions,
  Fault,
  Faults,
  InjectedFaults,
  Log,
  LoggedEvent,
  Moments,
  Secrets,
  Simulator,
  View,
} from "./simulator/types.ts";
export type { SimulatorOptions, World, WorldEvents } from "./simulator/world.ts";
export { createSimulator, diff, rehearse, replay } from "./simulator.ts";
export type { DirectoryHandle, ShownEntry } from "./surroundings/directory/handle.ts";
export type { NetworkHandle } from "./surroundings/network/handle.ts";
export type { OrchestratorHandle, ShownObject } from "./surroundings/orchestrator/handle.ts";
export type { PolicyRule } from "./surroundings/orchestrator/rules.ts";
export type { PublicJwk, TokenReview } from "./surroundings/orchestrator/tokens.ts";
export type { StorageType, StoredSnapshot, StoresHandle } from "./surroundings/stores/handle.ts";
