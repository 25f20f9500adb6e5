import type { Calls, Opened, Question, Said } from "../protocol.ts";

type Answer<M extends keyof Calls> = Awaited<ReturnType<Calls[M]>>;

/** What waits for an answer. */
interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/** Asks the worker that holds the simulator. */
export class Client {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(worker: Worker, grown: (opened: Opened) => void) {
    this.#worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<Said>) => {
      if ("grown" in data) grown(data.grown);
      else this.#answered(data);
    });
    worker.addEventListener("error", ({ message }) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the simulator stopped: ${message}`));
      this.#waiting.clear();
    });
  }

  ask<M extends keyof Calls>(method: M, ...args: Parameters<Calls[M]>): Promise<Answer<M>> {
    this.#last += 1;
    const question = { id: this.#last, method, args } as Question;
    return new Promise<Answer<M>>((resolve, reject) => {
      this.#waiting.set(question.id, { resolve, reject });
      this.#worker.postMessage(question);
    });
  }

  #answered(said: Exclude<Said, { readonly grown: Opened }>): void {
    const waiting = this.#waiting.get(said.id);
    this.#waiting.delete(said.id);
    if ("error" in said) waiting?.reject(new Error(said.error));
    else waiting?.resolve(said.result as never);
  }
}

/** A worker that runs a script. */
export function workerOf(script: Uint8Array<ArrayBuffer>): Worker {
  return new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
}
