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
      canBeRevoked: ({ context }) => context.type === "service",
    },
  }).createMachine({
    id: "token",
    context: { type: "service", renewable: false, limited: false },
    initial: "valid",
    states: {
      valid: {
        on: {
          renew: { target: "valid", guard: "canBeRenewed" },
          createChild: { target: "valid", guard: "mayHaveChildren" },
          // Somebody asked for it. A batch token ends by its time, or with the token that made it.
          revoke: { target: "ended", guard: "canBeRevoked" },
          // Its time or its uses are up, or its parent or its namespace ended.
          end: { target: "ended" },
        },
      },
      ended: { type: "final" },
    },
  });
