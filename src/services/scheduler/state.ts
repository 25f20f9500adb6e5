import type { Due } from "../../kernel/calendar.ts";
import type { Failing } from "../kit/request-failures.ts";
import type { BootstrapSlice } from "./bootstrap/state.ts";
import type { RegionName } from "./ids.ts";
import type { OneTimeTokenSlice } from "./one-time-tokens/state.ts";
import type { PolicySlice } from "./policies/state.ts";
import type { LeaderSlice, LogSlice } from "./regions/state.ts";
import type { ReplicationSlice } from "./replication/state.ts";
import type { RoleSlice } from "./roles/state.ts";
import type { TokenSlice } from "./tokens/state.ts";

/** The scheduler: its regions, one of which is authoritative. */
export interface Scheduler extends SchedulerSettings {
  readonly authoritative: RegionName;
  /** Where each region answers: apart from what is in them, because this hardly ever changes. */
  readonly sites: { readonly [region: string]: string };
  readonly regions: { readonly [region: string]: Region };
}

export interface SchedulerSettings {
  readonly aclEnabled: boolean;
  /** From a commit of the authoritative region to its arrival elsewhere, unless the network says otherwise. */
  readonly replicationLagMs: number;
  /** No blocking query waits longer. */
  readonly maxBlockingWaitMs: number;
  readonly blockingJitter: boolean;
  /** Behaviour of other releases; absent for none. */
  readonly quirks?: readonly SchedulerQuirk[];
}

/** What other releases of the real service do; off unless asked for (amendments.md, N12). */
export type SchedulerQuirk =
  /** A secret that nobody knows finds no token of its own: 404, where the newest release says 403. */
  "self-unknown-is-404";

export const SCHEDULER_QUIRKS: readonly SchedulerQuirk[] = ["self-unknown-is-404"];

/** A region: a log, tables and tokens of its own. */
export interface Region
  extends LogSlice,
    LeaderSlice,
    BootstrapSlice,
    PolicySlice,
    TokenSlice,
    OneTimeTokenSlice,
    RoleSlice,
    ReplicationSlice,
    Failing,
    Due {}
