import { runMachine } from "../../machines/run.machine.ts";
import { type ChartRow, describeChart } from "./chart-table.ts";

type Row = ChartRow<ReturnType<typeof runMachine>>;
type Judgement = Row["judgement"];
type State = Row["state"];

/** Nobody is asked, nothing fails, there is something to apply and it waits for a person. */
const plain: Judgement = {
  planFails: false,
  applyFails: false,
  taskStage: "none",
  policyChecks: "none",
  canBeApplied: true,
  appliesByItself: false,
};
const planOnly = { canBeApplied: false };
const byItself = { appliesByItself: true };

const row = (
  rule: string,
  state: State,
  type: Row["move"]["type"],
  next: State | undefined,
  known: Partial<Judgement> = {},
): Row => ({ rule: `${state}: ${rule}`, state, judgement: { ...plain, ...known }, move: { type }, next });

/** The rows of a state in which a phase is over and policy checks may follow. */
const afterPhase = (state: State, known: Partial<Judgement> = {}): Row[] => [
  row("policy checks come next", state, "proceed", "policy_checking", { ...known, policyChecks: "open" }),
  row("without policy checks no phase comes next", state, "proceed", undefined, known),
  ...afterPolicies(state, known),
  row("it is not confirmed before its policy checks", state, "confirm", undefined, { ...known, policyChecks: "open" }),
  row("it is not discarded before its policy checks", state, "discard", undefined, { ...known, policyChecks: "open" }),
  row("it is canceled while policy checks follow", state, "cancel", "canceled", { ...known, policyChecks: "open" }),
  row("it is not canceled while it waits for a person", state, "cancel", undefined, known),
];

/** The rows of a state in which no policy is left to ask. */
const afterPolicies = (state: State, known: Partial<Judgement>): Row[] => [
  row("nothing to apply finishes it", state, "settle", "planned_and_finished", { ...known, ...planOnly }),
  row("auto-apply confirms it", state, "settle", "confirmed", { ...known, ...byItself }),
  row("nothing follows by itself while a person is waited for", state, "settle", undefined, known),
  row("a person confirms it", state, "confirm", "confirmed", known),
  row("nobody confirms what goes on by itself", state, "confirm", undefined, { ...known, ...byItself }),
  row("a person discards it", state, "discard", "discarded", known),
  row("nobody discards what is finished", state, "discard", undefined, { ...known, ...planOnly }),
];

const NOT_ENTERED: readonly State[] = [
  "fetching",
  "fetching_completed",
  "pre_plan_running",
  "pre_plan_completed",
  "queuing",
  "cost_estimating",
  "pre_apply_running",
  "pre_apply_completed",
  "queuing_apply",
  "post_apply_running",
  "post_apply_completed",
  "planned_and_saved",
];

// decisions-policy-checks.md, 8.
describeChart(runMachine, [
  row("it begins", "pending", "proceed", "plan_queued"),
  row("it is discarded before it begins", "pending", "discard", "discarded"),
  row("it is canceled before it begins", "pending", "cancel", "canceled"),
  row("it is picked up", "plan_queued", "proceed", "planning"),
  row("it is canceled", "plan_queued", "cancel", "canceled"),
  row("the plan ends", "planning", "proceed", "planned"),
  row("the plan fails", "planning", "proceed", "errored", { planFails: true }),
  row("it is canceled", "planning", "cancel", "canceled"),

  row("a task stage comes next, plan-only or not", "planned", "proceed", "post_plan_running", {
    ...planOnly,
    taskStage: "pending",
    policyChecks: "open",
  }),
  ...afterPhase("planned"),
  row("it is not confirmed before its task stage", "planned", "confirm", undefined, { taskStage: "pending" }),
  row("it is canceled while a task stage follows", "planned", "cancel", "canceled", { taskStage: "pending" }),

  row("the stage passed", "post_plan_running", "settle", "post_plan_completed", { taskStage: "passed" }),
  row("the stage awaits an override", "post_plan_running", "settle", "post_plan_awaiting_decision", {
    taskStage: "awaiting_override",
  }),
  row("the stage failed", "post_plan_running", "settle", "errored", { taskStage: "failed" }),
  row("the stage is errored", "post_plan_running", "settle", "errored", { taskStage: "errored" }),
  row("the stage runs", "post_plan_running", "settle", undefined, { taskStage: "running" }),
  row("it is canceled", "post_plan_running", "cancel", "canceled", { taskStage: "running" }),
  row("its stage is overridden", "post_plan_awaiting_decision", "overrideTaskStage", "post_plan_running"),
  row("it is discarded", "post_plan_awaiting_decision", "discard", "discarded"),
  ...afterPhase("post_plan_completed", { taskStage: "passed" }),
  ...afterPhase("cost_estimated", { taskStage: "passed" }),

  row("a check failed for good", "policy_checking", "settle", "errored", { policyChecks: "failed" }),
  row("all checks passed", "policy_checking", "settle", "policy_checked", { policyChecks: "passed" }),
  row("a soft failure waits for an override", "policy_checking", "settle", "policy_override", {
    policyChecks: "soft_failed",
  }),
  row("a soft failure ends what cannot be applied", "policy_checking", "settle", "policy_soft_failed", {
    ...planOnly,
    policyChecks: "soft_failed",
  }),
  row("a check is open", "policy_checking", "settle", undefined, { policyChecks: "open" }),
  row("it is canceled", "policy_checking", "cancel", "canceled", { policyChecks: "open" }),
  row("no soft failure is left", "policy_override", "settle", "policy_checked", { policyChecks: "passed" }),
  row("a soft failure is left", "policy_override", "settle", undefined, { policyChecks: "soft_failed" }),
  row("it is discarded", "policy_override", "discard", "discarded", { policyChecks: "soft_failed" }),
  ...afterPolicies("policy_checked", { policyChecks: "passed" }),

  row("its apply is queued", "confirmed", "settle", "apply_queued"),
  row("its apply is picked up", "apply_queued", "proceed", "applying"),
  row("it is canceled", "apply_queued", "cancel", "canceled"),
  row("its apply ends", "applying", "proceed", "applied"),
  row("its apply fails", "applying", "proceed", "errored", { applyFails: true }),
  row("it is canceled", "applying", "cancel", "canceled"),
  ...NOT_ENTERED.map((state) => row("it could be canceled", state, "cancel", "canceled")),
]);
