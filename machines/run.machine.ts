import { setup } from "xstate";

/** What is known of a run when one of its moves is asked for. */
interface Judgement {
  readonly planFails: boolean;
  readonly applyFails: boolean;
  /** The status of its task stage; `none` without kind-b policies. */
  readonly taskStage:
    | "none"
    | "pending"
    | "running"
    | "passed"
    | "failed"
    | "awaiting_override"
    | "errored"
    | "canceled"
    | "unreachable";
  /** What its policy checks have come to, all together; `none` without kind-a policies. */
  readonly policyChecks: "none" | "open" | "passed" | "soft_failed" | "failed";
  /** It is not plan-only, and has changes or may be applied without any. */
  readonly canBeApplied: boolean;
  /** Nobody has to confirm it. */
  readonly appliesByItself: boolean;
}

/** No policy of either kind is left to ask. */
function policiesAreDone({ taskStage, policyChecks }: Judgement): boolean {
  return taskStage !== "pending" && (policyChecks === "none" || policyChecks === "passed");
}

/** A phase is over: policies are left to ask, or the run finishes, goes on by itself, or waits for a person. */
const afterPhase = {
  settle: [
    { target: "planned_and_finished", guard: "hasNothingToApply" },
    { target: "confirmed", guard: "isAppliedByItself" },
  ],
  confirm: { target: "confirmed", guard: "waitsForConfirmation" },
  discard: { target: "discarded", guard: "waitsForConfirmation", actions: "cancelWaiting" },
  cancel: { target: "canceled", guard: "hasPoliciesToAsk", actions: "cancelUnderWay" },
} as const;

const policyChecking = { target: "policy_checking", guard: "hasPolicyChecks", actions: "queuePolicyCheck" } as const;

/** What the states share that no row of the table leads to: a run in them could be canceled, and nothing else. */
const notEntered = { on: { cancel: { target: "canceled", actions: "cancelUnderWay" } } } as const;

/**
 * A run: plan, task stage (kind-b policies), policy checks (kind-a policies), confirmation, apply.
 *
 * `proceed` is the next move that a run makes by itself, after the time that its phase takes; `settle` is what follows at
 * once from what is known by then. Actions name what a move does to the policy resources of the run.
 *
 * Source: decisions-policy-checks.md, 8.
 */
