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
    description: "An attempt to make an operation token of a disaster-recovery secondary.",
    context: { ofThisAttempt: true, repeated: false, complete: false, fits: false },
    initial: "no_attempt",
    states: {
      no_attempt: {
        description: "Nobody is making a token.",
        on: {
          start: { target: "attempt_started", description: "An operator begins an attempt." },
          cancel: { target: "no_attempt", description: "There is nothing to cancel." },
        },
      },
      attempt_started: {
        description:
          "Shares are collected. When enough are given and make no key, they are forgotten, and the attempt goes on.",
        on: {
          cancel: { target: "no_attempt", description: "An operator ends the attempt, and its shares are forgotten." },
          giveShare: [
            { target: "complete", guard: "makesTheKey", description: "The shares make the key." },
            {
              target: "attempt_started",
              guard: "isNewAndNotTheLast",
              description: "The share is kept, and more are needed.",
            },
          ],
        },
      },
      complete: { description: "The token is there, and the attempt is over.", type: "final" },
    },
  });
