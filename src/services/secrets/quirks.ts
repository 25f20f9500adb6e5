import type { ClusterName } from "./place.ts";
import { clusterOf, type SecretsWorld } from "./state.ts";

/** Behaviour of the real service that the contract does not have; off unless asked for. */
export type Quirk =
  /** A check-in leaves the lease running, and its expiry takes the account from whoever has it by then. */
  "check-in-keeps-lease";

export const QUIRKS: readonly Quirk[] = ["check-in-keeps-lease"];

export function hasQuirk(world: SecretsWorld, cluster: ClusterName, quirk: Quirk): boolean {
  return clusterOf(world, cluster).ignored.quirks.includes(quirk);
}
