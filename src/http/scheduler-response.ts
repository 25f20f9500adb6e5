import type { Host } from "../kernel/host.ts";
import { Rejection } from "../kernel/rejection.ts";
import type { WireAnswer } from "../services/kit/http.ts";
import { answerHttp, type HttpAnswered, type HttpAsked, unplaced } from "../services/scheduler/http.ts";
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
  if (place === null) return wireAnswerOf(present, asked, answerHttp(present, region, asked, present));
  let past: Host<SchedulerWorld>;
  try {
    past = hosts.past(place);
    if (regionNamed(schedulerOf(past.state), region) === undefined) {
      throw new TypeError(`there was no region ${region} at ${place}`);
    }
  } catch (error) {
    if (!(error instanceof Rejection || error instanceof TypeError)) throw error;
    return wireAnswerOf(present, asked, unplaced(present, region, asked, error.message));
  }
  return wireAnswerOf(past, asked, answerHttp(past, region, asked, present));
}

function wireAnswerOf(
  host: Host<SchedulerWorld>,
  { method }: HttpAsked,
  answer: HttpAnswered | Promise<HttpAnswered>,
): WireAnswer | Promise<WireAnswer> {
  const made = ({ answered, headers, text, shown, operation, caller }: HttpAnswered): WireAnswer => {
    const { status, position, atMs, commit } = answered;
    return {
      status,
      headers: { ...headers, "X-Hindcast-Position": `${position}` },
      body: text === "" || method === "HEAD" ? null : new TextEncoder().encode(text),
      served: {
        origin: host.origin,
        position,
        atMs,
        committed: commit !== undefined,
        operation,
        caller,
        answer: shown,
        rejection: answered.ok ? undefined : answered.refusal.code,
      },
    };
  };
  return answer instanceof Promise ? answer.then(made) : made(answer);
}
