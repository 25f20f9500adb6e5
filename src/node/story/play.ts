import type { Cast } from "../../scenario/define.ts";
import { messageOf } from "../../scenario/message.ts";
import { beginScenario } from "../../scenario/run.ts";
import type { Simulator } from "../../simulator/types.ts";
import { CommandError, EXIT } from "../exit.ts";
import { writeLog } from "../logs/write-log.ts";
import type { Found } from "../scenarios/found.ts";

/** What is to be played. */
export interface Play {
  readonly found: Found;
  readonly seed: number | string;
  /** What the scenario was called by. */
  readonly word: string;
  /** The file that keeps the log. */
  readonly log: string | undefined;
}

/** The world and the actors. @throws CommandError when a scenario cannot even begin */
export function begin({ found: { scenario }, seed }: Play): { readonly sim: Simulator; readonly cast: Cast } {
  try {
    return beginScenario(scenario, seed);
  } catch (error) {
    throw new CommandError(EXIT.failed, `${scenario.name} cannot begin: ${messageOf(error)}`);
  }
}

/** The lines that play it again, and that look at where it ended. */
export function replaysOf({ word, seed, log }: Play, { position }: Simulator): string[] {
  const again = `again:  npx hindcast run ${quoted(word)} --seed ${quoted(`${seed}`)}`;
  return log === undefined ? [again] : [again, `look:   npx hindcast replay ${quoted(log)} --at ${position}`];
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w./:@#-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Keeps the log so far, where it is to be kept. */
export async function kept({ log }: Play, sim: Simulator): Promise<void> {
  if (log !== undefined) await writeLog(log, sim);
}
