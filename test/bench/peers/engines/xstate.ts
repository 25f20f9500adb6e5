import { type ActorRefFrom, assign, createActor, setup } from "xstate";
import type { Account, Engine, LendingCommand, Refusal } from "./lending.ts";

type Move = { readonly type: LendingCommand["type"]; readonly borrower: string };

/** The decider as a chart: an actor has no other form. */
const accountMachine = setup({
  types: { context: {} as { readonly borrower: string | null }, events: {} as Move },
  guards: { isBorrower: ({ context, event }) => context.borrower === event.borrower },
  actions: {
    lend: assign({ borrower: ({ event }) => event.borrower }),
    takeBack: assign({ borrower: null }),
  },
}).createMachine({
  initial: "available",
  context: { borrower: null },
  states: {
    available: { on: { CheckOut: { target: "checked_out", actions: "lend" } } },
    checked_out: { on: { CheckIn: { target: "available", guard: "isBorrower", actions: "takeBack" } } },
  },
});

const REFUSALS: Readonly<Record<LendingCommand["type"], Refusal>> = {
  CheckOut: "already_lent",
  CheckIn: "not_the_borrower",
};

/** An actor for each account, and the list of events that moved one. */
export function xstateEngine(names: readonly string[]): Engine {
  const actors = new Map<string, ActorRefFrom<typeof accountMachine>>();
  for (const name of names) actors.set(name, createActor(accountMachine).start());
  const moved: { readonly account: string; readonly move: Move }[] = [];
  return {
    send: ({ type, data: { account, borrower } }) => {
      const actor = actors.get(account);
      if (actor === undefined) return "no_such_account";
      const move: Move = { type, borrower };
      const before = actor.getSnapshot();
      actor.send(move);
      const after = actor.getSnapshot();
      if (after === before) return REFUSALS[type];
      moved.push({ account, move });
      return after.value;
    },
    account: (name): Account | undefined => {
      const snapshot = actors.get(name)?.getSnapshot();
      return snapshot === undefined ? undefined : { status: snapshot.value, borrower: snapshot.context.borrower };
    },
  };
}
