import type { Plain } from "../../../kernel/plain.ts";
import type { RunsRecorder } from "../declare.ts";
import {
  newId,
  type PolicyCheckId,
  type PolicyEvaluationId,
  type PolicySetOutcomeId,
  type RunId,
  type TaskStageId,
  type WorkspaceId,
} from "../ids.ts";
import type { NewPolicyCheck } from "../policy-checks/state.ts";
import type { NewPolicyEvaluation } from "../policy-evaluations/state.ts";
import { countOutcomes, sumOfCounts } from "../policy-set-outcomes/count.ts";
import type { PolicyOutcome, PolicySetOutcome } from "../policy-set-outcomes/state.ts";
import { refuse } from "../rejections.ts";
import { type RunsWorld, runServiceOf } from "../world.ts";
import { carryOn } from "./progress.ts";
import {
  type CheckRead,
  type EvaluationRead,
  type OutcomeRead,
  readNewRun,
  SCOPES,
  type SetRead,
} from "./read-options.ts";
import type { NewTaskStage, Timing } from "./state.ts";

/** What `sim.runs.createRun` made. */
export interface CreatedRun {
  readonly id: string;
  /** Of scope organization first. */
  readonly policyCheckIds: readonly string[];
  readonly taskStageIds: readonly string[];
  readonly policyEvaluationIds: readonly string[];
}

/** Creates a run with its policy checks and its task stage, and lets it go as far as its timing has it. */
export function createRun(decision: RunsRecorder, input: unknown): CreatedRun {
  const { workspace, id, policyChecks, policyEvaluation: evaluation, ...wanted } = readNewRun(input);
  const at = runServiceOf(decision.state).workspaces.get(workspace);
  if (at === undefined) return refuse("workspace_not_found", { workspace });
  const ids = new Ids(decision);
  const run = ids.take("runs", id) ?? newId(decision.draw, "run");
  const checks = newChecks(decision, ids, policyChecks);
  const taskStage = evaluation === undefined ? undefined : newTaskStage(decision, ids, evaluation);
  const record = {
    ...wanted,
    workspace: workspace as WorkspaceId,
    autoApply: wanted.autoApply ?? at.autoApply,
    allowEmptyApply: wanted.allowEmptyApply ?? at.allowEmptyApply,
    timing: wanted.timing satisfies Timing,
  };
  decision.record({
    type: "RunCreated",
    data: { run: run as RunId, record, policyChecks: checks, ...(taskStage === undefined ? {} : { taskStage }) },
  });
  carryOn(decision, run as RunId);
  return {
    id: run,
    policyCheckIds: checks.map((check) => check.id),
    taskStageIds: taskStage === undefined ? [] : [taskStage.id],
    policyEvaluationIds: taskStage === undefined ? [] : [taskStage.evaluation.id],
  };
}

type IdTable = "runs" | "policyChecks" | "taskStages" | "policyEvaluations" | "policySetOutcomes";

/** Ids that a test gave: each has to be free, also within the call. */
class Ids {
  readonly #world: RunsWorld;
  readonly #taken = new Set<string>();

  constructor(decision: RunsRecorder) {
    this.#world = decision.state;
  }

  take(table: IdTable, id: string | undefined): string | undefined {
    if (id === undefined) return undefined;
    const key = `${table} ${id}`;
    if (runServiceOf(this.#world)[table].has(id) || this.#taken.has(key)) return refuse("id_taken", { id });
    this.#taken.add(key);
    return id;
  }
}

function newChecks(
  decision: RunsRecorder,
  ids: Ids,
  wanted: readonly CheckRead[],
): readonly Omit<NewPolicyCheck, "status">[] {
  // The check of the organization is created and evaluated first (decisions-policy-checks.md, 4.2).
  const ordered = SCOPES.flatMap((scope) => wanted.filter((check) => check.scope === scope));
  return ordered.map(({ id, scope, policies, engine, engineError, durationMs }) => ({
    id: (ids.take("policyChecks", id) ?? newId(decision.draw, "polchk")) as PolicyCheckId,
    scope,
    policies,
    engine: (engine ?? DEFAULT_ENGINE) as NewPolicyCheck["engine"],
    engineError,
    ...(durationMs === undefined ? {} : { durationMs }),
  }));
}

const DEFAULT_ENGINE: { readonly [key: string]: Plain } = { "schema-version": 1, data: {} };

function newTaskStage(
  decision: RunsRecorder,
  ids: Ids,
  { id, taskStageId, durationMs, policySets }: EvaluationRead,
): NewTaskStage {
  const stage = (ids.take("taskStages", taskStageId) ?? newId(decision.draw, "ts")) as TaskStageId;
  const evaluation = (ids.take("policyEvaluations", id) ?? newId(decision.draw, "poleval")) as PolicyEvaluationId;
  const sets = policySets.map((set) => newPolicySet(decision, ids, set));
  const planned: NewPolicyEvaluation = {
    id: evaluation,
    policySets: sets,
    resultCount: sumOfCounts(sets),
    failuresAreOverridable: sets.every((set) => set.overridable || set.resultCount["mandatory-failed"] === 0),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
  return { id: stage, evaluation: planned };
}

function newPolicySet(
  decision: RunsRecorder,
  ids: Ids,
  { id, name, description, overridable, error, outcomes: given }: SetRead,
): PolicySetOutcome {
  // A set that could not be evaluated has no outcomes, whatever was planned for it (decisions-policy-checks.md, 6.3).
  const outcomes = error === "" ? given.map(newOutcome) : [];
  return {
    id: (ids.take("policySetOutcomes", id) ?? newId(decision.draw, "psout")) as PolicySetOutcomeId,
    name,
    description,
    overridable,
    error,
    outcomes,
    resultCount: countOutcomes(outcomes, error),
  };
}

function newOutcome({ enforcement_level, query, status, policy_name, description }: OutcomeRead): PolicyOutcome {
  // Our choice: a policy without a level is advisory, the level that stops nothing.
  const level = status === "errored" ? null : (enforcement_level ?? "advisory");
  return { enforcement_level: level, query, status, policy_name, description };
}
