import type { Host } from "../kernel/host.ts";
import { Rejection } from "../kernel/rejection.ts";
import { answerHttp, type HttpAnswered, type HttpAsked } from "../services/secrets/http.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import type { SecretsWorld } from "../services/secrets/state.ts";
import type { FetchHosts } from "./hosts.ts";
import type { WireAnswer } from "./wire-answer.ts";

/** The answer of a cluster, at the present or at the moment that the request asks for. */
export function secretsAnswer(hosts: FetchHosts, cluster: ClusterName, asked: HttpAsked): WireAnswer {
  const place = asked.headers.get("X-Hindcast-At");
  const present = hosts.present();
  if (place === null) return wireAnswerOf(present, asked, answerHttp(present, cluster, asked));
  let past: Host<SecretsWorld>;
  try {
    past = hosts.past(place);
  } catch (error) {
    if (!(error instanceof Rejection || error instanceof TypeError)) throw error;
    present.serve();
    const errors = [`X-Hindcast-At: ${error.message}`];
    return wireAnswerOf(present, asked, { answered: { ok: false, status: 400, errors } });
  }
  return wireAnswerOf(past, asked, answerHttp(past, cluster, asked), present);
}

/** A health query may ask for a status that has no body. */
const NULL_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The answer of a host. Who looks back is noted in the present: the past keeps no journal. */
function wireAnswerOf(
  host: Host<SecretsWorld>,
  { method, url }: HttpAsked,
  { answered, operation, caller, nearest }: HttpAnswered,
  notedBy = host,
): WireAnswer {
  const { status, commit } = answered;
  const position = commit ?? host.position;
  const rejection = answered.ok ? undefined : answered.refusal?.code;
  notedBy.note({
    request: `${method} ${url.href}`,
    status,
    position,
    ...(rejection === undefined ? {} : { rejection }),
    ...(nearest === undefined ? {} : { nearest }),
  });
  const content = answered.ok ? answered.body : { errors: answered.errors };
  const headers: Record<string, string> = { "Cache-Control": "no-store", "X-Hindcast-Position": `${position}` };
  if (content !== undefined) headers["Content-Type"] = "application/json";
  const isBodiless = content === undefined || method === "HEAD" || NULL_BODY.has(status);
  const body = isBodiless ? null : JSON.stringify(content);
  const { origin, nowMs: atMs } = host;
  const committed = commit !== undefined;
  return {
    status,
    headers,
    body,
    served: { origin, position, atMs, committed, operation, caller: caller ?? null, answer: content },
  };
}
