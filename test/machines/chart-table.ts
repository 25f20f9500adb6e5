import { describe, expect, it } from "vitest";
import type { AnyStateMachine, ContextFrom, EventFromLogic, StateValueFrom } from "xstate";
import { type Chart, machineOf, step } from "../../src/kernel/machine.ts";

/** One line of a chart's table: asked in a state, with a judgement, for a move. */
export interface ChartRow<M extends AnyStateMachine> {
  /** What the line says, in the words of the domain. */
  readonly rule: string;
  readonly state: StateValueFrom<M>;
  readonly judgement: ContextFrom<M>;
  readonly move: EventFromLogic<M>;
  /** Where the move leads; undefined when the chart refuses it. */
  readonly next: StateValueFrom<M> | undefined;
}

type Transition = ReturnType<AnyStateMachine["getTransitionData"]>[number];

/**
 * Checks a chart against its table, and the table against the chart: every transition of the definition has a line, every
 * guard a line in which it says no, and whatever the definition does not offer is refused.
 */
export function describeChart<M extends AnyStateMachine>(chart: Chart<M>, rows: readonly ChartRow<M>[]): void {
  const machine = machineOf(chart);
  describe(`the chart ${machine.id}`, () => {
    it.each(rows.map((row) => [row.rule, row] as const))("%s", (_, { state, judgement, move, next }) => {
      expect(step(machine, state, judgement, move)?.value).toBe(next);
    });

    it.each(transitionsOf(machine))("has a line for the transition $state -- $move [$guard] --> $to", (way) => {
      expect(rows.some((row) => taken(machine, row) === way.transition)).toBe(true);
    });

    it.each(guardedMovesOf(machine))("has a line in which %s is refused", (_, state, type) => {
      const refused = rows.filter((row) => row.state === state && row.move.type === type && row.next === undefined);
      expect(refused).not.toEqual([]);
    });

    it.each(movesNotOffered(machine))("does not offer %s", (_, state, type) => {
      for (const { judgement } of rows) {
        const move = { type } as EventFromLogic<M>;
        expect(step(machine, state as StateValueFrom<M>, judgement, move)).toBeUndefined();
      }
    });

    it("names every line otherwise, and every state in some line", () => {
      expect(new Set(rows.map(({ rule }) => rule)).size).toBe(rows.length);
      const named = new Set(rows.flatMap(({ state, next }) => [state, next]));
      for (const state of Object.keys(machine.root.states)) expect(named).toContain(state);
    });
  });
}

/** The transition that a line takes; undefined when it is refused. */
function taken<M extends AnyStateMachine>(machine: M, { state, judgement, move }: ChartRow<M>): Transition | undefined {
  const snapshot = { ...machine.resolveState({ value: state, context: {} }), context: judgement };
  return machine.getTransitionData(snapshot, move)?.[0];
}

/** A transition of a definition. */
export interface Way {
  readonly state: string;
  readonly move: string;
  /** The name of its guard; `else` for one without. */
  readonly guard: string;
  readonly to: string;
  readonly transition: Transition;
}

/** Every transition of the definition. */
export function transitionsOf(machine: AnyStateMachine): readonly Way[] {
  return Object.values(machine.root.states).flatMap((state) =>
    [...state.transitions].flatMap(([move, candidates]) =>
      candidates.map((transition) => ({
        state: state.key,
        move,
        guard: guardName(transition),
        to: transition.target?.[0]?.key ?? state.key,
        transition,
      })),
    ),
  );
}

function guardName({ guard }: Transition): string {
  if (guard === undefined) return "else";
  return typeof guard === "string" ? guard : typeof guard === "function" ? guard.name : String(guard.type);
}

/** The moves that may be refused although a state offers them: each of their candidates has a guard. */
function guardedMovesOf(machine: AnyStateMachine): (readonly [name: string, state: string, type: string])[] {
  return Object.values(machine.root.states).flatMap((state) =>
    [...state.transitions]
      .filter(([, candidates]) => candidates.every(({ guard }) => guard !== undefined))
      .map(([type]) => [`${type} in ${state.key}`, state.key, type] as const),
  );
}

/** What the definition does not offer: each state with each move of the chart that it lacks. */
function movesNotOffered(machine: AnyStateMachine): (readonly [name: string, state: string, type: string])[] {
  const states = Object.values(machine.root.states);
  const types = [...new Set(states.flatMap((state) => [...state.transitions.keys()]))];
  return states.flatMap((state) =>
    types
      .filter((type) => !state.transitions.has(type))
      .map((type) => [`${type} in ${state.key}`, state.key, type] as const),
  );
}
