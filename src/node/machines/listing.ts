import { type Chart, type ChartState, listedText } from "../../simulator/charts.ts";
import { wrapped } from "../terminal/columns.ts";

/** A chart for people: each state with what it is, and each of its moves with what that is. */
export function listingOf({ id, description, initial, states, moves }: Chart, columns: number): string[] {
  return [
    ...wrapped(`${id}: ${description}`, "", columns),
    ...states.flatMap((state) => [
      "",
      ...wrapped(
        `${state.name}${state.name === initial ? " (initial)" : markOf(state)}: ${state.description}`,
        "",
        columns,
      ),
      ...moves
        .filter(({ from }) => from === state.name)
        .flatMap((move) => wrapped(`${listedText(move)}: ${move.description}`, "  ", columns)),
    ]),
  ];
}

function markOf({ isFinal, isNeverEntered }: ChartState): string {
  return `${isFinal ? " (final)" : ""}${isNeverEntered ? " (never entered)" : ""}`;
}
