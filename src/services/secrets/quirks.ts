/** Behaviour of the real service that the contract does not have; off unless asked for. */
export type Quirk =
  /** A check-in leaves the lease running, and its expiry takes the account from whoever has it by then. */
  "check-in-keeps-lease";

export const QUIRKS: readonly Quirk[] = ["check-in-keeps-lease"];

export interface QuirkSlice {
  readonly quirks: readonly Quirk[];
}
