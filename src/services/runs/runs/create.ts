import * as v from "valibot";
import { readArgument } from "../../../kernel/arguments.ts";
import type { Plain } from "../../../kernel/plain.ts";
import { duration, flagOf, objectOf, textOf } from "../arguments.ts";
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
import type { RunsRecorder } from "../recorder.ts";
import { refuse } from "../rejections.ts";
import { type RunService, runServiceOf } from "../state.ts";
import { carryOn } from "./progress.ts";
import type { NewTaskStage, Timing } from "./state.ts";

const checkedPolicy = v.strictObject(
  {
    name: textOf("a policy's name"),
    level: v.picklist(
      ["advisory", "soft-mandatory", "hard-mandatory"],
      "a policy's level is advisory, soft-mandatory or hard-mandatory",
    ),
    result: v.union([v.boolean(), v.literal("error")], 'a policy\'s result is true, false or "error"'),
  },
  "no such option",
);

const SCOPES = ["organization", "workspace"] as const;

const policyCheck = v.strictObject(
  {
    id: v.optional(textOf("id")),
    scope: v.optional(v.picklist(SCOPES, "scope is organization or workspace"), "organization"),
    durationMs: v.optional(duration),
    engine: v.optional(objectOf("engine")),
    engineError: v.optional(flagOf("engineError"), false),
    policies: v.array(checkedPolicy, "policies are an array"),
  },
  "no such option",
);

const policyOutcome = v.strictObject(
  {
    policy_name: textOf("policy_name"),
    query: v.string("query is a text"),
    status: v.picklist(["passed", "failed", "errored"], "status is passed, failed or errored"),
    enforcement_level: v.optional(
      v.nullable(v.picklist(["advisory", "mandatory"], "enforcement_level is advisory or mandatory")),
    ),
    description: v.optional(v.string("description is a text"), ""),
  },
  "no such option",
);

const policySet = v.strictObject(
  {
    id: v.optional(textOf("id")),
    name: textOf("a policy set's name"),
    description: v.optional(v.nullable(v.string("description is a text")), null),
    overridable: v.optional(flagOf("overridable"), false),
    error: v.optional(v.string("error is a text"), ""),
    outcomes: v.optional(v.array(policyOutcome, "outcomes are an array"), []),
  },
  "no such option",
);

const policyEvaluation = v.strictObject(
  {
    id: v.optional(textOf("id")),
    taskStageId: v.optional(textOf("taskStageId")),
    durationMs: v.optional(duration),
    policySets: v.array(policySet, "policySets are an array"),
  },
  "no such option",
);

const phases = v.strictObject(
  {
    queueMs: v.optional(duration, 0),
    planMs: v.optional(duration, 0),
    evaluationMs: v.optional(duration, 0),
    checkMs: v.optional(duration, 0),
    applyMs: v.optional(duration, 0),
  },
  "no such phase",
);

const newRun = v.strictObject(
  {
    workspace: textOf("workspace"),
    id: v.optional(textOf("id")),
    message: v.optional(v.string("message is a text"), ""),
    source: v.optional(textOf("source"), "api"),
    triggerReason: v.optional(textOf("triggerReason"), "manual"),
    planOnly: v.optional(flagOf("planOnly"), false),
    hasChanges: v.optional(flagOf("hasChanges"), true),
    isDestroy: v.optional(flagOf("isDestroy"), false),
    autoApply: v.optional(flagOf("autoApply")),
    allowEmptyApply: v.optional(flagOf("allowEmptyApply")),
    policyChecks: v.optional(
      v.pipe(
        v.array(policyCheck, "policyChecks are an array"),
        v.check(
          (checks) => new Set(checks.map(({ scope }) => scope)).size === checks.length,
          "a run has at most one policy check of each scope",
        ),
      ),
      [],
    ),
    policyEvaluation: v.optional(policyEvaluation),
    planFails: v.optional(flagOf("planFails"), false),
    applyFails: v.optional(flagOf("applyFails"), false),
    timing: v.optional(
      v.union(
        [v.literal("immediate"), v.literal("manual"), phases],
        "timing is immediate, manual, or an object of durations: queueMs, planMs, evaluationMs, checkMs, applyMs",
      ),
      "immediate",
    ),
  },
  "no such option",
);

/** A duration: a text with units (`"90s"`), or milliseconds. */
type DurationInput = string | number;

