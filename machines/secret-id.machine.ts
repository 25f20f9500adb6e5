import { setup } from "xstate";

/**
 * A secret id of an approle: it lets a program in until its time is over, its uses are up, or somebody destroys it.
 *
 * Source: src/services/secrets/auth/approle/README.md, 2 and 3.
 */
export const secretIdMachine = () =>
  setup({
    types: {
      context: {} as {
        /** Its time is not over. */
        readonly inForce: boolean;
        /** It has one use left. */
        readonly lastUse: boolean;
      },
      events: {} as { readonly type: "use" } | { readonly type: "destroy" } | { readonly type: "expire" },
    },
    guards: {
      isUsedUp: ({ context }) => context.inForce && context.lastUse,
      isInForce: ({ context }) => context.inForce,
    },
  }).createMachine({
    id: "secret-id",
    description: "What a program shows beside its role id to be let in.",
    context: { inForce: false, lastUse: false },
    initial: "issued",
    states: {
      issued: {
        description: "The secret id lets in whoever shows it.",
        on: {
          use: [
            { target: "ended", guard: "isUsedUp", description: "A program logs in with its last use." },
            { target: "issued", guard: "isInForce", description: "A program logs in." },
          ],
          destroy: { target: "ended", guard: "isInForce", description: "Somebody destroys it, or deletes its role." },
          expire: { target: "ended", description: "Its time is over." },
        },
      },
      ended: { description: "Nobody is let in by it any more, or it never was one.", type: "final" },
    },
  });
