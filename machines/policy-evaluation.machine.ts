import { setup } from "xstate";

/**
 * A policy evaluation of a task stage: what the kind-b policy sets say about a plan.
 *
 * Source: decisions-policy-checks.md, 6.2. An error outranks a failure, and a failure a pass.
 */
export const policyEvaluationMachine = () =>
  setup({
    types: {
      context: {} as {
        /** Inner outcomes, or whole policy sets, that could not be evaluated. */
        readonly errored: number;
        /** Inner outcomes at level mandatory that failed. */
        readonly mandatoryFailed: number;
      },
      events: {} as
        | { readonly type: "queue" }
        | { readonly type: "pickUp" }
        | { readonly type: "end" }
        | { readonly type: "override" }
        | { readonly type: "cancel" }
        | { readonly type: "abandon" },
    },
    guards: {
      hasErrors: ({ context }) => context.errored > 0,
      hasMandatoryFailure: ({ context }) => context.mandatoryFailed > 0,
    },
  }).createMachine({
    id: "policy-evaluation",
    description: "A policy evaluation of a task stage.",
    context: { errored: 0, mandatoryFailed: 0 },
    initial: "pending",
    states: {
      pending: {
        description: "The evaluation waits for its task stage.",
        on: {
          queue: { target: "queued", description: "The task stage starts." },
          abandon: { target: "unreachable", description: "The run came to its end." },
        },
      },
      queued: {
        description: "The evaluation waits for the policy engine.",
        on: {
          pickUp: { target: "running", description: "The policy engine begins." },
          cancel: { target: "canceled", description: "The run is canceled." },
        },
      },
      running: {
        description: "The policy sets are evaluated.",
        on: {
          end: [
            { target: "errored", guard: "hasErrors", description: "Something could not be evaluated." },
            { target: "failed", guard: "hasMandatoryFailure", description: "A mandatory policy is not true." },
            { target: "passed", description: "No mandatory policy has failed." },
          ],
          cancel: { target: "canceled", description: "The run is canceled." },
        },
      },
      failed: {
        description: "A mandatory policy has failed.",
        on: {
          override: {
            target: "overridden",
            description: "A person overrides its task stage: it has no override of its own.",
          },
        },
      },
      passed: { description: "The run may go on.", type: "final" },
      overridden: { description: "The run may go on, although a policy has failed.", type: "final" },
      errored: { description: "Something could not be evaluated.", type: "final" },
      canceled: { description: "The run was canceled meanwhile.", type: "final" },
      unreachable: { description: "The evaluation was never queued.", type: "final" },
    },
  });
