import type { EpochMs, LogPosition } from "../kernel/brand.ts";
import { copyPlain } from "../kernel/plain.ts";
import { LiveSimulator } from "../simulator/live-simulator.ts";
import type { Simulator } from "../simulator/types.ts";
import { createSimulator } from "../simulator.ts";
import type { Cast, Scenario, Step } from "./define.ts";
import { whyText } from "./why.ts";

/** What came of a step. */
export interface StepReport {
  readonly title: string;
  readonly ok: boolean;
  /** Where the log stood after the step. */
  readonly position: LogPosition;
  /** Virtual time after the step. */
  readonly atMs: EpochMs;
  /** What `expect` asserted, in words. */
  readonly expectation?: string;
  /** What `does` or `expect` threw. */
  readonly error?: unknown;
  /** Beside an error, as text: what the step changed, and how its last commit came about. */
  readonly why?: string;
}

/** What came of a scenario: its steps up to the first that failed, and the simulator as it was then. */
export interface ScenarioReport<C extends Cast = Cast> {
  readonly ok: boolean;
  readonly steps: readonly StepReport[];
  readonly sim: Simulator;
  readonly cast: C;
}

export interface RunOptions<C extends Cast> {
  /** In place of the scenario's own seed. A world that is made by a function has the seed that it has. */
  readonly seed?: number | string;
  /** Called after each step. A promise is waited for. */
  readonly onStep?: (step: StepReport, sim: Simulator, cast: C) => unknown;
}

/**
 * Runs a scenario. A step fails when it throws, or when its expectation does; the story ends there.
 *
 * @example
 * const { ok, steps, sim } = await runScenario(libraryLoan, { seed: 3 });
 * if (!ok) console.log(steps.at(-1)?.error, steps.at(-1)?.why);
 */
export async function runScenario<C extends Cast>(
  scenario: Scenario<C>,
  options: RunOptions<C> = {},
): Promise<ScenarioReport<C>> {
  const { sim, cast } = await beginScenario(scenario, options.seed);
  const steps: StepReport[] = [];
  for (const step of scenario.steps) {
    const report = await playStep(step, sim, cast);
    steps.push(report);
    await options.onStep?.(report, sim, cast);
    if (!report.ok) break;
  }
  return { ok: steps.every(({ ok }) => ok), steps, sim, cast };
}

/**
 * Makes the world of a scenario and its actors; no step has been taken yet.
 *
 * @throws TypeError for a seed where the world is made by a function
 */
export async function beginScenario<C extends Cast>(
  scenario: Scenario<C>,
  seed?: number | string,
): Promise<{ readonly sim: Simulator; readonly cast: C }> {
  const sim = await worldOf(scenario, seed);
  return { sim, cast: copyPlain(scenario.cast(sim), `${scenario.name}: cast`) as C };
}

async function worldOf<C extends Cast>({ name, world }: Scenario<C>, seed?: number | string): Promise<Simulator> {
  if (typeof world !== "function") return createSimulator(seed === undefined ? world : { ...world, seed });
  if (seed === undefined) return await world();
  throw new TypeError(`${name}: seed is ${JSON.stringify(seed)}, and a world that is made by a function has its own`);
}

/** Takes one step of a scenario. */
export async function playStep<C extends Cast>(step: Step<C>, sim: Simulator, cast: C): Promise<StepReport> {
  const from = sim.position;
  let fork: Simulator | undefined;
  LiveSimulator.insideOf(sim).host.journal.add({ kind: "step", title: step.title });
  const failure = await failureOf(async () => {
    await step.does?.(sim, cast);
    if (step.expect === undefined) return;
    fork = sim.fork();
    await step.expect(fork, cast);
  });
  return Object.freeze({
    title: step.title,
    ok: failure === undefined,
    position: sim.position,
    atMs: sim.clock.now(),
    ...(step.expectation === undefined ? {} : { expectation: step.expectation }),
    ...(failure === undefined ? {} : { error: failure.error, why: whyText({ sim, from, fork }) }),
  });
}

async function failureOf(work: () => Promise<void>): Promise<{ readonly error: unknown } | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return { error };
  }
}
