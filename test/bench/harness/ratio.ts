import { alternating, microsecondsEachInTurn } from "./measure.ts";
import { rounded } from "./statistics.ts";

/** How much is done: batches that alternate, each of so many turns. Those shorter than a core's time slice let noise spoil few of them. */
export interface Batches {
  readonly batches: number;
  readonly turns: number;
}

type Work = () => Promise<unknown>;

/** How many times as long one thing takes as another. */
export async function ratioOf({ batches, turns }: Batches, subject: Work, yardstick: Work) {
  const us = await alternating(
    batches,
    () => microsecondsEachInTurn(turns, subject),
    () => microsecondsEachInTurn(turns, yardstick),
  );
  return {
    value: us.left / us.right,
    detail: `last round: ${rounded(us.left, 3)} us against ${rounded(us.right, 3)} us`,
  };
}
