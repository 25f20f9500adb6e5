import { configureStore, createSlice, type Middleware, type PayloadAction } from "@reduxjs/toolkit";
import { type Account, AVAILABLE, decide, type Engine, evolve, type LendingEvent } from "./lending.ts";

export interface Lending {
  readonly accounts: Readonly<Record<string, Account>>;
}

type Fact = PayloadAction<Exclude<LendingEvent, { readonly type: "AccountAdded" }>>;

const empty: Lending = { accounts: {} };

const slice = createSlice({
  name: "lending",
  initialState: empty,
  reducers: {
    recorded: (state, { payload }: Fact) => {
      state.accounts[payload.data.account] = evolve(payload);
    },
  },
});

/** What a replay starts from, and goes through. */
export interface ReduxHistory {
  readonly initial: Lending;
  readonly actions: readonly Fact[];
}

/** A store that can be asked for its past: it keeps its actions. */
export interface ReduxEngine extends Engine {
  readonly history: ReduxHistory;
  readonly state: () => Lending;
}

export function reduxEngine(accounts: readonly string[]): ReduxEngine {
  const initial: Lending = { accounts: Object.fromEntries(accounts.map((name) => [name, AVAILABLE])) };
  const actions: Fact[] = [];
  const keepsActions: Middleware = () => (next) => (action) => {
    actions.push(action as Fact);
    return next(action);
  };
  const store = configureStore({
    reducer: slice.reducer,
    preloadedState: initial,
    devTools: false,
    // Its checks for development walk the whole state at each action.
    middleware: (defaults) =>
      defaults({ immutableCheck: false, serializableCheck: false, actionCreatorCheck: false }).concat(keepsActions),
  });
  const account = (name: string): Account | undefined => {
    const { accounts: all } = store.getState();
    return Object.hasOwn(all, name) ? all[name] : undefined;
  };
  return {
    send: (command) => {
      const decided = decide(command, account(command.data.account));
      if (typeof decided === "string") return decided;
      store.dispatch(slice.actions.recorded(decided as Fact["payload"]));
      return decided.type === "AccountCheckedOut" ? "checked_out" : "available";
    },
    account,
    history: { initial, actions },
    state: () => store.getState(),
  };
}

/** The state after so many actions: from the start, or from where one has been. */
export function replayed(
  { initial, actions }: ReduxHistory,
  count: number,
  from: { readonly position: number; readonly state: Lending } = { position: 0, state: initial },
): Lending {
  let { state } = from;
  for (let index = from.position; index < count; index++) state = slice.reducer(state, actions[index] as Fact);
  return state;
}
