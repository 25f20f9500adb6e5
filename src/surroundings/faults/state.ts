import type { EpochMs } from "../../kernel/brand.ts";
import { arm, type Calendar, type Deadline } from "../../kernel/calendar.ts";
import type { Caller } from "../../kernel/commit.ts";
import type { FlatEvolvers, Part } from "../../kernel/evolvers.ts";
import type { Plain } from "../../kernel/plain.ts";
import { Table } from "../../kernel/table.ts";
import type { RequestFaultEvents, StandingRule } from "./rules.ts";

/** What is to go wrong later. The part appears with its first fact. */
export interface FaultsWorld {
  readonly faults?: ScheduledFaults;
}

export interface ScheduledFaults {
  readonly calendar: Calendar;
  /** What happens to requests, in the order of making. Both appear with the first rule. */
  readonly rules?: readonly StandingRule[];
  /** How many rules were made, also of those that were removed. */
  readonly rulesMade?: number;
}

/** A control call of the surroundings, as it would stand in the log were it made now. */
export type FaultCommand = {
  /** Without `control.`: `network.cut`. */
  readonly type: string;
  readonly input: Plain;
  readonly caller: Caller;
};

export interface FaultsEvents extends RequestFaultEvents {
  FaultScheduled: { readonly dueAtMs: EpochMs; readonly fault: FaultCommand };
}

const NONE: ScheduledFaults = Object.freeze({ calendar: Table.of<Deadline>() });

/** The names of the commands of faults that are due, in the place of `control.` */
export const FAULT_DUE = "fault.";

export const faultsEvolvers: FlatEvolvers<ScheduledFaults, FaultsEvents> = {
  FaultScheduled: (faults, { dueAtMs, fault }, meta) => {
    const { type, input, caller } = fault;
    arm(faults, dueAtMs, { command: `${FAULT_DUE}${type}`, input: { input, caller: caller as Plain } }, meta);
  },
  RequestRuleMade: (faults, { id, rule }) => {
    faults.rules = [...(faults.rules ?? []), { id, rule, fitted: 0, acted: 0 }];
    faults.rulesMade = id;
  },
  RequestRulesFitted: (faults, { fitted, acted }) => {
    faults.rules =
      faults.rules?.map((standing) =>
        fitted.includes(standing.id)
          ? { ...standing, fitted: standing.fitted + 1, acted: standing.acted + (standing.id === acted ? 1 : 0) }
          : standing,
      ) ?? [];
  },
  RequestRuleRemoved: (faults, { id }) => {
    faults.rules = faults.rules?.filter((standing) => standing.id !== id) ?? [];
  },
};

/** The part that facts change. */
export const withFaults: Part<FaultsWorld, ScheduledFaults, unknown> = (world, _, change) => {
  const before = world.faults ?? NONE;
  const after = change(before);
  return after === before ? world : { ...world, faults: after };
};
