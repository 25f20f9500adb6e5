import { setup } from "xstate";

/**
 * The ring of a named key: it waits for the first client or role that uses the key, and from then on has keys that rotate until the
 * named key is deleted.
 *
 * Source: decisions-oidc.md, 4 "Key ring".
 */
export const keyRingMachine = () =>
  setup({
    types: {
      context: {} as Record<never, never>,
      events: {} as
        | { readonly type: "arm" }
        | { readonly type: "rotate" }
        | { readonly type: "restart" }
        | { readonly type: "replace" },
    },
  }).createMachine({
    id: "key-ring",
    description: "The ring of a named key.",
    context: {},
    initial: "waiting",
    states: {
      waiting: {
        description: "Nobody has used the key yet, so there are no keys.",
        on: {
          arm: {
            target: "armed",
            description: "The first client or role that uses the key is made: the ring gets two keys.",
          },
          restart: { target: "waiting", description: "Somebody rotates by hand: only the period starts anew." },
        },
      },
      armed: {
        description: "The ring has the key that signs, and the next one.",
        on: {
          rotate: {
            target: "armed",
            description: "The time has come, or somebody rotates by hand: the next key signs.",
          },
          replace: { target: "armed", description: "The algorithm is changed: both keys are new." },
        },
      },
    },
  });
