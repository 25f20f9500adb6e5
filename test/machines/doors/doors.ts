import { describe, expect, it } from "vitest";
import type { AnyStateMachine, EventFromLogic, StateValueFrom } from "xstate";
import { Rejection, type Simulator } from "../../../src/index.ts";
import { type Chart, guardsOf, machineOf } from "../../../src/kernel/machine.ts";
import { transitionsOf, type Way } from "../chart-table.ts";

/**
 * What is done in a world, the last of which asks the chart: a request, a typed call, a control call, or time that passes. Where a step
 * needs what one before it gave, a story arranges the world, and gives the last one.
 */
type Story<W> =
  | readonly [...((world: W) => unknown)[], (world: W) => unknown]
  | ((world: W) => (() => unknown) | Promise<() => unknown>);

type StateOf<M extends AnyStateMachine> = StateValueFrom<M>;
type MoveOf<M extends AnyStateMachine> = EventFromLogic<M>["type"];

/** A move that is made through a door. */
export interface MadeMove<M extends AnyStateMachine, W> {
  readonly state: StateOf<M>;
  readonly move: MoveOf<M>;
  /** Of a move with several ways: the guard of the one that is taken, or `else` for the one without. */
  readonly guard?: string;
  readonly to: StateOf<M>;
  /** Where the act ends, if it makes more moves after this one. */
  readonly ends?: StateOf<M> | undefined;
  readonly story: Story<W>;
}

/** A move that is refused through a door: nothing changes. */
export interface RefusedMove<M extends AnyStateMachine, W> {
  readonly state: StateOf<M>;
  readonly move: MoveOf<M>;
  readonly story: Story<W>;
  /** The facts that are kept all the same. */
  readonly keeps?: readonly string[];
  /** The command goes on without the move, and leaves the object in its state. */
  readonly goesOn?: true;
}

/** Moves that nobody asks for through a door in these states, and why. */
export interface NoDoor<M extends AnyStateMachine> {
  readonly states: readonly StateOf<M>[];
  readonly moves: readonly MoveOf<M>[];
  /** The refusal of the guards alone: the move itself is made. */
  readonly refusal?: true;
  /** The simulator itself asks, and goes on where the chart says no. */
  readonly asked?: true;
  readonly why: string;
}

export interface Doors<M extends AnyStateMachine, W> {
  readonly world: () => W | Promise<W>;
  /** The state of the object as the world shows it; undefined once it is gone. */
  readonly stateIn?: (world: W) => unknown;
  /** Commits note no moves of this chart: it is asked while a commit settles. */
  readonly settles?: boolean;
  readonly moves: readonly MadeMove<M, W>[];
  readonly refused?: readonly RefusedMove<M, W>[];
  readonly noDoor?: readonly NoDoor<M>[];
}

/** One question to a chart, and which way it took; none when it refused. */
interface Asked {
  readonly from: unknown;
  readonly move: string;
  readonly way: { readonly guard: string; readonly to: string } | undefined;
}