/** The options of `sim.runs.createRun`. */
export interface CreateRunOptions {
  /** The id of a workspace. */
  readonly workspace: string;
  readonly id?: string | undefined;
  /** Default `""`. */
  readonly message?: string | undefined;
  /** Default `"api"`. */
  readonly source?: string | undefined;
  /** Default `"manual"`. */
  readonly triggerReason?: string | undefined;
  /** It ends with its policies, and is not applied. Default false. */
  readonly planOnly?: boolean | undefined;
  /** Whether the plan changes anything. Default true. */
  readonly hasChanges?: boolean | undefined;
  /** Default false. */
  readonly isDestroy?: boolean | undefined;
  /** Nobody has to confirm it. Default: as its workspace. */
  readonly autoApply?: boolean | undefined;
  /** It is applied also when nothing changes. Default: as its workspace. */
  readonly allowEmptyApply?: boolean | undefined;
  /** The kind-a policies that it is checked by: at most one check of each scope. Default none. */
  readonly policyChecks?: readonly NewPolicyCheckOptions[] | undefined;
  /** The kind-b policies that are evaluated after its plan. Default none. */
  readonly policyEvaluation?: NewPolicyEvaluationOptions | undefined;
  /** Default false. */
  readonly planFails?: boolean | undefined;
  /** Default false. */
  readonly applyFails?: boolean | undefined;
  /**
   * What moves it on where no person is needed: `"immediate"` (the default) nothing has to, `"manual"` each step of
   * `run(id).step()`, an object of durations the virtual time that its phases take; a phase that is left out takes none.
   */
  readonly timing?:
    | "immediate"
    | "manual"
    | {
        readonly queueMs?: DurationInput | undefined;
        readonly planMs?: DurationInput | undefined;
        readonly evaluationMs?: DurationInput | undefined;
        readonly checkMs?: DurationInput | undefined;
        readonly applyMs?: DurationInput | undefined;
      }
    | undefined;
}

/** A policy check, and what it will come to. */
interface NewPolicyCheckOptions {
  readonly id?: string | undefined;
  /** Default `"organization"`. The organization's check comes first. */
  readonly scope?: "organization" | "workspace" | undefined;
  /** Takes the place of `checkMs`, and is what `duration-ms` shows. Default: what the clock says. */
  readonly durationMs?: DurationInput | undefined;
  /** What the result shows as `engine`. Default `{ "schema-version": 1, data: {} }`. */
  readonly engine?: { readonly [key: string]: unknown } | undefined;
  /** The engine itself breaks: the check is errored and has no result. Default false. */
  readonly engineError?: boolean | undefined;
  readonly policies: readonly {
    readonly name: string;
    readonly level: "advisory" | "soft-mandatory" | "hard-mandatory";
    /** `"error"` counts as failed at its level. */
    readonly result: boolean | "error";
  }[];
}

/** A policy evaluation, and what it will come to. */
interface NewPolicyEvaluationOptions {
  readonly id?: string | undefined;
  readonly taskStageId?: string | undefined;
  /** Takes the place of `evaluationMs`. */
  readonly durationMs?: DurationInput | undefined;
  readonly policySets: readonly {
    /** The id of its outcome. */
    readonly id?: string | undefined;
    readonly name: string;
    /** Default null. */
    readonly description?: string | null | undefined;
    /** Its mandatory failures may be overridden. Default false. */
    readonly overridable?: boolean | undefined;
    /** Not empty: the whole set could not be evaluated, and has no outcomes. Default `""`. */
    readonly error?: string | undefined;
    readonly outcomes?:
      | readonly {
          readonly policy_name: string;
          readonly query: string;
          readonly status: "passed" | "failed" | "errored";
          /** Default `"advisory"`; an errored one has none. */
          readonly enforcement_level?: "advisory" | "mandatory" | null | undefined;
          /** Default `""`. */
          readonly description?: string | undefined;
        }[]
      | undefined;
  }[];
}

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
  const { workspace, id, policyChecks, policyEvaluation: evaluation, ...wanted } = read(input);
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

function read(input: unknown): v.InferOutput<typeof newRun> {
  return readArgument(newRun, "createRun", input);
}

type IdTable = "runs" | "policyChecks" | "taskStages" | "policyEvaluations" | "policySetOutcomes";

/** Ids that a test gave: each has to be free, also within the call. */
class Ids {
  readonly #service: RunService;
  readonly #taken = new Set<string>();

  constructor(decision: RunsRecorder) {
    this.#service = runServiceOf(decision.state);
  }

  take(table: IdTable, id: string | undefined): string | undefined {
    if (id === undefined) return undefined;
    const key = `${table} ${id}`;
    if (this.#service[table].has(id) || this.#taken.has(key)) return refuse("id_taken", { id });
    this.#taken.add(key);
    return id;
  }
}

function newChecks(
  decision: RunsRecorder,
  ids: Ids,
  wanted: readonly v.InferOutput<typeof policyCheck>[],
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
  { id, taskStageId, durationMs, policySets }: v.InferOutput<typeof policyEvaluation>,
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
  { id, name, description, overridable, error, outcomes: given }: v.InferOutput<typeof policySet>,
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

function newOutcome({
  enforcement_level,
  query,
  status,
  policy_name,
  description,
}: v.InferOutput<typeof policyOutcome>): PolicyOutcome {
  // Our choice: a policy without a level is advisory, the level that stops nothing.
  const level = status === "errored" ? null : (enforcement_level ?? "advisory");
  return { enforcement_level: level, query, status, policy_name, description };
}
