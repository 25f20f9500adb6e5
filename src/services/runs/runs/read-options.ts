import * as v from "valibot";
import { duration, objectOf, optionsSchema, readArgument } from "../../../kernel/arguments.ts";
import { flagOf, idOf, textOf } from "../arguments.ts";

// The options of `createRun`, read: absent ones have their defaults.

const checkedPolicy = optionsSchema({
  name: textOf("a policy's name"),
  level: v.picklist(
    ["advisory", "soft-mandatory", "hard-mandatory"],
    "a policy's level is advisory, soft-mandatory or hard-mandatory",
  ),
  result: v.union([v.boolean(), v.literal("error")], 'a policy\'s result is true, false or "error"'),
});

/** Of the two the organization's check comes first. */
export const SCOPES = ["organization", "workspace"] as const;

const policyCheck = optionsSchema({
  id: v.optional(idOf("id")),
  scope: v.optional(v.picklist(SCOPES, "scope is organization or workspace"), "organization"),
  durationMs: v.optional(duration),
  engine: v.optional(objectOf("engine is an object")),
  engineError: v.optional(flagOf("engineError"), false),
  policies: v.array(checkedPolicy, "policies are an array"),
});

const policyOutcome = optionsSchema({
  policy_name: textOf("policy_name"),
  query: v.string("query is a text"),
  status: v.picklist(["passed", "failed", "errored"], "status is passed, failed or errored"),
  enforcement_level: v.optional(
    v.nullable(v.picklist(["advisory", "mandatory"], "enforcement_level is advisory or mandatory")),
  ),
  description: v.optional(v.string("description is a text"), ""),
});

const policySet = optionsSchema({
  id: v.optional(idOf("id")),
  name: textOf("a policy set's name"),
  description: v.optional(v.nullable(v.string("description is a text")), null),
  overridable: v.optional(flagOf("overridable"), false),
  error: v.optional(v.string("error is a text"), ""),
  outcomes: v.optional(v.array(policyOutcome, "outcomes are an array"), []),
});

const policyEvaluation = optionsSchema({
  id: v.optional(idOf("id")),
  taskStageId: v.optional(idOf("taskStageId")),
  durationMs: v.optional(duration),
  policySets: v.array(policySet, "policySets are an array"),
});

const phases = optionsSchema({
  queueMs: v.optional(duration, 0),
  planMs: v.optional(duration, 0),
  evaluationMs: v.optional(duration, 0),
  checkMs: v.optional(duration, 0),
  applyMs: v.optional(duration, 0),
});

const timingName = v.picklist(
  ["immediate", "manual"],
  "timing is immediate, manual, or an object of durations: queueMs, planMs, evaluationMs, checkMs, applyMs",
);

/** Which of the two is meant is told by the value, so that a message names the phase that is wrong. */
const timing = v.lazy((given) => (typeof given === "object" && given !== null ? phases : timingName));

/** What a run comes to. */
const PLAN = {
  hasChanges: v.optional(flagOf("hasChanges"), true),
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
  timing: v.optional(timing, "immediate"),
};

const newRun = optionsSchema({
  workspace: textOf("workspace"),
  id: v.optional(idOf("id")),
  message: v.optional(v.string("message is a text"), ""),
  source: v.optional(textOf("source"), "api"),
  triggerReason: v.optional(textOf("triggerReason"), "manual"),
  planOnly: v.optional(flagOf("planOnly"), false),
  isDestroy: v.optional(flagOf("isDestroy"), false),
  autoApply: v.optional(flagOf("autoApply")),
  allowEmptyApply: v.optional(flagOf("allowEmptyApply")),
  ...PLAN,
});

const plannedRuns = v.pipe(
  optionsSchema({ workspace: textOf("workspace"), ...PLAN }),
  v.check(
    ({ policyChecks, policyEvaluation: evaluation }) =>
      [...policyChecks, evaluation, ...(evaluation?.policySets ?? [])].every((one) => one?.id === undefined) &&
      evaluation?.taskStageId === undefined,
    "ids are for one run, and more than one may follow this plan",
  ),
);

export type CheckRead = v.InferOutput<typeof policyCheck>;
export type OutcomeRead = v.InferOutput<typeof policyOutcome>;
export type SetRead = v.InferOutput<typeof policySet>;
export type EvaluationRead = v.InferOutput<typeof policyEvaluation>;

/**
 * Reads the argument of `planRuns`.
 *
 * @throws TypeError naming the value that is wrong
 */
export function readPlannedRuns(input: unknown): v.InferOutput<typeof plannedRuns> {
  return readArgument(plannedRuns, "planRuns", input);
}

/**
 * Reads the argument of `createRun`.
 *
 * @throws TypeError naming the value that is wrong
 */
export function readNewRun(input: unknown): v.InferOutput<typeof newRun> {
  return readArgument(newRun, "createRun", input);
}
