import { setup } from "xstate";

/**
 * What the orchestrator engine noted before it made the first object of a request that then failed.
 *
 * Source: decisions-orchestrator.md, 7 "Half-created objects".
 */
export const rollbackNoteMachine = () =>
  setup({
    types: {
      context: {} as {
        /** A pass that fails this long after the request gives up. */
        readonly pastItsAge: boolean;
      },
      events: {} as
        | { readonly type: "rolledBack" }
        | { readonly type: "rollbackFailed" }
        | { readonly type: "unconfigured" }
        | { readonly type: "drop" },
    },
    guards: {
      isPastItsAge: ({ context }) => context.pastItsAge,
    },
  }).createMachine({
    id: "rollback-note",
    context: { pastItsAge: false },
    initial: "pending",
    states: {
      pending: {
        on: {
          rolledBack: { target: "rolled_back" },
          rollbackFailed: [{ target: "dropped", guard: "isPastItsAge" }, { target: "pending" }],
          /** Nobody can be asked: that does not count, however long it lasts. */
          unconfigured: { target: "pending" },
          drop: { target: "dropped" },
        },
      },
      rolled_back: { type: "final" },
      /** The objects stay. */
      dropped: { type: "final" },
    },
  });
