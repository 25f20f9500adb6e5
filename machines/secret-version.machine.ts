import { setup } from "xstate";

/**
 * A version of a secret. An instant of deletion may lie ahead: from then on the version is deleted, and whoever looks finds that out.
 *
 * Source: src/services/secrets/kv2/README.md, "Versions".
 */
export const secretVersionMachine = () =>
  setup({
    types: {
      context: {} as Record<never, never>,
      events: {} as
        | { readonly type: "patch" }
        | { readonly type: "delete" }
        | { readonly type: "undelete" }
        | { readonly type: "destroy" },
    },
  }).createMachine({
    id: "secret-version",
    description: "A version of a secret.",
    context: {},
    initial: "available",
    states: {
      available: {
        description: "The version is read.",
        on: {
          patch: { target: "available", description: "The next version is made of this one." },
          delete: { target: "deleted", description: "Somebody deletes it." },
          undelete: { target: "available", description: "A deletion that lies ahead is put off or taken away." },
          destroy: { target: "destroyed", description: "Its data is taken away." },
        },
      },
      deleted: {
        description: "The version is not read, and its data is still there.",
        on: {
          undelete: { target: "available", description: "It is read again." },
          destroy: { target: "destroyed", description: "Its data is taken away." },
        },
      },
      destroyed: { description: "The data is gone for good.", type: "final" },
    },
  });
