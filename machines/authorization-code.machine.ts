import { setup } from "xstate";

/**
 * An authorization code: it is spent once, by whoever gets as far as to show it, whatever the answer is.
 *
 * Source: decisions-oidc.md, 10 and 11.
 */
export const authorizationCodeMachine = () =>
  setup({
    types: {
      context: {} as {
        /** Its time is not over. */
        readonly inForce: boolean;
        /** It was issued in the namespace in which it is shown. */
        readonly ownNamespace: boolean;
      },
      events: {} as { readonly type: "spend" },
    },
    guards: { canBeSpent: ({ context }) => context.inForce && context.ownNamespace },
  }).createMachine({
    id: "authorization-code",
    description: "A code that is spent once, whatever comes of it.",
    context: { inForce: false, ownNamespace: false },
    initial: "issued",
    states: {
      issued: {
        description: "The code waits for whoever shows it.",
        on: {
          spend: {
            target: "spent",
            guard: "canBeSpent",
            description: "Somebody shows the code: it is spent, whatever the answer is.",
          },
        },
      },
      spent: { description: "The code was shown, or never was one.", type: "final" },
    },
  });