export const runMachine = () =>
  setup({
    types: {
      context: {} as Judgement,
      events: {} as
        | { readonly type: "proceed" }
        | { readonly type: "settle" }
        | { readonly type: "confirm" }
        | { readonly type: "discard" }
        | { readonly type: "cancel" }
        | { readonly type: "overrideTaskStage" },
    },
    actions: {
      /** The stage runs, its evaluation is queued. */
      startTaskStage: () => undefined,
      /** The first check is queued. */
      queuePolicyCheck: () => undefined,
      /** What waits for its turn will not be reached any more. */
      abandonPending: () => undefined,
      /** What is queued or runs is canceled, and what waits for its turn will not be reached any more. */
      cancelUnderWay: () => undefined,
      /** The stage that waits for a person is canceled, and what waits for its turn will not be reached any more. */
      cancelWaiting: () => undefined,
    },
    guards: {
      planFails: ({ context }) => context.planFails,
      applyFails: ({ context }) => context.applyFails,
      hasTaskStage: ({ context }) => context.taskStage === "pending",
      hasPolicyChecks: ({ context }) => context.policyChecks !== "none",
      taskStagePassed: ({ context }) => context.taskStage === "passed",
      taskStageAwaitsOverride: ({ context }) => context.taskStage === "awaiting_override",
      taskStageFailed: ({ context }) => context.taskStage === "failed" || context.taskStage === "errored",
      checksFailed: ({ context }) => context.policyChecks === "failed",
      checksPassed: ({ context }) => context.policyChecks === "passed",
      checksSoftFailed: ({ context }) => context.policyChecks === "soft_failed" && context.canBeApplied,
      checksSoftFailedInVain: ({ context }) => context.policyChecks === "soft_failed" && !context.canBeApplied,
      hasPoliciesToAsk: ({ context }) => !policiesAreDone(context),
      hasNothingToApply: ({ context }) => policiesAreDone(context) && !context.canBeApplied,
      isAppliedByItself: ({ context }) => policiesAreDone(context) && context.canBeApplied && context.appliesByItself,
      waitsForConfirmation: ({ context }) =>
        policiesAreDone(context) && context.canBeApplied && !context.appliesByItself,
    },
  }).createMachine({
    id: "run",
    context: {
      planFails: false,
      applyFails: false,
      taskStage: "none",
      policyChecks: "none",
      canBeApplied: true,
      appliesByItself: false,
    },
    initial: "pending",
    states: {
      pending: {
        on: {
          proceed: { target: "plan_queued" },
          discard: { target: "discarded", actions: "cancelWaiting" },
          cancel: { target: "canceled", actions: "cancelUnderWay" },
        },
      },
      plan_queued: {
        on: {
          proceed: { target: "planning" },
          cancel: { target: "canceled", actions: "cancelUnderWay" },
        },
      },
      planning: {
        on: {
          proceed: [{ target: "errored", guard: "planFails", actions: "abandonPending" }, { target: "planned" }],
          cancel: { target: "canceled", actions: "cancelUnderWay" },
        },
      },
      planned: {
        on: {
          ...afterPhase,
          proceed: [{ target: "post_plan_running", guard: "hasTaskStage", actions: "startTaskStage" }, policyChecking],
        },
      },
      post_plan_running: {
        on: {
          settle: [
            { target: "post_plan_completed", guard: "taskStagePassed" },
            { target: "post_plan_awaiting_decision", guard: "taskStageAwaitsOverride" },
            { target: "errored", guard: "taskStageFailed", actions: "abandonPending" },
          ],
          cancel: { target: "canceled", actions: "cancelUnderWay" },
        },
      },
      post_plan_awaiting_decision: {
        on: {
          overrideTaskStage: { target: "post_plan_running" },
          discard: { target: "discarded", actions: "cancelWaiting" },
        },
      },
      post_plan_completed: { on: { ...afterPhase, proceed: policyChecking } },
      policy_checking: {
        on: {
          settle: [
            { target: "errored", guard: "checksFailed", actions: "abandonPending" },
            { target: "policy_checked", guard: "checksPassed" },
            { target: "policy_override", guard: "checksSoftFailed" },
            { target: "policy_soft_failed", guard: "checksSoftFailedInVain" },
          ],
          cancel: { target: "canceled", actions: "cancelUnderWay" },
        },
      },
      policy_override: {
        on: {
          settle: { target: "policy_checked", guard: "checksPassed" },
          discard: { target: "discarded", actions: "cancelWaiting" },
        },
      },
      policy_checked: { on: { settle: afterPhase.settle, confirm: afterPhase.confirm, discard: afterPhase.discard } },
      confirmed: {
        on: {
          settle: { target: "apply_queued" },
        },
      },
      apply_queued: {
        on: {
          proceed: { target: "applying" },
          cancel: { target: "canceled", actions: "cancelUnderWay" },
        },
      },
      applying: {
        on: {
          proceed: [{ target: "errored", guard: "applyFails", actions: "abandonPending" }, { target: "applied" }],
          cancel: { target: "canceled", actions: "cancelUnderWay" },
        },
      },
      policy_soft_failed: { type: "final" },
      applied: { type: "final" },
      planned_and_finished: { type: "final" },
      discarded: { type: "final" },
      errored: { type: "final" },
      canceled: { type: "final" },

      // Statuses that clients know and no run of the simulator enters: no row of the table leads there.
      fetching: notEntered,
      fetching_completed: notEntered,
      pre_plan_running: notEntered,
      pre_plan_completed: notEntered,
      queuing: notEntered,
      cost_estimating: notEntered,
      cost_estimated: { on: { ...afterPhase, proceed: policyChecking } },
      pre_apply_running: notEntered,
      pre_apply_completed: notEntered,
      queuing_apply: notEntered,
      post_apply_running: notEntered,
      post_apply_completed: notEntered,
      planned_and_saved: notEntered,
    },
  });
