import { pause, realNowMs, turn, workUnderWay } from "./machine.ts";

/** What is looked at to know whether anybody has a turn left. */
export interface Watched {
  /** How many requests and calls have come in. */
  readonly asked: () => number;
  /** What answers and programs wait for in real time, in words. */
  readonly held: () => readonly string[];
}

/** How patient a wait is. */
export interface Patience {
  /** Turns of the event loop without a request, one after another, after which nobody has one left. */
  readonly quietTurns: number;
  /** The wait ends with an error after so much real time. */
  readonly limitMs: number;
  /** Is told once what is waited for, when that takes longer than a second. */
  readonly onLong: (waits: string) => void;
}

/** A wait that takes longer is told. */
const LONG_MS = 1_000;

/** A file that has been read is closed by a request of its own, and whoever read it goes on some turns after. */
const TURNS_AFTER_WORK = 3;

/** After so many turns the processor is left to others in between. */
const QUICK_TURNS = 50;

/**
 * Gives the event loop turns until nobody has one left: whoever waits for a promise or an immediate, for an answer of ours, for what
 * `sim.busy` holds, or, in Node, for a read of a file or a look-up of this process.
 */
export async function untilQuiet({ asked, held }: Watched, { quietTurns, limitMs, onLong }: Patience): Promise<void> {
  const beganMs = realNowMs();
  let isTold = false;
  let needed = quietTurns;
  for (let quiet = 0, turns = 0; quiet < needed; turns++) {
    const before = asked();
    await (turns < QUICK_TURNS ? turn() : pause(1));
    const waits = [...held(), ...workUnderWay()];
    if (waits.length > 0) needed = quietTurns + TURNS_AFTER_WORK;
    const isAsked = asked() !== before;
    quiet = isAsked || waits.length > 0 ? 0 : quiet + 1;
    const tookMs = realNowMs() - beganMs;
    if (quiet > 0 || tookMs <= LONG_MS) continue;
    const what = [...new Set(waits), ...(isAsked ? ["one request after another"] : [])].join(", ");
    if (!isTold) onLong(what);
    isTold = true;
    if (tookMs > limitMs)
      throw new Error(`run: it has waited for ${limitMs} ms of real time, and still waits for ${what}`);
  }
}
