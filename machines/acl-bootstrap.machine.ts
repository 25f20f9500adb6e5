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
    context: { resetIndexIsCurrent: false },
    initial: "not_bootstrapped",
    states: {
      /** Whatever reset index lies there is ignored. */
      not_bootstrapped: {
        on: {
          bootstrap: { target: "bootstrapped" },
        },
      },
      /** For good: also when every management token is gone. */
      bootstrapped: {
        on: {
          bootstrap: { target: "bootstrapped", guard: "hasBeenReset" },
        },
      },
    },
  });
