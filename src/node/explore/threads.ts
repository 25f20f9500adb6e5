import Tinypool from "tinypool";
import type { RangeResult, RangeTask } from "../../explore/range.ts";
import { fileIn } from "../package-files.ts";

/** Threads that play ranges of a file. */
export class Threads {
  readonly #pool: Tinypool;
  readonly #file: string;

  constructor(file: string, count: number) {
    this.#file = file;
    this.#pool = new Tinypool({
      filename: fileIn("src/node", "explore-thread"),
      minThreads: count,
      maxThreads: count,
    });
  }

  play(task: RangeTask): Promise<RangeResult> {
    return this.#pool.run({ file: this.#file, task }, { name: "play" }) as Promise<RangeResult>;
  }

  /** Plays ranges side by side, and gives what came of them in their order. */
  readonly players = (tasks: readonly RangeTask[]): Iterable<Promise<RangeResult>> => {
    const results = tasks.map((task) => this.play(task));
    // Whoever takes the first ones may want no more of them.
    for (const result of results) result.catch(() => undefined);
    return results;
  };

  async end(): Promise<void> {
    this.#pool.cancelPendingTasks();
    await this.#pool.destroy();
  }
}
