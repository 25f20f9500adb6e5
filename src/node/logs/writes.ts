import { parsePath, valueAt } from "../../kernel/state-path.ts";
import { rfc3339 } from "../../languages/instant.ts";
import type { Simulator } from "../../simulator/types.ts";

/** A commit that wrote what stands at a path. */
export interface Write {
  readonly position: number;
  readonly at: string;
  readonly command: string;
  /** What stood there then; null where it was removed. */
  readonly value: unknown;
}

/**
 * Every write of what stands at a path of the state, the first one first. They are found from the last one back: before each lies the one
 * that wrote what it overwrote.
 *
 * @throws TypeError for text that is no path
 */
export function writesOf(sim: Simulator, path: string): readonly Write[] {
  const names = parsePath(path);
  const writes: Write[] = [];
  for (let past = sim; ; ) {
    const commit = past.blame(path);
    if (commit === undefined) return writes.reverse();
    const { position, atMs, command } = commit;
    const { value } = valueAt(sim.at(position).state, names);
    writes.push({ position, at: rfc3339(atMs), command: command.name, value: value ?? null });
    past = sim.fork(position - 1);
  }
}
