import { epochMs } from "../kernel/brand.ts";
import { Rehearsing } from "../kernel/rehearse.ts";
import { LiveSimulator } from "../simulator/live-simulator.ts";
import type { Simulator } from "../simulator/types.ts";
import { replay } from "../simulator.ts";
import { type Cast, defineScenario, type Scenario } from "./define.ts";

/** A step of a scenario over a log: where the log stands after it. */
export interface RetoldStep {
  readonly title: string;
  /** The position of its last commit. */
  readonly to: number;
  /** The instant at which it ends, in epoch milliseconds. */
  readonly atMs: number;
}

/** What a scenario over a log is made of. */
export interface Retold {
  readonly name: string;
  readonly title: string;
  /** The text of `sim.log.toNdjson()`. */
  readonly log: string;
  /** The first is how the world began: it is taken as it was, and all that comes after is decided again. */
  readonly steps: readonly RetoldStep[];
}

/**
 * A scenario that decides again what a log has, step by step. A step whose commands are decided otherwise fails, and so does the last if
 * another state comes of it.
 *
 * @throws TypeError for steps that the log does not have; LogError for a log that is not whole
 * @example
 * export default retold({
 *   name: "lost-order",
 *   title: "The shop loses an order",
 *   log: readFileSync("lost-order.ndjson", "utf8"),
 *   steps: [
 *     { title: "The world is made", to: 12, atMs: Date.UTC(2026, 0, 1) },
 *     { title: "The line is cut", to: 13, atMs: Date.UTC(2026, 0, 1, 1) },
 *   ],
 * });
 */
export function retold({ name, title, log, steps }: Retold): Scenario {
  const original = replay(log);
  const [begun, ...rest] = steps;
  if (begun === undefined || rest.length === 0) throw new TypeError(`retold: ${name} needs two steps or more`);
  if (steps.some(({ to }, index) => to > original.position || to < (steps[index - 1]?.to ?? 0))) {
    throw new TypeError(`retold: the steps of ${name} lead through the log in its order, up to #${original.position}`);
  }
  const last = steps.at(-1)?.to === original.position ? original.stateHash() : undefined;
  return defineScenario<Cast>({
    name,
    title,
    world: () => original.fork(begun.to),
    cast: () => ({}),
    steps: rest.map((step, index) => ({
      title: step.title,
      does: (sim) => goOn(sim, original, step),
      ...(index < rest.length - 1 || last === undefined
        ? {}
        : {
            expectation: "it leads to the state of the log",
            expect: (sim: Simulator) => {
              if (sim.stateHash() !== last) throw new Error("it leads to another state than that of the log");
            },
          }),
    })),
  });
}

function goOn(sim: Simulator, original: Simulator, { to, atMs }: RetoldStep): void {
  const { timeline, host } = LiveSimulator.insideOf(sim);
  const rehearsing = new Rehearsing(timeline, host.clock);
  const { history } = LiveSimulator.insideOf(original).timeline;
  for (const commit of history.commits(timeline.position + 1, to)) {
    rehearsing.commit(commit);
    const { divergence } = rehearsing;
    if (divergence !== undefined) throw new Error(`#${divergence.position}: ${divergence.why}`);
  }
  if (atMs > timeline.nowMs) timeline.moveTo(epochMs(atMs));
}
