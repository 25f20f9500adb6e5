import { DeciderCommandHandler, getInMemoryEventStore } from "@event-driven-io/emmett";
import {
  type Account,
  decide,
  type Engine,
  evolve,
  type LendingCommand,
  type LendingEvent,
  type Refusal,
} from "./lending.ts";

type State = Account | { readonly status: "unknown" };

class Refused extends Error {
  readonly code: Refusal;

  constructor(code: Refusal) {
    super(code);
    this.code = code;
  }
}

const initialState = (): State => ({ status: "unknown" });
const known = (state: State): Account | undefined => (state.status === "unknown" ? undefined : state);

const evolver = (_: State, event: LendingEvent): State => evolve(event);

const handle = DeciderCommandHandler<State, LendingCommand, LendingEvent>({
  initialState,
  evolve: evolver,
  decide: (command, state) => {
    const decided = decide(command, known(state));
    if (typeof decided === "string") throw new Refused(decided);
    return decided;
  },
});

/** Its in-memory store, a stream for each account. */
export async function emmettEngine(accounts: readonly string[]): Promise<Engine> {
  const store = getInMemoryEventStore();
  for (const account of accounts) {
    await store.appendToStream<LendingEvent>(account, [{ type: "AccountAdded", data: { account } }]);
  }
  return {
    send: async (command) => {
      try {
        const { newState } = await handle(store, command.data.account, command);
        return (newState as Account).status;
      } catch (error) {
        if (error instanceof Refused) return error.code;
        throw error;
      }
    },
    account: async (name) => {
      const { state } = await store.aggregateStream<State, LendingEvent>(name, { initialState, evolve: evolver });
      return known(state);
    },
  };
}
