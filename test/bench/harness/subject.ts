import { type ChildProcess, fork } from "node:child_process";
import { totalmem } from "node:os";
import type { Answer, Ask } from "./messages.ts";

/** A process that measures rows: a heap and compiled code of its own, which no other row has touched. */
export class Subject {
  readonly #child: ChildProcess;
  #waiting: ((answer: Answer) => void) | undefined;
  #ended: Answer | undefined;

  /** @param program the bench's own program; with these arguments it becomes the worker */
  constructor(program: string, words: readonly string[]) {
    // Long histories need more than Node takes by default on a small machine; how often it collects stays the same.
    const megabytes = Math.floor((totalmem() * 0.7) / 2 ** 20);
    this.#child = fork(program, words, { execArgv: ["--expose-gc", `--max-old-space-size=${megabytes}`] });
    this.#child.on("message", (answer) => this.#settle(answer as Answer));
    this.#child.on("exit", (code, signal) => {
      this.#ended = { answer: "failed", why: `its process ended with ${signal ?? `code ${code}`}` };
      this.#settle(this.#ended);
    });
  }

  /** One question at a time. */
  ask(ask: Ask): Promise<Answer> {
    if (this.#ended !== undefined) return Promise.resolve(this.#ended);
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#child.send(ask);
    });
  }

  /** Lets the process go, and with it its memory. */
  end(): Promise<void> {
    if (this.#ended !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#child.once("exit", () => resolve());
      this.#child.disconnect();
    });
  }

  #settle(answer: Answer): void {
    this.#waiting?.(answer);
    this.#waiting = undefined;
  }
}
