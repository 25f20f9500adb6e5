import type { Cast, Scenario } from "../../scenario/define.ts";
import { messageOf } from "../../scenario/message.ts";
import { beginScenario } from "../../scenario/run.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type { Simulator } from "../../simulator/types.ts";
import { CommandError, EXIT } from "../exit.ts";
import { writeLog } from "../logs/write-log.ts";
import type { Found } from "../scenarios/found.ts";
import type { Progress } from "../terminal/progress.ts";
import { quotedWord } from "../terminal/quoted.ts";

/** What is to be played. */
export interface Play {
  readonly found: Found;
  /** In place of the scenario's own. */
  readonly seed: number | string | undefined;
  /** What the scenario was called by. */
  readonly word: string;
  /** The file that keeps the log. */
  readonly log: string | undefined;
}

/** The world and the actors. @throws CommandError when a scenario cannot even begin */
export async function begin(
  { found: { scenario }, seed }: Play,
  progress: Progress,
): Promise<{ readonly sim: Simulator; readonly cast: Cast }> {
  progress.on("the actors get ready");
  try {
    return await beginScenario(scenario, seed);
  } catch (error) {
    throw new CommandError(EXIT.failed, `${scenario.name} cannot begin: ${messageOf(error)}`);
  } finally {
    progress.off();
  }
}

/** What is under way while a step is taken. */
export function stepText(index: number, { steps }: Scenario): string {
  return `step ${index + 1} of ${steps.length}: ${steps[index]?.title}`;
}

/** The lines that play it again, and that look at where it ended. */
export function replaysOf({ found, word, log }: Play, sim: Simulator): string[] {
  const seed = typeof found.scenario.world === "function" ? "" : ` --seed ${quotedWord(`${seedOf(sim)}`)}`;
  const again = `again:  npx hindcast run ${quotedWord(word)}${seed}`;
  return log === undefined ? [again] : [again, `look:   npx hindcast replay ${quotedWord(log)} --at ${sim.position}`];
}

/** The seed of the world that is played in. */
export function seedOf(sim: Simulator): number | string {
  return LiveSimulator.insideOf(sim).settings.seed;
}

/** Keeps the log so far, where it is to be kept. */
export async function kept({ log }: Play, sim: Simulator, progress: Progress): Promise<void> {
  if (log === undefined) return;
  progress.on(`writing ${log}`);
  await writeLog(log, sim).finally(progress.off);
}
