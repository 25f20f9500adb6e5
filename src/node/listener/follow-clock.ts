import { LeadingSource, type Led, readFactor } from "../../programs/leading-source.ts";
import { realTime } from "../../programs/machine.ts";
import { lead, refuseLed } from "../../simulator/clock.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type { Simulator } from "../../simulator/types.ts";

/** Options of `followClock`. */
export interface FollowClockOptions {
  /** Virtual seconds in a real one. Default 1. */
  readonly factor?: number;
}

/** Lets real time lead a simulator; gives what ends it. */
export type Follow = (sim: Simulator) => () => void;

/**
 * What lets real time lead simulators, so many times as fast. Deadlines fire when they are due, whether anybody waits or not: a log that is
 * kept while it goes on has them then. Others may move the clock, too, which adds to what real time says.
 *
 * @throws TypeError for a factor that is none
 */
export function followRealTime({ factor: given }: FollowClockOptions, held: Pick<Led, "isHeld" | "onError">): Follow {
  const factor = readFactor("followClock", given);
  // No process goes on for it.
  const setTimeout = (callback: () => void, ms: number) =>
    (realTime.setTimeout(callback, ms) as NodeJS.Timeout).unref();
  return (sim) => {
    const { host, led } = LiveSimulator.insideOf(sim);
    refuseLed(host, "followClock");
    return lead(
      host,
      new LeadingSource({ ...led, isWaitedFor: () => true, ...held }, { ...realTime, setTimeout }, factor),
    );
  };
}
