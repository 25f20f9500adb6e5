import { setup } from "xstate";

/**
 * The activation token of a secondary's id, as the primary knows it: the id is taken by its first token, and free again when that was
 * never used.
 *
 * Source: decisions-replication.md, 4.1, 4.2 and 4.3.
 */
export const activationTokenMachine = () =>
  setup({
    types: {
      context: {} as {
        /** The time of the token that was issued last is not over. */
        readonly inForce: boolean;
      },
      events: {} as { readonly type: "issue" } | { readonly type: "use" } | { readonly type: "revoke" },
    },
    guards: {
      isInForce: ({ context }) => context.inForce,
      isOver: ({ context }) => !context.inForce,
    },
  }).createMachine({
    id: "activation-token",
    description: "The activation token of a secondary's id.",
    context: { inForce: false },
    initial: "unknown",
    states: {
      unknown: {
        description: "No token was made for the id, or it was revoked.",
        on: {
          issue: { target: "issued", description: "The id is taken." },
          revoke: { target: "unknown", description: "There is nothing to revoke." },
        },
      },
      issued: {
        description: "The token waits for a secondary.",
        on: {
          issue: { target: "issued", guard: "isOver", description: "The last token was never used: here is another." },
          use: { target: "used", guard: "isInForce", description: "A secondary has unwrapped it." },
          revoke: { target: "unknown", description: "The token is worth nothing any more." },
        },
      },
      used: {
        description: "A secondary is known by it.",
        on: { revoke: { target: "unknown", description: "The secondary is refused from now on." } },
      },
    },
  });
