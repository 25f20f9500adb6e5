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
    context: { callerMayReturn: false },
    initial: "available",
    states: {
      available: {
        on: {
          checkOut: { target: "checked_out" },
          // Nobody has it: there is nothing to return.
          checkIn: { target: "available" },
          // Only with the quirk: the lease of an earlier borrower ran on after the check-in.
          takeBack: { target: "available" },
          forget: { target: "forgotten" },
        },
      },
      checked_out: {
        on: {
          checkIn: { target: "available", guard: "mayCallerReturn" },
          // Its lease ended: by time, by revocation, or with the token that made it. Nobody is asked.
          takeBack: { target: "available" },
        },
      },
      /** No longer in any set. The account is still in the directory, with the password it had last. */
      forgotten: { type: "final" },
    },
  });
