import { setup } from "xstate";

/**
 * The one lifecycle of the ACL system of a region: it is bootstrapped once, and again after each reset.
 *
 * Source: scheduler-acl.md, "States and transitions"; decisions-scheduler-acl.md, section 3.
 */
export const aclBootstrapMachine = () =>
  setup({
    types: {
      context: {} as {
        /** An operator has placed the index of the last bootstrap, and not that of an earlier one. */
        readonly resetIndexIsCurrent: boolean;
      },
      events: {} as { readonly type: "bootstrap" },
    },
    guards: {
      hasBeenReset: ({ context }) => context.resetIndexIsCurrent,
    },
  }).createMachine({
    id: "acl-bootstrap",
    description: "Whether the ACL system of a region was bootstrapped.",
    context: { resetIndexIsCurrent: false },
    initial: "not_bootstrapped",
    states: {
      not_bootstrapped: {
        description: "Nobody has bootstrapped the region. A reset index that lies there is ignored.",
        on: {
          bootstrap: { target: "bootstrapped", description: "The first management token is made." },
        },
      },
      bootstrapped: {
        description: "The region stays bootstrapped, also when every management token is gone.",
        on: {
          bootstrap: {
            target: "bootstrapped",
            guard: "hasBeenReset",
            description: "An operator allows one more management token.",
          },
        },
      },
    },
  });
