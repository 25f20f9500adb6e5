import { worldModel } from "./simulator/services.ts";
import { simulatorsOf } from "./simulator/simulator-of.ts";
import type { Simulator } from "./simulator/types.ts";
import type { SimulatorOptions } from "./simulator/world.ts";

const simulators = simulatorsOf(worldModel);

/**
 * Makes a simulator.
 *
 * @throws TypeError naming the option that is wrong
 * @example
 * const sim = createSimulator({ seed: 7, secrets: { clusters: ["east"] } });
 * const response = await sim.fetch(`${sim.secrets.cluster("east").url}/v1/ldap/library/ops/status`);
 */
export const createSimulator: (options?: SimulatorOptions) => Simulator = simulators.create;

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
export const replay = simulators.replay;

/**
 * Decides every command of a log again and compares the facts: tells whether today's rules still do what they did.
 *
 * @returns `{ ok: true }`, or the first divergence with the facts of both sides
 * @throws LogError for a log that is not whole
 * @example
 * expect(await rehearse(text)).toEqual({ ok: true });
 */
export const rehearse = simulators.rehearse;
