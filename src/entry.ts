// What every entry gives, whichever services it has.
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
export type { InstallOptions } from "./programs/install.ts";
export type { ClockSource, FollowOptions } from "./programs/leading-source.ts";
export type { TimerName } from "./programs/stand-ins.ts";
export type { Immediate, PendingTimer, Timeout, TimerKind } from "./programs/timer.ts";
export type { ProgramTimers } from "./programs/timers.ts";
export type { SourcePlace } from "./programs/where.ts";
export type { Evidence } from "./services/kit/operation.ts";
export type { Graded, OperationInfo } from "./services/kit/registry.ts";
export type { Fact, Why } from "./services/kit/why.ts";
export type { Clock, Pending, RunOptions } from "./simulator/clock.ts";
export {
  type EachFault,
  type EachRequestOptions,
  RequestFailure,
  type RequestStory,
  type RequestsVisited,
  type StoryRequest,
} from "./simulator/each-request.ts";
export type { Explanation } from "./simulator/explain.ts";
export { format } from "./simulator/format.ts";
export type { ReplayOptions } from "./simulator/log.ts";
export type { Place } from "./simulator/place.ts";
export type { Program } from "./simulator/programs.ts";
export type { Edit } from "./simulator/rewrite.ts";
export { diff } from "./simulator/simulator-of.ts";
export type { DeadlineOffset, Log, LoggedEvent } from "./simulator/types.ts";
export type { RequestEffectGiven, RequestFault, RequestFaultRule } from "./surroundings/faults/handle.ts";
export type { NetworkHandle } from "./surroundings/network/handle.ts";
