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
    description: "The seal of a cluster.",
    context: { complete: false, fits: false },
    initial: "unsealed",
    states: {
      unsealed: {
        description: "The cluster answers.",
        on: {
          seal: { target: "sealed", description: "Somebody closes it." },
          giveShare: { target: "unsealed", description: "There is nothing to open: the share changes nothing." },
          unseal: { target: "unsealed", description: "It is open already." },
        },
      },
      sealed: {
        description: "The cluster waits for shares. When enough are given and make no key, they are forgotten.",
        on: {
          seal: { target: "sealed", description: "It is closed already." },
          giveShare: [
            { target: "unsealed", guard: "opens", description: "The shares make the key." },
            { target: "sealed", guard: "isIncomplete", description: "The share is kept, and more are needed." },
          ],
          reset: { target: "sealed", description: "The shares that were given are forgotten." },
          unseal: { target: "unsealed", description: "The test author opens it, without shares." },
        },
      },
    },
  });
