import { writeFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector/promises";

/** Where the time of a row's rounds goes, without what prepared them. Kept beside the built bench, for a flame chart. */
export class RoundsProfile {
  readonly #id: string;
  readonly #selfUs = new Map<string, number>();

  constructor(id: string) {
    this.#id = id;
  }

  /** Microseconds on top of the stack in all rounds, by function and place. */
  get selfUs(): ReadonlyMap<string, number> {
    return this.#selfUs;
  }

  async record<T>(work: () => T | Promise<T>): Promise<T> {
    const session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    const result = await work();
    const { profile } = await session.post("Profiler.stop");
    session.disconnect();
    for (const [place, us] of selfTimes(profile)) this.#selfUs.set(place, (this.#selfUs.get(place) ?? 0) + us);
    writeFileSync(new URL(`../../../${this.#id}.cpuprofile`, import.meta.url), JSON.stringify(profile));
    return result;
  }

  /** All rounds, the hottest places first. */
  toString(): string {
    return [`\n${this.#id}: the last round is in dist-bench/${this.#id}.cpuprofile`, ...hottest(this.#selfUs)].join(
      "\n",
    );
  }
}

/** Microseconds on top of the stack, by function and place. */
export function selfTimes({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Map<string, number> {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const times = new Map<string, number>();
  samples.forEach((id, index) => {
    const place = places.get(id) ?? "?";
    // What switches the profiler on and off, which on a large heap takes longer than a round.
    if (place === "dispatch") return;
    times.set(place, (times.get(place) ?? 0) + (timeDeltas[index] ?? 0));
  });
  return times;
}

/** The places that took the most, with their shares of the whole. */
export function hottest(selfUs: ReadonlyMap<string, number>, most = 30): string[] {
  const total = [...selfUs.values()].reduce((sum, us) => sum + us, 0);
  return [...selfUs]
    .sort(([, left], [, right]) => right - left)
    .slice(0, most)
    .map(([place, us]) => `${((us / total) * 100).toFixed(1).padStart(5)}%  ${place}`);
}

function placeOf({ functionName, url, lineNumber }: Profiler.Profile["nodes"][number]["callFrame"]): string {
  const name = functionName === "" ? "(anonymous)" : functionName;
  const file = url.replace(/^.*\/(dist-bench|node_modules)\//, "");
  return file === "" ? name : `${name}  ${file}:${lineNumber + 1}`;
}
