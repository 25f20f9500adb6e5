import { createSimulator as create, type Simulator } from "../../src/index.ts";
import { property as unchecked } from "./property.ts";
import { historyFaults } from "./replication-checker.ts";

// Whatever a property is about: the histories that its cases leave are sound. A case that made an unsound one is a counterexample like
// any other, and shrinks.

/** The simulators that the case at hand has made; undefined between cases. */
let made: Simulator[] | undefined;

/** As the library's. The history of a simulator that a case of a property makes is checked at the end of the case. */
export const createSimulator: typeof create = (options) => watched(create(options));

/** Has the history of a simulator checked that was come by otherwise, such as a fork. */
export function watched(sim: Simulator): Simulator {
  made?.push(sim);
  return sim;
}

type Body<Given extends unknown[]> = (...given: Given) => unknown;

/** As `property`, and the histories of its cases are checked. */
export const property: typeof unchecked = (...asked) => {
  const declare = unchecked(...asked);
  return (title, body, options) => {
    declare(title, checked(body), options);
  };
};

function checked<Given extends unknown[]>(body: Body<Given>): Body<Given> {
  return (...given) => {
    const sims: Simulator[] = [];
    made = sims;
    const end = <R>(result: R): R => {
      made = undefined;
      const faults = sims.filter(isInUse).flatMap(historyFaults);
      if (faults.length > 0) throw new Error(faults.join("\n"));
      return result;
    };
    const result = body(...given);
    return result instanceof Promise ? result.then(end) : end(result);
  };
}

/** One that was disposed of tells nothing any more. */
function isInUse(sim: Simulator): boolean {
  try {
    return sim.position >= 0;
  } catch {
    return false;
  }
}
