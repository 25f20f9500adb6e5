import { setup } from "xstate";

/**
 * The task stage of a run between plan and apply, in which kind-b policies are evaluated.
 *
 * Source: decisions-policy-checks.md, 6.1. An override takes the stage through `running` once more, and from there to
 * `passed` before the next request is served.
 */
export const taskStageMachine = () =>
  setup({
    types: {
      context: {} as {
        /** Every policy set with a mandatory failure is one that may be overridden. */
        readonly failuresAreOverridable: boolean;
      },
      events: {} as
        | { readonly type: "start" }
        | { readonly type: "evaluationPassed" }
        | { readonly type: "evaluationFailed" }
        | { readonly type: "evaluationErrored" }
        | { readonly type: "evaluationOverridden" }
        | { readonly type: "override" }
        | { readonly type: "cancel" }
        | { readonly type: "abandon" },
    },
    guards: {
      mayBeOverridden: ({ context }) => context.failuresAreOverridable,
    },
  }).createMachine({
    id: "task-stage",
    description: "The task stage of a run between plan and apply.",
    context: { failuresAreOverridable: false },
    initial: "pending",
    states: {
      pending: {
        description: "The stage waits for the plan.",
        on: {
          start: { target: "running", description: "The plan has ended." },
          abandon: { target: "unreachable", description: "The run came to its end." },
        },
      },
      running: {
        description: "Its policy evaluation is under way, or was overridden just now.",
        on: {
          evaluationPassed: { target: "passed", description: "No mandatory policy has failed." },
          evaluationFailed: [
            {
              target: "awaiting_override",
              guard: "mayBeOverridden",
              description: "A person may override every set that failed.",
            },
            { target: "failed", description: "A set has failed that nobody may override." },
          ],
          evaluationErrored: { target: "errored", description: "Something could not be evaluated." },
          evaluationOverridden: { target: "passed", description: "A person has overridden the failures." },
          cancel: { target: "canceled", description: "The run is canceled." },
        },
      },
      awaiting_override: {
        description: "The stage waits for a person.",
        on: {
          override: { target: "running", description: "A person overrides the failures." },
          cancel: { target: "canceled", description: "The run is discarded." },
        },
      },
      passed: { description: "The run may go on.", type: "final" },
      failed: { description: "A policy has failed that nobody may override.", type: "final" },
      errored: { description: "Something could not be evaluated.", type: "final" },
      canceled: { description: "The run was canceled or discarded meanwhile.", type: "final" },
      unreachable: { description: "The stage never started.", type: "final" },
    },
  });
