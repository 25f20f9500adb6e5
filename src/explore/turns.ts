import { turn } from "../programs/machine.ts";

/**
 * Lets requests that come at one instant set out one after the other, in an order that a schedule chooses: programs that run at the same
 * time interleave in more ways than the one in which their timers were armed.
 */
export class Turns {
  readonly #choices: readonly number[];
  readonly #waiting: (() => void)[] = [];
  #entered = 0;
  #chosen = 0;
  #isReleasing = false;

  constructor(choices: readonly number[]) {
    this.#choices = choices;
  }

  /** Comes to whoever has the next turn. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#entered += 1;
      this.#waiting.push(resolve);
      if (!this.#isReleasing) void this.#release();
    });
  }

  async #release(): Promise<void> {
    this.#isReleasing = true;
    while (this.#waiting.length > 0) {
      // Whoever else asks at this instant is there after two turns: timers of one instant fire one turn apart.
      for (let entered = -1; entered !== this.#entered; ) {
        entered = this.#entered;
        await turn();
        await turn();
      }
      const count = this.#waiting.length;
      const choice = count === 1 ? 0 : (this.#choices[this.#chosen++] ?? 0) % count;
      this.#waiting.splice(choice, 1)[0]?.();
    }
    this.#isReleasing = false;
  }
}
