import { setup } from "xstate";

const dropped = {
  target: "ended",
  description: "The revocation fails, and somebody wanted the end by force: what was handed out stays as it is.",
} as const;

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
    description: "The promise that what was handed out works until an instant.",
    context: { renewable: false, unexpired: true, failedAttempts: 0 },
    initial: "live",
    states: {
      live: {
        description: "What was handed out works.",
        on: {
          renew: { target: "live", guard: "canBeRenewed", description: "The lease ends at another time." },
          end: { target: "ended", description: "Its time is over, or it is revoked." },
          revocationFailed: { target: "retrying", description: "What was handed out cannot be taken back now." },
          drop: dropped,
        },
      },
      retrying: {
        description: "A revocation failed, and is tried again later.",
        on: {
          renew: {
            target: "retrying",
            guard: "canBeRenewed",
            description: "The lease ends at another time; the retries go on.",
          },
          end: { target: "ended", description: "Another attempt succeeds." },
          revocationFailed: [
            { target: "irrevocable", guard: "isOutOfAttempts", description: "The last attempt fails." },
            { target: "retrying", description: "Another attempt fails." },
          ],
          drop: dropped,
        },
      },
      irrevocable: {
        description: "Nothing tries any more by itself; somebody still may.",
        on: {
          end: { target: "ended", description: "Somebody revokes it." },
          revocationFailed: { target: "irrevocable", description: "Somebody tries in vain." },
          drop: dropped,
        },
      },
      ended: { description: "The lease is gone.", type: "final" },
    },
  });
