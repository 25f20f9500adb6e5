import type { Host } from "../kernel/host.ts";
import { Rejection } from "../kernel/rejection.ts";
import { answerHttp, type HttpAnswered, type HttpAsked, unplaced } from "../services/scheduler/http.ts";
import type { RegionName } from "../services/scheduler/ids.ts";
import { regionNamed, type SchedulerWorld, schedulerOf } from "../services/scheduler/state.ts";
import type { FetchHosts } from "./hosts.ts";
import { noteServed } from "./served.ts";

/**
 * The response of a region, at the present or at the moment that the request asks for; a promise when it waits for a change or for a
 * leader.
 */
export function schedulerResponse(
  hosts: FetchHosts,
  region: RegionName,
  asked: HttpAsked,
): Response | Promise<Response> {
  const place = asked.headers.get("X-Hindcast-At");
  const present = hosts.present();
  if (place === null) return responseOf(present, asked, answerHttp(present, region, asked, present));
  let past: Host<SchedulerWorld>;
  try {
    past = hosts.past(place);
    if (regionNamed(schedulerOf(past.state), region) === undefined) {
      throw new TypeError(`there was no region ${region} at ${place}`);
    }
  } catch (error) {
    if (!(error instanceof Rejection || error instanceof TypeError)) throw error;
    return responseOf(present, asked, unplaced(present, region, asked, error.message));
  }
  return responseOf(past, asked, answerHttp(past, region, asked, present));
}

function responseOf(
  host: Host<SchedulerWorld>,
  { method }: HttpAsked,
  answer: HttpAnswered | Promise<HttpAnswered>,
): Response | Promise<Response> {
  const made = ({ answered, headers, text, shown, operation, caller }: HttpAnswered): Response => {
    const { status, position, atMs, commit } = answered;
    const body = text === "" || method === "HEAD" ? null : new TextEncoder().encode(text);
    const response = new Response(body, { status, headers: { ...headers, "X-Hindcast-Position": `${position}` } });
    const committed = commit !== undefined;
    noteServed(response, { origin: host.origin, position, atMs, committed, operation, caller, answer: shown });
    return response;
  };
  return answer instanceof Promise ? answer.then(made) : made(answer);
}
