import { setup } from "xstate";

/**
 * A service account that a library set lends.
 *
 * Source: secrets.md, "Library set account"; decisions-directory.md, 7. Whoever takes an account back, its password is
 * rotated first, so that the borrower's copy is worth nothing.
 */
export const libraryAccountMachine = () =>
  setup({
    types: {
      context: {} as {
        /** The caller holds the account, the set does not enforce check-ins, or the manage path is used. */
        readonly callerMayReturn: boolean;
      },
      events: {} as
        | { readonly type: "checkOut" }
        | { readonly type: "checkIn" }
        | { readonly type: "takeBack" }
        | { readonly type: "forget" },
    },
    guards: {
      mayCallerReturn: ({ context }) => context.callerMayReturn,
    },
  }).createMachine({
    id: "library-account",
    description: "A service account that a library set lends.",
    context: { callerMayReturn: false },
    initial: "available",
    states: {
      available: {
        description: "The account waits for a borrower.",
        on: {
          checkOut: { target: "checked_out", description: "Somebody borrows it." },
          checkIn: { target: "available", description: "Nobody has it: there is nothing to return." },
          takeBack: {
            target: "available",
            description: "Only with a quirk: the lease of an earlier borrower ran on after the check-in.",
          },
          forget: { target: "forgotten", description: "Its set does without it, or is deleted." },
        },
      },
      checked_out: {
        description: "Somebody has the account.",
        on: {
          checkIn: { target: "available", guard: "mayCallerReturn", description: "Somebody returns it." },
          takeBack: {
            target: "available",
            description: "Its lease ends, and nobody is asked.",
          },
        },
      },
      forgotten: {
        description: "The account is in no set any more. The directory still has it, with its last password.",
        type: "final",
      },
    },
  });
