import { setup } from "xstate";

/**
 * How a disaster-recovery secondary gets an operation token: enough holders of key shares make one together, one attempt at a time.
 *
 * Source: secrets.md, "DR operation token generation"; decisions-replication.md, 8.1 and 8.2.
 */
export const drOperationTokenMachine = () =>
  setup({
    types: {
      context: {} as {
        /** The share names this attempt. */
        readonly ofThisAttempt: boolean;
        /** This share was given in this attempt before. */
        readonly repeated: boolean;
        /** With this share as many are given as the set's key asks for. */
        readonly complete: boolean;
        /** Those that were given make the key. */
        readonly fits: boolean;
      },
      events: {} as { readonly type: "start" } | { readonly type: "cancel" } | { readonly type: "giveShare" },
    },
    guards: {
      makesTheKey: ({ context }) => context.ofThisAttempt && !context.repeated && context.complete && context.fits,
      isNewAndNotTheLast: ({ context }) => context.ofThisAttempt && !context.repeated && !context.complete,
    },
  }).createMachine({
    id: "dr-operation-token",
    context: { ofThisAttempt: true, repeated: false, complete: false, fits: false },
    initial: "no_attempt",
    states: {
      no_attempt: {
        on: {
          start: { target: "attempt_started" },
          // Nothing is left to cancel.
          cancel: { target: "no_attempt" },
        },
      },
      attempt_started: {
        on: {
          cancel: { target: "no_attempt" },
          // Shares that are enough and make no key lead nowhere: the attempt goes on without any.
          giveShare: [
            { target: "complete", guard: "makesTheKey" },
            { target: "attempt_started", guard: "isNewAndNotTheLast" },
          ],
        },
      },
      // The token is there, and the attempt is not any more.
      complete: { type: "final" },
    },
  });
