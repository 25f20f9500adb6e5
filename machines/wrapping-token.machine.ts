import { setup } from "xstate";

/**
 * A wrapping token: an answer waits for whoever shows it first. Its end is a deadline, so that one that is too late is not there any more.
 *
 * Source: decisions-secrets-core.md, A.6.
 */
export const wrappingTokenMachine = () =>
  setup({
    types: {
      context: {} as Record<never, never>,
      events: {} as { readonly type: "unwrap" } | { readonly type: "rewrap" },
    },
  }).createMachine({
    id: "wrapping-token",
    description: "An answer waits for whoever shows it first.",
    context: {},
    initial: "waiting",
    states: {
      waiting: {
        description: "The answer waits.",
        on: {
          unwrap: { target: "ended", description: "The answer is shown, and kept no longer." },
          rewrap: { target: "ended", description: "The answer waits under another token." },
        },
      },
      ended: { description: "It was used, revoked or too late, or never was one.", type: "final" },
    },
  });
