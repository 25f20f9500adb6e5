import type { HandlePlace } from "../../kernel/handle.ts";
import type { Host } from "../../kernel/host.ts";
import type { Plain } from "../../kernel/plain.ts";
import { isCut, lagMsBetween, type NetworkWorld } from "../network/state.ts";
import { COUNT_REQUEST, rulesMet } from "./requests.ts";
import type { RequestEffect, RequestSeen } from "./rules.ts";
import type { FaultsWorld } from "./state.ts";

// What a request meets on the line of its program, whichever door it comes by.

/** What of a world is on the way of requests. */
export interface LineWorld extends FaultsWorld, NetworkWorld {}

/** Whether nothing can happen to a request on its way: most worlds are such, and asking costs nothing. */
export function isClear({ faults, network }: LineWorld): boolean {
  return network === undefined && (faults?.rules === undefined || faults.rules.length === 0);
}

/** The line between a program and a place. */
export interface Line {
  /** What the journal says of a request that meets it cut: `cut: shop, east`. */
  readonly cut: string;
  readonly isCut: (world: LineWorld) => boolean;
  readonly lagMsThere: (world: LineWorld) => number;
  readonly lagMsBack: (world: LineWorld) => number;
}

type Asked = Pick<RequestSeen, "service" | "place">;

/** Who is at the ends of the line of a program to a place. A cluster is each of its nodes, and the service without places is itself. */
export function lineEnds(program: string, { service, place }: Asked): readonly [here: HandlePlace, there: HandlePlace] {
  const [outer] = Object.entries(place);
  return [{ program }, outer === undefined ? { service } : { [outer[0]]: outer[1] }];
}

/** The line of a program to a place of a service. */
export function lineOf(program: string, asked: Asked): Line {
  const [here, there] = lineEnds(program, asked);
  return {
    get cut() {
      return `cut: ${[here, there].flatMap((end) => Object.values(end)).join(", ")}`;
    },
    isCut: (world) => isCut(world, here, there),
    lagMsThere: (world) => lagMsBetween(world, here, there) ?? 0,
    lagMsBack: (world) => lagMsBetween(world, there, here) ?? 0,
  };
}

/** What a rule does to a request. */
export interface Fault {
  /** Which of all rules that were made it is, from 1 on. */
  readonly rule: number;
  readonly effect: RequestEffect;
}

/**
 * What the rules do to a request that sets out now. A rule with a count counts it, which is a fact.
 *
 * @param refuse is asked before anything is counted, and throws where the door cannot do that
 */
export function faultMet(
  host: Host<LineWorld>,
  seen: RequestSeen,
  refuse: (fault: Fault) => void = () => undefined,
): Fault | undefined {
  const met = rulesMet(host.state, host.nowMs, host.program, seen);
  if (met === undefined) return undefined;
  const { acting, counting } = met;
  const fault = acting && { rule: acting.id, effect: acting.rule.effect };
  if (fault !== undefined) {
    refuse(fault);
    const hits = hitsOf(host);
    hits.set(fault.rule, (hits.get(fault.rule) ?? 0) + 1);
  }
  if (counting.length > 0) {
    const input: Plain = { ...seen };
    host.execute({ name: COUNT_REQUEST, input, caller: null, via: "fault" }, () => undefined);
  }
  return fault;
}

/** How often each rule has acted in a world: beside the facts, as not every rule counts. */
const hits = new WeakMap<object, Map<number, number>>();

/** How often rules have acted on requests of a world, by what they are numbered. */
export function hitsOf({ turns }: Pick<Host<unknown>, "turns">): Map<number, number> {
  let own = hits.get(turns);
  if (own === undefined) {
    own = new Map();
    hits.set(turns, own);
  }
  return own;
}
