import { setup } from "xstate";

/**
 * The seal of a cluster: whoever has enough key shares opens it.
 *
 * Source: decisions-secrets-core.md, D.4.
 */
export const sealMachine = () =>
  setup({
    types: {
      context: {} as {
        /** With this share as many are given as the seal asks for. */
        readonly complete: boolean;
        /** Those that were given make the key. */
        readonly fits: boolean;
      },
      events: {} as
        | { readonly type: "seal" }
        | { readonly type: "giveShare" }
        | { readonly type: "reset" }
        | { readonly type: "unseal" },
    },
    guards: {
      opens: ({ context }) => context.complete && context.fits,
      isIncomplete: ({ context }) => !context.complete,
    },
  }).createMachine({
    id: "seal",
    context: { complete: false, fits: false },
    initial: "unsealed",
    states: {
      unsealed: {
        on: {
          seal: { target: "sealed" },
          // Nothing is left to open: a share changes nothing.
          giveShare: { target: "unsealed" },
          unseal: { target: "unsealed" },
        },
      },
      sealed: {
        on: {
          seal: { target: "sealed" },
          // Shares that are enough and make no key lead nowhere: they are forgotten.
          giveShare: [
            { target: "unsealed", guard: "opens" },
            { target: "sealed", guard: "isIncomplete" },
          ],
          reset: { target: "sealed" },
          // The test author needs no shares.
          unseal: { target: "unsealed" },
        },
      },
    },
  });
