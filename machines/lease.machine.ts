import { setup } from "xstate";

/**
 * A lease: the promise that what was handed out works until an instant.
 *
 * Source: decisions-secrets-core.md, A.9; decisions-directory.md, 9 (retries of a revocation that failed).
 */
export const leaseMachine = () =>
  setup({
    types: {
      context: {} as {
        /** It was issued as renewable. */
        readonly renewable: boolean;
        /** Now is before its expiry. */
        readonly unexpired: boolean;
        /** Attempts to revoke it that failed, the present one included. */
        readonly failedAttempts: number;
      },
      events: {} as
        | { readonly type: "renew" }
        | { readonly type: "end" }
        | { readonly type: "revocationFailed" }
        | { readonly type: "drop" },
    },
    guards: {
      canBeRenewed: ({ context }) => context.renewable && context.unexpired,
      isOutOfAttempts: ({ context }) => context.failedAttempts >= 6,
    },
  }).createMachine({
    id: "lease",
    context: { renewable: false, unexpired: true, failedAttempts: 0 },
    initial: "live",
    states: {
      live: {
        on: {
          renew: { target: "live", guard: "canBeRenewed" },
          end: { target: "ended" },
          revocationFailed: { target: "retrying" },
          drop: { target: "ended" },
        },
      },
      /** A revocation failed and is tried again later. */
      retrying: {
        on: {
          renew: { target: "retrying", guard: "canBeRenewed" },
          end: { target: "ended" },
          revocationFailed: [{ target: "irrevocable", guard: "isOutOfAttempts" }, { target: "retrying" }],
          drop: { target: "ended" },
        },
      },
      /** Nothing tries any more by itself; somebody still may. */
      irrevocable: {
        on: {
          end: { target: "ended" },
          revocationFailed: { target: "irrevocable" },
          drop: { target: "ended" },
        },
      },
      ended: { type: "final" },
    },
  });
