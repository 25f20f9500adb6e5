import type { Host } from "../kernel/host.ts";
import { Rejection } from "../kernel/rejection.ts";
import { answerHttp, type HttpAnswered, type HttpAsked } from "../services/secrets/http.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import type { SecretsWorld } from "../services/secrets/state.ts";
import type { FetchHosts } from "./hosts.ts";

/** The position of the log at which a request was served. */
export const POSITION_HEADER = "X-Hindcast-Position";
/** Asks for a read as of a place in history. */
export const AT_HEADER = "x-hindcast-at";

/** The response of a cluster, at the present or at the moment that the request asks for. */
export function secretsResponse(hosts: FetchHosts, cluster: ClusterName, asked: HttpAsked): Response {
  const place = asked.headers.get(AT_HEADER);
  const present = hosts.present();
  if (place === null) return responseOf(present, asked, answerHttp(present, cluster, asked));
  let past: Host<SecretsWorld>;
  try {
    past = hosts.past(place);
  } catch (error) {
    if (!(error instanceof Rejection || error instanceof TypeError)) throw error;
    present.serve();
    return responseOf(present, asked, { ok: false, status: 400, errors: [`X-Hindcast-At: ${error.message}`] });
  }
  return responseOf(past, asked, answerHttp(past, cluster, asked));
}

function responseOf(host: Host<SecretsWorld>, { method, url }: HttpAsked, answer: HttpAnswered): Response {
  host.note({
    request: `${method} ${url.href}`,
    status: answer.status,
    ...(answer.ok || answer.refusal === undefined ? {} : { rejection: answer.refusal.code }),
    ...(answer.ok || answer.nearest === undefined ? {} : { nearest: answer.nearest }),
  });
  const content = answer.ok ? answer.body : { errors: answer.errors };
  const headers: Record<string, string> = { "Cache-Control": "no-store", [POSITION_HEADER]: `${host.position}` };
  if (content === undefined) return new Response(null, { status: answer.status, headers });
  headers["Content-Type"] = "application/json";
  return new Response(JSON.stringify(content), { status: answer.status, headers });
}
