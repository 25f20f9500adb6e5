import { Worker } from "node:worker_threads";
import { fitted } from "./columns.ts";

/** Shows on the error stream that something takes its time. */
export interface Progress {
  /** Something begins, or goes on to its next part. */
  on: (what: string) => void;
  /** Nothing is under way any more; what was shown is gone. */
  off: () => void;
}

const QUIET: Progress = { on: () => undefined, off: () => undefined };

/** What takes less is not talked about. */
const PATIENCE_MS = 1_000;
const EVERY_MS = 250;

const TEXT_BYTES = 512;
/** The words of the shared memory: who may write, when it began (ms since the worker began), how long the text is, and whether it is shown. */
const LOCK = 0;
const TURN = 1;
const LENGTH = 2;
const SHOWN = 3;
const WORDS = 4;

/**
 * Progress for work that leaves the event loop no turn, such as a step of a scenario: a thread of its own looks at a clock and
 * writes. It is there on a terminal only: a pipe would keep what is meant to pass.
 */
export function progressOfWork(): Progress {
  const { stderr } = process;
  if (!stderr.isTTY) return QUIET;
  const memory = new SharedArrayBuffer(4 * WORDS + TEXT_BYTES);
  const words = new Int32Array(memory, 0, WORDS);
  const bytes = new Uint8Array(memory, 4 * WORDS);
  const worker = new Worker(WATCH, { eval: true, workerData: { memory, PATIENCE_MS, EVERY_MS, fd: stderr.fd } });
  worker.unref();
  const locked = (work: () => void): void => {
    while (Atomics.compareExchange(words, LOCK, 0, 1) !== 0) Atomics.wait(words, LOCK, 1, 5);
    work();
    if (Atomics.exchange(words, SHOWN, 0) === 1) stderr.write(CLEAR);
    Atomics.store(words, LOCK, 0);
    Atomics.notify(words, LOCK);
  };
  return {
    on: (what) =>
      locked(() => {
        const text = Buffer.from(fitted(what, Math.max(10, (stderr.columns || 80) - 12)), "utf8").subarray(
          0,
          TEXT_BYTES,
        );
        bytes.set(text);
        words[LENGTH] = text.length;
        Atomics.add(words, TURN, 1);
      }),
    off: () =>
      locked(() => {
        words[LENGTH] = 0;
      }),
  };
}

const CLEAR = "\r\u001b[K";

/** The thread's program: as text, so that it needs no file of its own. */
const WATCH = `
const { workerData: { memory, PATIENCE_MS, EVERY_MS, fd } } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const words = new Int32Array(memory, 0, ${WORDS});
const bytes = new Uint8Array(memory, ${4 * WORDS});
let turn = 0;
let began = Date.now();
setInterval(() => {
  if (words[${TURN}] !== turn) {
    turn = words[${TURN}];
    began = Date.now();
  }
  const took = Date.now() - began;
  if (words[${LENGTH}] === 0 || took < PATIENCE_MS) return;
  while (Atomics.compareExchange(words, ${LOCK}, 0, 1) !== 0) Atomics.wait(words, ${LOCK}, 1, 5);
  if (words[${LENGTH}] > 0 && words[${TURN}] === turn) {
    const text = Buffer.from(bytes.slice(0, words[${LENGTH}])).toString("utf8");
    try { writeSync(fd, "\\r\\u001b[K" + text + ", " + Math.floor(took / 1000) + " s"); } catch {}
    words[${SHOWN}] = 1;
  }
  Atomics.store(words, ${LOCK}, 0);
  Atomics.notify(words, ${LOCK});
}, EVERY_MS);
`;

/** Progress for work that comes in pieces and knows its size: how much of it is done. */
export class ProgressOfPieces {
  readonly #what: string;
  readonly #total: number;
  readonly #beganMs = performance.now();
  #shownAtMs = Number.NEGATIVE_INFINITY;
  #isShown = false;

  constructor(what: string, total: number) {
    this.#what = what;
    this.#total = total;
  }

  done(amount: number): void {
    const { stderr } = process;
    const nowMs = performance.now();
    if (!stderr.isTTY || nowMs - this.#beganMs < PATIENCE_MS || nowMs - this.#shownAtMs < EVERY_MS) return;
    const percent = this.#total === 0 ? 100 : Math.min(100, Math.floor((100 * amount) / this.#total));
    stderr.write(`${CLEAR}${fitted(`${this.#what}, ${percent} %`, (stderr.columns || 80) - 1)}`);
    this.#shownAtMs = nowMs;
    this.#isShown = true;
  }

  end(): void {
    if (this.#isShown) process.stderr.write(CLEAR);
    this.#isShown = false;
  }
}
