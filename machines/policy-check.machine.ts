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
    context: { hardFailed: 0, softFailed: 0, runAwaitsOverride: false },
    initial: "pending",
    states: {
      pending: {
        on: {
          queue: { target: "queued" },
          // The run came to its end before it was this check's turn.
          abandon: { target: "unreachable" },
        },
      },
      queued: {
        on: {
          end: [
            { target: "hard_failed", guard: "hasHardFailure" },
            { target: "soft_failed", guard: "hasSoftFailure" },
            { target: "passed" },
          ],
          // The engine itself broke: there is no result.
          break: { target: "errored" },
          cancel: { target: "canceled" },
        },
      },
      soft_failed: {
        on: {
          override: { target: "overridden", guard: "isAwaitedByRun" },
        },
      },
      passed: { type: "final" },
      hard_failed: { type: "final" },
      overridden: { type: "final" },
      errored: { type: "final" },
      canceled: { type: "final" },
      unreachable: { type: "final" },
    },
  });
