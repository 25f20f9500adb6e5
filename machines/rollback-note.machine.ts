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
    description: "What the engine noted before the first object of a request that then failed.",
    context: { pastItsAge: false },
    initial: "pending",
    states: {
      pending: {
        description: "The object may still be there.",
        on: {
          rolledBack: { target: "rolled_back", description: "The object is deleted, or was not there." },
          rollbackFailed: [
            {
              target: "dropped",
              guard: "isPastItsAge",
              description: "The object cannot be deleted, and the note is old.",
            },
            { target: "pending", description: "The object cannot be deleted now: the next pass tries again." },
          ],
          unconfigured: {
            target: "pending",
            description: "Nobody can be asked: that does not count, however long it lasts.",
          },
          drop: { target: "dropped", description: "The mount of the engine is removed, alone or with its namespace." },
        },
      },
      rolled_back: { description: "The object is gone.", type: "final" },
      dropped: { description: "The engine gave up, and the objects stay.", type: "final" },
    },
  });
