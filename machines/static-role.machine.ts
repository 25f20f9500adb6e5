import { setup } from "xstate";

/**
 * A static role: an entry of a directory whose password an engine rotates.
 *
 * Source: decisions-directory.md, 5 and 6. A rotation may always be tried again, so every state but the first and the last
 * takes one.
 */
export const staticRoleMachine = () =>
  setup({
    types: {
      context: {} as {
        /** Its password was rotated before, so the engine knows it. */
        readonly rotatedBefore: boolean;
      },
      events: {} as
        | { readonly type: "import" }
        | { readonly type: "skipImport" }
        | { readonly type: "rotated" }
        | { readonly type: "rotationFailed" }
        | { readonly type: "change" }
        | { readonly type: "delete" },
    },
    guards: {
      wasRotatedBefore: ({ context }) => context.rotatedBefore,
    },
  }).createMachine({
    id: "static-role",
    context: { rotatedBefore: false },
    initial: "absent",
    states: {
      /** Not written yet. When the first rotation fails it stays so. */
      absent: {
        on: {
          import: { target: "rotated" },
          skipImport: { target: "unrotated" },
        },
      },
      /** The entry still has the password that it had before. */
      unrotated: {
        on: {
          rotated: { target: "rotated" },
          rotationFailed: { target: "retrying" },
          change: { target: "unrotated" },
          delete: { target: "deleted" },
        },
      },
      rotated: {
        on: {
          rotated: { target: "rotated" },
          rotationFailed: { target: "retrying" },
          change: { target: "rotated" },
          delete: { target: "deleted" },
        },
      },
      /** A rotation failed and is tried again soon, whatever the period. */
      retrying: {
        on: {
          rotated: { target: "rotated" },
          rotationFailed: { target: "retrying" },
          // What waits to be tried again is forgotten.
          change: [{ target: "rotated", guard: "wasRotatedBefore" }, { target: "unrotated" }],
          delete: { target: "deleted" },
        },
      },
      /** The entry keeps the password that it had last. */
      deleted: { type: "final" },
    },
  });
