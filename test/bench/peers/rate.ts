import type { Effort } from "../harness/row.ts";

const ROUND_MS = 400;

/**
 * Measures how often something is done in a second, by what is done in a given time: contestants of whom one is a thousand times
 * as fast as another get the same time each, and at least one turn.
 */
export function rateWithin(effort: Effort, turn: () => unknown): () => Promise<number> {
  const roundMs = effort.quick ? ROUND_MS / 20 : ROUND_MS;
  let batch = 1;
  return async () => {
    const begun = performance.now();
    let done = 0;
    for (;;) {
      const batchBegun = performance.now();
      for (let index = 0; index < batch; index++) {
        const result = turn();
        // Who is synchronous does not wait.
        if (result instanceof Promise) await result;
      }
      done += batch;
      const now = performance.now();
      if (now - begun >= roundMs) return (done * 1_000) / (now - begun);
      // The clock is read a few hundred times a round, however fast the turns are.
      if (now - batchBegun < roundMs / 400) batch *= 2;
      else if (now - batchBegun > roundMs / 100) batch = Math.max(1, batch >> 1);
    }
  };
}
