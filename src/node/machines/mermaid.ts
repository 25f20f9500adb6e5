import { type Chart, moveText } from "../../simulator/charts.ts";

/** A chart as Mermaid draws it, on GitHub for instance. */
export function mermaidOf({ id, initial, states, moves }: Chart): string {
  return [
    "---",
    `title: ${id}`,
    "---",
    "stateDiagram-v2",
    ...states.filter(({ name }) => idOf(name) !== name).map(({ name }) => `  state "${name}" as ${idOf(name)}`),
    `  [*] --> ${idOf(initial)}`,
    ...moves.map((move) => `  ${idOf(move.from)} --> ${idOf(move.to)}: ${moveText(move)}`),
    ...states.filter(({ isFinal }) => isFinal).map(({ name }) => `  ${idOf(name)} --> [*]`),
    "",
  ].join("\n");
}

/** A hyphen would be read as the beginning of an arrow. */
function idOf(state: string): string {
  return state.replace(/\W/g, "_");
}
