import type { Host } from "../kernel/host.ts";
import { Rejection } from "../kernel/rejection.ts";
import type { HttpAsked, WireAnswer } from "../services/kit/http.ts";
import { answerHttp, unplaced } from "../services/runs/http.ts";
import type { RunsWorld } from "../services/runs/state.ts";
import type { FetchHosts } from "./hosts.ts";

/** The answer of the run service, at the present or at the moment that the request asks for. */
export function runsAnswer(hosts: FetchHosts, asked: HttpAsked): WireAnswer {
  const place = asked.headers.get("X-Hindcast-At");
  const present = hosts.present();
  if (place === null) return answerHttp(present, asked, present);
  let past: Host<RunsWorld>;
  try {
    past = hosts.past(place);
  } catch (error) {
    if (!(error instanceof Rejection || error instanceof TypeError)) throw error;
    return unplaced(present, asked, error.message);
  }
  return answerHttp(past, asked, present);
}
