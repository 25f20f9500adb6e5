import { setup } from "xstate";

/**
 * A policy check of a run: what the policies of one scope say about its plan.
 *
 * There is no `running`: a check that is being evaluated is `queued`.
 *
 * Source: policy-checks.md, "States and transitions"; decisions-policy-checks.md, 4.1.
 */
export const policyCheckMachine = () =>
  setup({
    types: {
      context: {} as {
        /** Policies at level hard-mandatory that are not true. */
        readonly hardFailed: number;
        /** Policies at level soft-mandatory that are not true. */
        readonly softFailed: number;
        /** The run of the check waits in `policy_override`. */
        readonly runAwaitsOverride: boolean;
      },
      events: {} as
        | { readonly type: "queue" }
        | { readonly type: "end" }
        | { readonly type: "break" }
        | { readonly type: "override" }
        | { readonly type: "cancel" }
        | { readonly type: "abandon" },
    },
    guards: {
      hasHardFailure: ({ context }) => context.hardFailed > 0,
      hasSoftFailure: ({ context }) => context.softFailed > 0,
      isAwaitedByRun: ({ context }) => context.runAwaitsOverride,
    },
  }).createMachine({
    id: "policy-check",
    description: "A policy check of a run.",
    context: { hardFailed: 0, softFailed: 0, runAwaitsOverride: false },
    initial: "pending",
    states: {
      pending: {
        description: "The check waits for its turn.",
        on: {
          queue: { target: "queued", description: "It is this check's turn." },
          abandon: { target: "unreachable", description: "The run came to its end." },
        },
      },
      queued: {
        description: "The policies are evaluated.",
        on: {
          end: [
            {
              target: "hard_failed",
              guard: "hasHardFailure",
              description: "A policy at level hard-mandatory is not true.",
            },
            {
              target: "soft_failed",
              guard: "hasSoftFailure",
              description: "A policy at level soft-mandatory is not true.",
            },
            { target: "passed", description: "No mandatory policy has failed." },
          ],
          break: { target: "errored", description: "The policy engine broke: there is no result." },
          cancel: { target: "canceled", description: "The run is canceled." },
        },
      },
      soft_failed: {
        description: "A policy has failed that a person may override.",
        on: {
          override: { target: "overridden", guard: "isAwaitedByRun", description: "A person overrides the failure." },
        },
      },
      passed: { description: "The run may go on.", type: "final" },
      hard_failed: { description: "A policy has failed that nobody may override.", type: "final" },
      overridden: { description: "The run may go on, although a policy has failed.", type: "final" },
      errored: { description: "There is no result.", type: "final" },
      canceled: { description: "The run was canceled meanwhile.", type: "final" },
      unreachable: { description: "The check was never queued.", type: "final" },
    },
  });
