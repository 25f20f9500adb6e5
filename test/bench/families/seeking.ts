import type { Simulator } from "../../../src/index.ts";
import { Dice, seconds } from "../harness/measure.ts";
import type { Sample } from "../harness/row.ts";
import { quantile, rounded } from "../harness/statistics.ts";

/** Measures how long a look at a position takes that is picked at random: the time that one in a hundred exceeds. */
export function seeking(sim: Simulator, times: number): () => Sample {
  const dice = new Dice(1);
  return () => {
    const tookMs = Array.from({ length: times }, () => {
      const position = dice.below(sim.position + 1);
      return seconds(() => void sim.at(position).state) * 1_000;
    });
    const [middle, worst] = [quantile(tookMs, 0.5), quantile(tookMs, 1)];
    const detail = `last round: median ${rounded(middle, 2)} ms, worst ${rounded(worst, 2)} ms`;
    return { value: quantile(tookMs, 0.99), detail };
  };
}
