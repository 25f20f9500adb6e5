import { setup } from "xstate";

/**
 * A wrapping token: an answer waits for whoever shows it first.
 *
 * Source: decisions-secrets-core.md, A.6.
 */
export const wrappingTokenMachine = () =>
  setup({
    types: {
      context: {} as {
        /** Its time is not over. */
        readonly inForce: boolean;
      },
      events: {} as { readonly type: "unwrap" } | { readonly type: "rewrap" },
    },
    guards: { isInForce: ({ context }) => context.inForce },
  }).createMachine({
    id: "wrapping-token",
    description: "An answer waits for whoever shows it first.",
    context: { inForce: false },
    initial: "waiting",
    states: {
      waiting: {
        description: "The answer waits.",
        on: {
          unwrap: { target: "ended", guard: "isInForce", description: "The answer is shown, and kept no longer." },
          rewrap: { target: "ended", guard: "isInForce", description: "The answer waits under another token." },
        },
      },
      ended: { description: "It was used, revoked or too late, or never was one.", type: "final" },
    },
  });
