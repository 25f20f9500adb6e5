import type { Host } from "../kernel/host.ts";
import { Rejection } from "../kernel/rejection.ts";
import type { HttpAsked, WireAnswer } from "../services/kit/http.ts";
import { answerHttp, unplaced } from "../services/scheduler/http.ts";
import type { RegionName } from "../services/scheduler/ids.ts";
import { regionNamed, type SchedulerWorld, schedulerOf } from "../services/scheduler/state.ts";
import type { FetchHosts } from "./hosts.ts";

/**
 * The answer of a region, at the present or at the moment that the request asks for; a promise when it waits for a change or for a
 * leader.
 */
export function schedulerAnswer(
  hosts: FetchHosts,
  region: RegionName,
  asked: HttpAsked,
): WireAnswer | Promise<WireAnswer> {
  const place = asked.headers.get("X-Hindcast-At");
  const present = hosts.present();
  if (place === null) return answerHttp(present, region, asked, present);
  let past: Host<SchedulerWorld>;
  try {
    past = hosts.past(place);
    if (regionNamed(schedulerOf(past.state), region) === undefined) {
      throw new TypeError(`there was no region ${region} at ${place}`);
    }
  } catch (error) {
    if (!(error instanceof Rejection || error instanceof TypeError)) throw error;
    return unplaced(present, region, asked, error.message);
  }
  return answerHttp(past, region, asked, present);
}
