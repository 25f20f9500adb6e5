import fc from "fast-check";
import type { Simulator, SimulatorOptions } from "../../../src/index.ts";
import { newLendingWorld, perform, stories } from "../../support/world-actions.ts";

/** A world that lived through so many stories at random, one after the other; equal numbers, equal lives. */
export function longLife(seed: number, chapters: number, options: SimulatorOptions = {}): Simulator {
  const sim = newLendingWorld(options);
  for (const action of fc.sample(stories(60), { seed, numRuns: chapters }).flat()) perform(sim, action);
  return sim;
}
