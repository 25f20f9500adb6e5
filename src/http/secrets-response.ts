import type { Host } from "../kernel/host.ts";
import { Rejection } from "../kernel/rejection.ts";
import { answerHttp, type HttpAnswered, type HttpAsked } from "../services/secrets/http.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import type { SecretsWorld } from "../services/secrets/state.ts";
import type { FetchHosts } from "./hosts.ts";
import { noteServed } from "./served.ts";

/** The response of a cluster, at the present or at the moment that the request asks for. */
export function secretsResponse(
  hosts: FetchHosts,
  cluster: ClusterName,
  asked: HttpAsked,
): Response | Promise<Response> {
  const place = asked.headers.get("X-Hindcast-At");
  const present = hosts.present();
  if (place === null) return responseOf(present, asked, answerHttp(present, cluster, asked));
  let past: Host<SecretsWorld>;
  try {
    past = hosts.past(place);
  } catch (error) {
    if (!(error instanceof Rejection || error instanceof TypeError)) throw error;
    present.serve();
    const errors = [`X-Hindcast-At: ${error.message}`];
    return responseOf(present, asked, { answered: { ok: false, status: 400, errors } });
  }
  return responseOf(past, asked, answerHttp(past, cluster, asked), present);
}

/** A health query may ask for a status that has no body. */
const NULL_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The response of a host. Who looks back is noted in the present: the past keeps no journal. */
function responseOf(
  host: Host<SecretsWorld>,
  asked: HttpAsked,
  answer: HttpAnswered | Promise<HttpAnswered>,
  notedBy = host,
): Response | Promise<Response> {
  return answer instanceof Promise
    ? answer.then((made) => madeResponse(host, asked, made, notedBy))
    : madeResponse(host, asked, answer, notedBy);
}

function madeResponse(
  host: Host<SecretsWorld>,
  { method, url }: HttpAsked,
  { answered, operation, caller, nearest }: HttpAnswered,
  notedBy: Host<SecretsWorld>,
): Response | Promise<Response> {
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
  const served: Served = {
    origin: host.origin,
    position,
    atMs: host.nowMs,
    committed: commit !== undefined,
    operation,
    caller: caller ?? null,
    answer: content,
  };
  if (!(content instanceof Promise)) return writtenResponse(method, status, served);
  return content.then((answer: unknown) => writtenResponse(method, status, { ...served, answer }));
}

/** What is noted of an answer, for whoever explains it. */
type Served = Parameters<typeof noteServed>[1];

function writtenResponse(method: string, status: number, served: Served): Response {
  const { answer: content, position } = served;
  const headers: Record<string, string> = { "Cache-Control": "no-store", "X-Hindcast-Position": `${position}` };
  if (content !== undefined) headers["Content-Type"] = "application/json";
  const isBodiless = content === undefined || method === "HEAD" || NULL_BODY.has(status);
  const body = isBodiless ? null : JSON.stringify(content);
  const response = new Response(body, { status, headers });
  noteServed(response, served);
  return response;
}
