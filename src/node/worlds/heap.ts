import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Before each collection this much time passes: one takes as long as thousands of worlds. */
const COLLECTED_EVERY_MS = 1_000;

/** The bytes that this process holds, without those that nobody refers to any more. */
export class Heap {
  #collectedAtMs = Number.NEGATIVE_INFINITY;
  #collect: (() => void) | undefined;

  /** Three quarters of what the engine can hold. */
  static get most(): number {
    return Math.floor(getHeapStatistics().heap_size_limit * 0.75);
  }

  /** The bytes held, if these are more than so many; undefined for less. */
  beyond(bytes: number): number | undefined {
    if (held() <= bytes) return undefined;
    if (performance.now() - this.#collectedAtMs >= COLLECTED_EVERY_MS) {
      this.#collect ??= collector();
      this.#collect();
      this.#collectedAtMs = performance.now();
    }
    const left = held();
    return left <= bytes ? undefined : left;
  }
}

function held(): number {
  const { used_heap_size: used, external_memory: external } = getHeapStatistics();
  return used + external;
}

/** The engine's own, which it shows only when it is asked to. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
