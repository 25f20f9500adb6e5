import type { Chart, ChartMove, ChartState } from "../../simulator/charts.ts";

/** Moves to an end that so many states lead to are listed in the box of each: their arrows would hide the others. */
const SHARED_END = 4;
/** So are moves that so many states have in common, whatever they lead to. */
const SHARED_MOVE = 5;

/** A chart taken apart for a picture. */
export interface Parts {
  /** The moves that are arrows. */
  readonly arrows: readonly ChartMove[];
  /** The moves that stand in the box of the state that they lead out of. */
  readonly listed: readonly ChartMove[];
  /** States that an arrow leads to or from, and the one where all begins. */
  readonly linked: readonly ChartState[];
  /** Other states, which listed moves lead to. */
  readonly unlinked: readonly ChartState[];
  readonly neverEntered: readonly ChartState[];
}

/** Which moves and states of a chart are drawn how. */
export function partsOf({ initial, states, moves }: Chart): Parts {
  const neverEntered = states.filter(({ isNeverEntered }) => isNeverEntered);
  const outside = new Set(neverEntered.map(({ name }) => name));
  const inside = moves.filter(({ from }) => !outside.has(from));
  const finals = new Set(states.filter(({ isFinal }) => isFinal).map(({ name }) => name));
  const shared = [
    ...grouped(inside, ({ event, to }) => [event, to]).filter((group) => sourcesOf(group) >= SHARED_MOVE),
    ...grouped(inside, ({ to }) => [to]).filter((group) => finals.has(group[0].to) && sourcesOf(group) >= SHARED_END),
  ].flat();
  const arrows = inside.filter((move) => !shared.includes(move));
  const ends = new Set([initial, ...arrows.flatMap(({ from, to }) => [from, to])]);
  return {
    arrows,
    listed: moves.filter((move) => !arrows.includes(move)),
    linked: states.filter(({ name }) => ends.has(name)),
    unlinked: states.filter(({ name }) => !ends.has(name) && !outside.has(name)),
    neverEntered,
  };
}

function sourcesOf(moves: readonly ChartMove[]): number {
  return new Set(moves.map(({ from }) => from)).size;
}

/** Moves that have a key in common, in the order of the first of each. */
export function grouped(
  moves: readonly ChartMove[],
  keyOf: (move: ChartMove) => readonly string[],
): (readonly [ChartMove, ...ChartMove[]])[] {
  const groups = new Map<string, [ChartMove, ...ChartMove[]]>();
  for (const move of moves) {
    const key = JSON.stringify(keyOf(move));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [move]);
    else group.push(move);
  }
  return [...groups.values()];
}
