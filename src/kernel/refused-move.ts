import type { RefusedMove } from "./outcome.ts";

/** As in "library-account: checkIn refused by mayCallerReturn in checked_out: callerMayReturn is false. Somebody has the account." */
export function refusedMoveText({ machine, event, from, stateDescription, refusedBy, judgement }: RefusedMove): string {
  const state = stateDescription === undefined ? "" : `. ${stateDescription}`;
  if (refusedBy.length === 0) return `${machine}: ${event} refused: ${String(from)} has no such move${state}`;
  const told = Object.entries(judgement).map(([name, value]) => `${name} is ${String(value)}`);
  return `${machine}: ${event} refused by ${refusedBy.join(" and ")} in ${String(from)}: ${told.join(", ")}${state}`;
}
