import type { Host } from "../kernel/host.ts";
import { Rejection } from "../kernel/rejection.ts";
import type { HttpAsked, WireAnswer } from "../services/kit/http.ts";
import { answerHttp, type SecretsPlace, unplaced } from "../services/secrets/http.ts";
import type { SecretsWorld } from "../services/secrets/state.ts";
import type { FetchHosts } from "./hosts.ts";

/** The answer of a cluster, at the present or at the moment that the request asks for. */
export function secretsAnswer(
  hosts: FetchHosts,
  cluster: SecretsPlace,
  asked: HttpAsked,
): WireAnswer | Promise<WireAnswer> {
  const place = asked.headers.get("X-Hindcast-At");
  const present = hosts.present();
  if (place === null) return answerHttp(present, cluster, asked, present);
  let past: Host<SecretsWorld>;
  try {
    past = hosts.past(place);
  } catch (error) {
    if (!(error instanceof Rejection || error instanceof TypeError)) throw error;
    return unplaced(present, cluster, asked, error.message);
  }
  return answerHttp(past, cluster, asked, present);
}
