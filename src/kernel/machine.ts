import type { AnyStateMachine, ContextFrom, EventFromLogic, StateValueFrom } from "xstate";

/** A legal move: where it leads, and the names of the actions that stand at it, for moves that yield several facts. */
export interface Step<M extends AnyStateMachine> {
  readonly value: StateValueFrom<M>;
  readonly actions: readonly string[];
  /** What the move is, in a sentence of the chart. */
  readonly description: string | undefined;
}

/**
 * A chart, or what makes it. Those of services are made when they are first asked: making them took a sixth of an import, and no test asks
 * all of them.
 */
export type Chart<M extends AnyStateMachine> = M | (() => M);

type Snapshot = Omit<ReturnType<AnyStateMachine["resolveState"]>, "context"> & { context: unknown };
type Transition = ReturnType<AnyStateMachine["getTransitionData"]>[number];

/** One snapshot per state of a chart: building one costs more than asking it. */
const snapshots = new WeakMap<AnyStateMachine, Map<string, Snapshot>>();

/** Charts that were made, by what made them. */
const made = new WeakMap<() => AnyStateMachine, AnyStateMachine>();

/**
 * Asks a chart whether a move is legal, and where it leads. The chart is never run.
 *
 * Guards read a *judgement*, which the decider computes; it stands where a running machine has its context.
 *
 * @param chart a flat one: its states have no states inside, and no transition without an event
 * @param value the state as our own state holds it, spelled as on the wire
 * @returns the step, or undefined when the chart does not allow the move
 *
 * @example
 * const next = step(libraryAccountMachine, account.status, { mayReturn: true }, { type: "checkIn" });
 * if (next === undefined) return refuse("account_not_returnable", { account: name });
 */
export function step<M extends AnyStateMachine>(
  chart: Chart<M>,
  value: StateValueFrom<M>,
  judgement: ContextFrom<M>,
  move: EventFromLogic<M>,
): Step<M> | undefined {
  const machine = machineOf(chart);
  const snapshot = snapshotOf(machine, value);
  // The remembered snapshot is nobody else's: giving it the judgement costs less than copying it.
  snapshot.context = judgement;
  const [transition] = machine.getTransitionData(snapshot as never, move) as readonly Transition[];
  if (transition === undefined) return undefined;
  return {
    value: transition.target?.[0]?.key ?? value,
    actions: transition.actions.length === 0 ? NO_ACTIONS : transition.actions.map(nameOf),
    description: transition.description,
  };
}

/**
 * Where a move leads that the rules allow: one of the states that its fact can carry.
 *
 * @throws Error where the chart leads elsewhere, or refuses: a fact has no form for that
 */
export function arrivedAt<V extends string>(next: { readonly value: string } | undefined, ...known: readonly V[]): V {
  const state = known.find((value) => value === next?.value);
  if (state === undefined)
    throw new Error(`a chart leads to ${next?.value ?? "nothing"}, a fact to ${known.join(" or ")}`);
  return state;
}

/** The guards of a move that a state has, in the order in which the chart asks them; none where the state does not have the move. */
export function guardsOf(machine: AnyStateMachine, value: string, event: string): readonly string[] {
  const candidates = machine.root.states[value]?.transitions.get(event) ?? [];
  return candidates.flatMap(({ guard }) => (guard === undefined ? [] : [nameOf(guard)]));
}

/** The chart itself. */
export function machineOf<M extends AnyStateMachine>(chart: Chart<M>): M {
  if (typeof chart !== "function") return chart;
  let machine = made.get(chart);
  if (machine === undefined) {
    machine = chart();
    made.set(chart, machine);
  }
  return machine as M;
}

const NO_ACTIONS: readonly string[] = Object.freeze([]);

/** Guards and actions are named in `setup`. */
export function nameOf(named: unknown): string {
  if (typeof named === "string") return named;
  return typeof named === "function" ? named.name : String((named as { readonly type: unknown }).type);
}

function snapshotOf(machine: AnyStateMachine, value: string): Snapshot {
  let known = snapshots.get(machine);
  if (known === undefined) {
    assertFlat(machine);
    known = new Map();
    snapshots.set(machine, known);
  }
  let snapshot = known.get(value);
  if (snapshot === undefined) {
    snapshot = machine.resolveState({ value, context: {} });
    known.set(value, snapshot);
  }
  return snapshot;
}

/** A chart that `step` would misread is a mistake of ours, so it is told at its first use. */
function assertFlat(machine: AnyStateMachine): void {
  const { root } = machine;
  if (root.type !== "compound") throw new TypeError(`${root.id} has regions side by side, or no states: not flat`);
  assertAtRest(root);
  for (const state of Object.values(machine.root.states)) {
    if (state.type !== "atomic" && state.type !== "final")
      throw new TypeError(`${state.id} has states inside: not flat`);
    assertAtRest(state);
    if (state.entry.length > 0 || state.exit.length > 0) {
      throw new TypeError(`${state.id} has entry or exit actions: put them at the transitions, where step sees them`);
    }
  }
}

function assertAtRest({ id, always, after, invoke }: AnyStateMachine["root"]): void {
  if (always !== undefined || after.length > 0 || invoke.length > 0) {
    throw new TypeError(`${id} moves by itself: a chart here is asked, never run`);
  }
}
