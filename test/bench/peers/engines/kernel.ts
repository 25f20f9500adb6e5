import { type EpochMs, epochMs } from "../../../../src/kernel/brand.ts";
import type { Command } from "../../../../src/kernel/commit.ts";
import { withinFlat } from "../../../../src/kernel/evolvers.ts";
import type { Model } from "../../../../src/kernel/model.ts";
import { refusalsOf } from "../../../../src/kernel/outcome.ts";
import { Table } from "../../../../src/kernel/table.ts";
import { Timeline } from "../../../../src/kernel/timeline.ts";
import { type Account, AVAILABLE, decide, type Engine, evolve, type LendingCommand, type Refusal } from "./lending.ts";

export interface Lending {
  readonly accounts: Table<Account>;
}

interface LendingEvents {
  AccountAdded: { readonly account: string };
  AccountCheckedOut: { readonly account: string; readonly borrower: string };
  AccountCheckedIn: { readonly account: string };
}

type LendingRefusals = { readonly [R in Refusal]: object };

const { refuse } = refusalsOf<LendingRefusals>();

/** A world that knows nothing but lending. */
const model: Model<Lending, LendingEvents> = {
  folds: withinFlat<Lending, Lending, LendingEvents>((lending, _, change) => change(lending), {
    AccountAdded: (lending, data) => put(lending, data.account, evolve({ type: "AccountAdded", data })),
    AccountCheckedOut: (lending, data) => put(lending, data.account, evolve({ type: "AccountCheckedOut", data })),
    AccountCheckedIn: (lending, data) => put(lending, data.account, evolve({ type: "AccountCheckedIn", data })),
  }),
  calendars: () => [],
  calendarPlace: () => ({ owner: {}, place: {} }),
  withCalendar: (lending) => lending,
  deciderOf:
    ({ name }) =>
    (decision, input) => {
      const data = input as LendingCommand["data"];
      const type = name === "lending.checkOut" ? "CheckOut" : "CheckIn";
      const decided = decide({ type, data }, decision.state.accounts.get(data.account));
      if (typeof decided === "string") return refuse(decided, {});
      decision.record(decided);
      return decided.type === "AccountCheckedOut" ? "checked_out" : "available";
    },
};

function put(lending: { accounts: Table<Account> }, name: string, account: Account): void {
  lending.accounts = lending.accounts.set(name, account);
}

export type LendingTimeline = Timeline<Lending, LendingEvents>;

export const START_MS: EpochMs = epochMs(0);

export function lendingTimeline(accounts: readonly string[]): LendingTimeline {
  return Timeline.begin(model, {
    seed: 1,
    startAtMs: START_MS,
    initialState: { accounts: Table.from(accounts.map((name) => [name, AVAILABLE])) },
    checkpointEvery: 32,
  });
}

export function engineOf(timeline: LendingTimeline): Engine {
  return {
    send: ({ type, data }) => {
      const name = type === "CheckOut" ? "lending.checkOut" : "lending.checkIn";
      const command: Command = { name, input: { ...data }, caller: null, via: "call" };
      const outcome = timeline.execute(command);
      return outcome.kind === "accepted" ? (outcome.result as Account["status"]) : (outcome.refusal.code as Refusal);
    },
    account: (name) => timeline.state.accounts.get(name),
  };
}

export const kernelEngine = (accounts: readonly string[]): Engine => engineOf(lendingTimeline(accounts));