/** Checks that every move of a chart is made through a door, and every other one refused through a door. */
export function describeDoors<M extends AnyStateMachine, W extends { readonly sim: Simulator }>(
  chart: Chart<M>,
  { world: make, stateIn, settles = false, moves, refused = [], noDoor = [] }: Doors<M, W>,
): void {
  const machine = machineOf(chart);
  const ways = transitionsOf(machine);
  const waysOf = (state: unknown, move: string) => ways.filter((way) => way.state === state && way.move === move);
  /** What all stories have asked. */
  const seen = new Set<string>();
  const watched = async (act: () => unknown) => {
    const watching = await watch(machine, ways, act);
    for (const { from, move, way } of watching.asked) seen.add(`${from} ${move} ${way?.guard ?? "refused"}`);
    return watching;
  };

  describe(`the chart ${machine.id}, asked through doors`, () => {
    it.each(moves.map((row) => [`${row.move} in ${row.state}${row.guard ? ` [${row.guard}]` : ""}`, row] as const))(
      "%s",
      async (_, { state, move, guard, to, ends = to, story }) => {
        const world = await make();
        const act = await arranged(world, story);
        const before = world.sim.position;
        const { asked, outcome } = await watched(act);
        const made = asked.find((one) => one.from === state && one.move === move && one.way !== undefined)?.way;
        expect(made).toEqual({ to, guard: guard ?? waysOf(state, move)[0]?.guard });
        const isGone = machine.root.states[String(ends)]?.transitions.size === 0;
        if (stateIn !== undefined) expect(isGone ? [ends, undefined] : [ends]).toContain(stateIn(world));
        if (settles || (world.sim.position === before && to === state)) {
          expect(refusalIn(world.sim, outcome)).toBeUndefined();
          return;
        }
        const noted = range(before + 1, world.sim.position).flatMap((position) => world.sim.explain(position).moves);
        expect(noted).toContainEqual(expect.objectContaining({ machine: machine.id, from: state, event: move, to }));
      },
    );

    it.each(refused.map((row) => [`${row.move} in ${row.state}`, row] as const))(
      "refuses %s",
      async (_, { state, move, story, keeps = [], goesOn }) => {
        const world = await make();
        const act = await arranged(world, story);
        const [position, hash] = [world.sim.position, world.sim.stateHash()];
        const { asked, outcome } = await watched(act);
        expect(asked).toContainEqual({ from: state, move, way: undefined });
        if (goesOn) {
          expect(stateIn?.(world)).toBe(state);
          return;
        }
        expect(refusalIn(world.sim, outcome)).toMatchObject({
          machine: machine.id,
          event: move,
          from: state,
          refusedBy: guardsOf(machine, String(state), move),
          judgement: expect.anything(),
        });
        const kept = range(position + 1, world.sim.position).flatMap((place) => world.sim.explain(place).events);
        expect(kept.map(({ type }) => type)).toEqual(keeps);
        if (keeps.length === 0) expect([world.sim.position, world.sim.stateHash()]).toEqual([position, hash]);
      },
    );

    it("has a case for each move and each refusal, or a reason why there is none", () => {
      const cases = [
        ...moves.map(({ state, move, guard }) => `${state} ${move} ${guard ?? waysOf(state, move)[0]?.guard}`),
        ...refused.map(({ state, move }) => `${state} ${move} refused`),
      ];
      const types = [...new Set(ways.map(({ move }) => move))];
      const wanted = Object.keys(machine.root.states).flatMap((state) =>
        types.flatMap((move) => {
          const guards = waysOf(state, move).map(({ guard }) => guard);
          return [...guards, ...(guards.includes("else") ? [] : ["refused"])].map((ask) => ({ state, move, ask }));
        }),
      );
      const named = ({ state, move, ask }: (typeof wanted)[number]) => `${state} ${move} ${ask}`;
      const excusedBy = ({ states, moves: excused, refusal }: NoDoor<M>) =>
        wanted.filter(
          ({ state, move, ask }) =>
            states.some((one) => one === state) && excused.includes(move) && (!refusal || ask === "refused"),
        );
      const excused = new Set(noDoor.flatMap(excusedBy));
      expect(wanted.filter((one) => cases.includes(named(one)) === excused.has(one)).map(named)).toEqual([]);
      expect(cases.filter((one) => !wanted.some((ask) => named(ask) === one))).toEqual([]);
      expect(noDoor.filter((row) => excusedBy(row).length < row.states.length * row.moves.length)).toEqual([]);
      const unasked = noDoor.filter(({ asked }) => !asked).flatMap(excusedBy);
      expect(unasked.map(named).filter((one) => seen.has(one))).toEqual([]);
    });
  });
}

/** Does all of a story but its last step, and gives that. */
async function arranged<W>(world: W, story: Story<W>): Promise<() => unknown> {
  if (typeof story === "function") return story(world);
  for (const step of story.slice(0, -1)) await step(world);
  return () => story.at(-1)?.(world);
}

/** What a chart is asked while something is done. */
async function watch(
  machine: AnyStateMachine,
  ways: readonly Way[],
  act: () => unknown,
): Promise<{ readonly asked: readonly Asked[]; readonly outcome: unknown }> {
  const asked: Asked[] = [];
  const { getTransitionData } = machine;
  machine.getTransitionData = (snapshot, event) => {
    const taken = getTransitionData.call(machine, snapshot, event);
    const way = ways.find(({ transition }) => transition === taken?.[0]);
    asked.push({ from: snapshot.value, move: event.type, way: way && { guard: way.guard, to: way.to } });
    return taken;
  };
  try {
    return { asked, outcome: await act() };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return { asked, outcome: error };
  } finally {
    machine.getTransitionData = getTransitionData;
  }
}

function refusalIn(sim: Simulator, outcome: unknown): unknown {
  if (outcome instanceof Rejection) return outcome.refusedMove;
  return outcome instanceof Response ? sim.explain(outcome).refusedMove : undefined;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, place) => from + place);
}
