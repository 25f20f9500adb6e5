import type { Plain } from "../kernel/plain.ts";
import type { Simulator } from "../simulator/types.ts";
import type { SimulatorOptions } from "../simulator/world.ts";

/** What actors of a scenario are: plain data such as tokens and ids. Doors come from the simulator at hand. */
export type Cast = { readonly [name: string]: Plain };

/** One step of a story. */
export interface Step<C extends Cast> {
  readonly title: string;
  /** What happens. It may be async. */
  readonly does?: (sim: Simulator, cast: C) => unknown;
  /** What `expect` asserts, in words, for whoever reads the story. */
  readonly expectation?: string;
  /** Asserts by throwing. It runs on a fork, so it may try things; it may be async. */
  readonly expect?: (sim: Simulator, cast: C) => unknown;
}

/** A story that can be run, stepped through and printed. */
export interface Scenario<C extends Cast = Cast> {
  /** A short name for the command line: letters, digits and hyphens. */
  readonly name: string;
  readonly title: string;
  /** Options of the simulator in which it plays; or what makes one each time, such as a fork of a log. */
  readonly world: SimulatorOptions | (() => Simulator | Promise<Simulator>);
  /** Makes the actors, once, before the first step. What it returns is cloned and frozen. */
  readonly cast: (sim: Simulator) => C;
  readonly steps: readonly Step<C>[];
}

/**
 * Defines a scenario: data plus expectations. The actors' types are known in every step.
 *
 * @throws TypeError for a scenario without a proper name or without steps
 * @example
 * export default defineScenario({
 *   name: "token-expiry", title: "A token expires", world: { seed: 1 },
 *   cast: (sim) => ({ ann: sim.secrets.cluster("main").createToken({ policies: [], ttl: "1h" }).token }),
 *   steps: [{ title: "An hour passes", does: (sim) => sim.clock.advance("1h") }],
 * });
 */
export function defineScenario<const C extends Cast>(scenario: Scenario<C>): Scenario<C> {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(scenario.name)) {
    throw new TypeError(
      `defineScenario: ${JSON.stringify(scenario.name)} is no name: lower-case words joined by hyphens`,
    );
  }
  if (scenario.steps.length === 0) throw new TypeError(`defineScenario: ${scenario.name} has no steps`);
  return Object.freeze({ ...scenario, steps: Object.freeze([...scenario.steps]) });
}
