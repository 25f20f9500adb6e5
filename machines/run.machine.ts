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

const cancel = { target: "canceled", actions: "cancelUnderWay", description: "Somebody cancels the run." } as const;
const discard = { target: "discarded", actions: "cancelWaiting", description: "Somebody discards the run." } as const;

/** A phase is over: policies are left to ask, or the run finishes, goes on by itself, or waits for a person. */
const afterPhase = {
  settle: [
    {
      target: "planned_and_finished",
      guard: "hasNothingToApply",
      description: "The run is plan-only, or changes nothing.",
    },
    { target: "confirmed", guard: "isAppliedByItself", description: "Nobody has to confirm the run." },
  ],
  confirm: { target: "confirmed", guard: "waitsForConfirmation", description: "Somebody confirms the run." },
  discard: { ...discard, guard: "waitsForConfirmation" },
} as const;

/** Until policy checks are asked. */
const beforeChecks = { ...afterPhase, cancel: { ...cancel, guard: "hasPoliciesToAsk" } } as const;

const policyChecking = {
  target: "policy_checking",
  guard: "hasPolicyChecks",
  actions: "queuePolicyCheck",
  description: "The workspace has kind-a policies.",
} as const;

/** Clients know these statuses, and no row of the table leads there: a run in them could be canceled, and nothing else. */
const notEntered = {
  description: "Clients know this status. No run of the simulator enters it.",
  tags: "never entered",
  on: { cancel },
} as const;

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
    description: "Plan, policies, confirmation, apply.",
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
        description: "The run waits to begin.",
        on: {
          proceed: { target: "plan_queued", description: "The run begins." },
          discard,
          cancel,
        },
      },
      plan_queued: {
        description: "The plan waits for a worker.",
        on: {
          proceed: { target: "planning", description: "A worker picks the run up." },
          cancel,
        },
      },
      planning: {
        description: "The plan is under way.",
        on: {
          proceed: [
            { target: "errored", guard: "planFails", actions: "abandonPending", description: "The plan fails." },
            { target: "planned", description: "The plan ends." },
          ],
          cancel,
        },
      },
      planned: {
        description: "The plan is there. Policies are asked next, or the run waits for a person.",
        on: {
          ...beforeChecks,
          proceed: [
            {
              target: "post_plan_running",
              guard: "hasTaskStage",
              actions: "startTaskStage",
              description: "The workspace has kind-b policies.",
            },
            policyChecking,
          ],
        },
      },
      post_plan_running: {
        description: "The task stage is under way.",
        on: {
          settle: [
            { target: "post_plan_completed", guard: "taskStagePassed", description: "The task stage has passed." },
            {
              target: "post_plan_awaiting_decision",
              guard: "taskStageAwaitsOverride",
              description: "The task stage waits for a person.",
            },
            {
              target: "errored",
              guard: "taskStageFailed",
              actions: "abandonPending",
              description: "The task stage has failed for good.",
            },
          ],
          cancel,
        },
      },
      post_plan_awaiting_decision: {
        description: "A person has to override the task stage, or to discard the run.",
        on: {
          overrideTaskStage: { target: "post_plan_running", description: "A person overrides the task stage." },
          discard,
        },
      },
      post_plan_completed: {
        description: "The task stage has passed. Policy checks are next, or the run waits for a person.",
        on: { ...beforeChecks, proceed: policyChecking },
      },
      policy_checking: {
        description: "The policy checks are under way.",
        on: {
          settle: [
            {
              target: "errored",
              guard: "checksFailed",
              actions: "abandonPending",
              description: "A policy check has failed for good.",
            },
            { target: "policy_checked", guard: "checksPassed", description: "All policy checks have passed." },
            { target: "policy_override", guard: "checksSoftFailed", description: "A person may override what failed." },
            {
              target: "policy_soft_failed",
              guard: "checksSoftFailedInVain",
              description: "A policy has failed, and there is nothing to apply that an override would allow.",
            },
          ],
          cancel,
        },
      },
      policy_override: {
        description: "A person has to override the policy checks, or to discard the run.",
        on: {
          settle: { target: "policy_checked", guard: "checksPassed", description: "The last check is overridden." },
          discard,
        },
      },
      policy_checked: { description: "The policy checks let the run go on.", on: afterPhase },
      confirmed: {
        description: "The run is to be applied.",
        on: {
          settle: { target: "apply_queued", description: "The run queues at once." },
        },
      },
      apply_queued: {
        description: "The apply waits for a worker.",
        on: {
          proceed: { target: "applying", description: "A worker picks the run up." },
          cancel,
        },
      },
      applying: {
        description: "The apply is under way.",
        on: {
          proceed: [
            { target: "errored", guard: "applyFails", actions: "abandonPending", description: "The apply fails." },
            { target: "applied", description: "The apply ends." },
          ],
          cancel,
        },
      },
      policy_soft_failed: { description: "A policy has failed, and nobody can override it.", type: "final" },
      applied: { description: "The plan is applied.", type: "final" },
      planned_and_finished: { description: "There was nothing to apply.", type: "final" },
      discarded: { description: "Somebody decided against the run.", type: "final" },
      errored: { description: "The plan, a policy or the apply has failed.", type: "final" },
      canceled: { description: "Somebody stopped the run.", type: "final" },

      fetching: notEntered,
      fetching_completed: notEntered,
      pre_plan_running: notEntered,
      pre_plan_completed: notEntered,
      queuing: notEntered,
      cost_estimating: notEntered,
      cost_estimated: { ...notEntered, on: { ...beforeChecks, proceed: policyChecking } },
      pre_apply_running: notEntered,
      pre_apply_completed: notEntered,
      queuing_apply: notEntered,
      post_apply_running: notEntered,
      post_apply_completed: notEntered,
      planned_and_saved: notEntered,
    },
  });
