import { setup } from "xstate";

/**
 * How a cluster gets a token from enough holders of key shares, one attempt at a time: a root token, or the operation token of a
 * disaster-recovery secondary.
 *
 * Source: secrets.md, "DR operation token generation"; decisions-replication.md, 8.1 and 8.2; cluster/README.md, 3.
 */
export const tokenGenerationMachine = () =>
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
    id: "token-generation",
    description: "An attempt of holders of key shares to make a token.",
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
