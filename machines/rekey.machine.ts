import { setup } from "xstate";

/**
 * How the key of a cluster, and its shares, become others: holders of the old shares make them and, where that was asked for, holders
 * of the new ones show that they have them.
 *
 * Source: src/services/secrets/cluster/README.md, 3.
 */
export const rekeyMachine = () =>
  setup({
    types: {
      context: {} as {
        /** The share names this attempt. */
        readonly ofThisAttempt: boolean;
        /** This share was given in this attempt before. */
        readonly repeated: boolean;
        /** With this share as many are given as it takes. */
        readonly complete: boolean;
        /** Those that were given make the key. */
        readonly fits: boolean;
        /** The new shares are to be shown before they count. */
        readonly verified: boolean;
      },
      events: {} as
        | { readonly type: "start" }
        | { readonly type: "cancel" }
        | { readonly type: "giveShare" }
        | { readonly type: "giveNewShare" }
        | { readonly type: "restartVerification" },
    },
    guards: {
      makesTheKey: ({ context }) => context.ofThisAttempt && !context.repeated && context.complete && context.fits,
      makesTheKeyUnverified: ({ context }) =>
        context.ofThisAttempt && !context.repeated && context.complete && context.fits && !context.verified,
      isNewAndNotTheLast: ({ context }) => context.ofThisAttempt && !context.repeated && !context.complete,
    },
  }).createMachine({
    id: "rekey",
    description: "An attempt to give a cluster another key, and others their shares of it.",
    context: { ofThisAttempt: true, repeated: false, complete: false, fits: false, verified: false },
    initial: "no_rekey",
    states: {
      no_rekey: {
        description: "The key stays.",
        on: {
          start: { target: "rekeying", description: "An operator begins an attempt." },
          cancel: { target: "no_rekey", description: "There is nothing to cancel." },
        },
      },
      rekeying: {
        description:
          "Shares of the old key are collected. When enough are given and make no key, they are forgotten, and the attempt goes on.",
        on: {
          cancel: { target: "no_rekey", description: "An operator ends the attempt." },
          giveShare: [
            { target: "rekeyed", guard: "makesTheKeyUnverified", description: "The shares make the old key." },
            { target: "verifying", guard: "makesTheKey", description: "The new shares are out, and do not count yet." },
            {
              target: "rekeying",
              guard: "isNewAndNotTheLast",
              description: "The share is kept, and more are needed.",
            },
          ],
        },
      },
      verifying: {
        description: "New shares are collected, while the old ones still count. Wrong ones are forgotten.",
        on: {
          cancel: { target: "no_rekey", description: "An operator ends the attempt, and the old shares stay." },
          restartVerification: { target: "verifying", description: "The new shares are to be shown anew." },
          giveNewShare: [
            { target: "rekeyed", guard: "makesTheKey", description: "The shares make the new key." },
            {
              target: "verifying",
              guard: "isNewAndNotTheLast",
              description: "The share is kept, and more are needed.",
            },
          ],
        },
      },
      rekeyed: { description: "The new key and its shares count, and the old ones do not.", type: "final" },
    },
  });
