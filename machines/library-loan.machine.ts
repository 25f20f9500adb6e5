import { setup } from "xstate";

/** The end of a lease where the set is written: the account comes back. */
const takeBack = { guard: "isWrittenHere", actions: "takeBack" } as const;

/**
 * The loan of a service account, as its lease sees it. Mostly the two end together; with the quirk `check-in-keeps-lease` the lease of an
 * earlier borrower runs on, and on a performance secondary the account may have gone on without it.
 *
 * Source: decisions-directory.md, 7; decisions-replication.md, 3 and 4.6.
 */
export const libraryLoanMachine = () =>
  setup({
    types: {
      context: {} as {
        /** The lease is one of the cluster that writes the set. */
        readonly isWritten: boolean;
      },
      events: {} as { readonly type: "renew" } | { readonly type: "end" },
    },
    actions: {
      /** The account gets a new password, and is available. */
      takeBack: () => undefined,
    },
    guards: {
      isWrittenHere: ({ context }) => context.isWritten,
    },
  }).createMachine({
    id: "library-loan",
    description: "The loan of a service account, as its lease sees it.",
    context: { isWritten: true },
    initial: "lent",
    states: {
      lent: {
        description: "The account is checked out under this lease.",
        on: {
          renew: { target: "lent", description: "The borrower keeps it for longer." },
          end: { target: "returned", actions: "takeBack", description: "The account is taken back." },
        },
      },
      lent_again: {
        description: "The account is checked out under another lease.",
        on: {
          renew: { target: "lent_again", description: "The lease goes on, for an account that somebody else has." },
          end: [
            { target: "returned", ...takeBack, description: "The account is taken from whoever has it." },
            { target: "lent_again", description: "Another cluster lent it again: it stays lent." },
          ],
        },
      },
      returned: {
        description: "The account is available.",
        on: {
          end: [
            { target: "returned", ...takeBack, description: "Its password is rotated once more." },
            { target: "returned", description: "Another cluster has it back already." },
          ],
        },
      },
      gone: {
        description: "The account is in no set any more.",
        on: {
          end: [
            { target: "gone", ...takeBack, description: "It gets a new password all the same." },
            { target: "gone", description: "Another cluster has forgotten it already." },
          ],
        },
      },
    },
  });
