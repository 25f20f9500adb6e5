import { setup } from "xstate";

const rotationFailed = { target: "retrying", description: "The directory refused, or nobody answered." } as const;
const deleted = { target: "deleted", description: "Somebody deletes the role." } as const;

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
    description: "An entry of a directory whose password an engine rotates.",
    context: { rotatedBefore: false },
    initial: "absent",
    states: {
      absent: {
        description: "The role is not written yet. When its first rotation fails it stays so.",
        on: {
          import: { target: "rotated", description: "The role is written, and the password rotated at once." },
          skipImport: { target: "unrotated", description: "The role is written, and the password left as it is." },
        },
      },
      unrotated: {
        description: "The entry still has the password that it had before.",
        on: {
          rotated: { target: "rotated", description: "The first rotation succeeds." },
          rotationFailed,
          change: { target: "unrotated", description: "The first rotation is due one period from now." },
          delete: deleted,
        },
      },
      rotated: {
        description: "The engine knows the password of the entry.",
        on: {
          rotated: { target: "rotated", description: "The time has come, or somebody asked for it." },
          rotationFailed,
          change: { target: "rotated", description: "The next rotation is due one period after the last." },
          delete: deleted,
        },
      },
      retrying: {
        description: "A rotation failed, and is tried again soon, whatever the period.",
        on: {
          rotated: { target: "rotated", description: "Another try succeeds." },
          rotationFailed,
          change: [
            { target: "rotated", guard: "wasRotatedBefore", description: "The retry is forgotten." },
            { target: "unrotated", description: "The retry of the first rotation is forgotten." },
          ],
          delete: deleted,
        },
      },
      deleted: { description: "The entry keeps the password that it had last.", type: "final" },
    },
  });
