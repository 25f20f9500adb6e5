import { type Difference, differences } from "./kernel/diff.ts";
import type { Rehearsal } from "./kernel/rehearse.ts";
import type { ReplayOptions } from "./simulator/log.ts";
import { simulatorsOf } from "./simulator/simulator-of.ts";
import type { Moments, Simulator } from "./simulator/types.ts";
import { type SimulatorOptions, worldModel } from "./simulator/world.ts";

const simulators = simulatorsOf(worldModel);

/**
 * Makes a simulator.
 *
 * @throws TypeError naming the option that is wrong
 * @example
 * const sim = createSimulator({ seed: 7, secrets: { clusters: ["east"] } });
 * const response = await sim.fetch(`${sim.secrets.cluster("east").url}/v1/ldap/library/ops/status`);
 */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  return simulators.create(options);
}

/**
 * Rebuilds a simulator from its log, by folding the facts alone: nothing is decided again, so a log outlives changed rules. Timers, marks
 * and later randomness go on as if nothing had happened.
 *
 * @param log the text of `sim.log.toNdjson()`, or its pieces, such as `sim.log.lines()` or a file's stream: then a promise
 * @param options `acceptPrefix`: of a log that is torn or damaged, take the commits before the fault
 * @throws LogError with the line and what is wrong with it
 * @example
 * const sim = replay(readFileSync("failure.ndjson", "utf8"));
 */
export function replay(log: string, options?: ReplayOptions): Simulator;
export function replay(log: AsyncIterable<string>, options?: ReplayOptions): Promise<Simulator>;
export function replay(
  log: string | AsyncIterable<string>,
  options: ReplayOptions = {},
): Simulator | Promise<Simulator> {
  return typeof log === "string" ? simulators.replay(log, options) : simulators.replayInPieces(log, options);
}

/**
 * Decides every command of a log again and compares the facts: tells whether today's rules still do what they did.
 *
 * @returns `{ ok: true }`, or the first divergence with the facts of both sides
 * @throws LogError for a log that is not whole
 * @example
 * expect(await rehearse(text)).toEqual({ ok: true });
 */
export async function rehearse(log: string | AsyncIterable<string>): Promise<Rehearsal> {
  return simulators.rehearse(log);
}

/** Where two simulators or views differ, such as a fork and its parent. */
export function diff(before: Moments, after: Moments): Difference[] {
  return differences(before.state, after.state);
}
