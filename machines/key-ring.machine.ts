import { setup } from "xstate";

/**
 * The ring of a named key: it waits for the first client that uses the key, and from then on has keys that rotate until the
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
    context: {},
    initial: "waiting",
    states: {
      waiting: {
        on: {
          arm: { target: "armed" },
          // Somebody rotates by hand, and there is nothing yet: only the period starts anew.
          restart: { target: "waiting" },
        },
      },
      armed: {
        on: {
          // Its time has come, or somebody asked for it.
          rotate: { target: "armed" },
          // Another algorithm: both keys are new.
          replace: { target: "armed" },
        },
      },
    },
  });
