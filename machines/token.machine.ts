import { setup } from "xstate";

/**
 * A token: it works until its time is over, its uses are up, or somebody ends it or the token that made it.
 *
 * Source: decisions-secrets-core.md, A.7.
 */
export const tokenMachine = () =>
  setup({
    types: {
      context: {} as {
        readonly type: "service" | "batch";
        /** It was created as renewable, and ends at some time. */
        readonly renewable: boolean;
        /** It may be used so many times only. */
        readonly limited: boolean;
      },
      events: {} as
        | { readonly type: "renew" }
        | { readonly type: "createChild" }
        | { readonly type: "revoke" }
        | { readonly type: "end" },
    },
    guards: {
      canBeRenewed: ({ context }) => context.type === "service" && context.renewable,
      mayHaveChildren: ({ context }) => context.type === "service" && !context.limited,
      /** A batch token ends by its time, or with the token that made it. */
      canBeRevoked: ({ context }) => context.type === "service",
    },
  }).createMachine({
    id: "token",
    description: "Whoever shows it may do what its policies say.",
    context: { type: "service", renewable: false, limited: false },
    initial: "valid",
    states: {
      valid: {
        description: "The token works.",
        on: {
          renew: { target: "valid", guard: "canBeRenewed", description: "The token ends at another time." },
          createChild: { target: "valid", guard: "mayHaveChildren", description: "The token makes another one." },
          revoke: { target: "ended", guard: "canBeRevoked", description: "Somebody asks for its end." },
          end: { target: "ended", description: "Its time or its uses are up, or its parent or its namespace ended." },
        },
      },
      ended: { description: "The token is gone.", type: "final" },
    },
  });
