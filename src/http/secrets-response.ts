import type { Host } from "../kernel/host.ts";
import { Rejection } from "../kernel/rejection.ts";
import { finishedSoon } from "../services/secrets/finish.ts";
import { answerHttp, type HttpAnswered, type HttpAsked } from "../services/secrets/http.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import type { SecretsWorld } from "../services/secrets/state.ts";
import type { FetchHosts } from "./hosts.ts";
import { noteServed, type Served } from "./served.ts";

/**
 * The response of a cluster, at the present or at the moment that the request asks for; a promise when something is made of the
 * request first, or signed for the answer.
 */
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
  if (answer instanceof Promise) return answer.then((made) => responseOf(host, asked, made, notedBy));
  const { method, url } = asked;
  const { answered, operation, caller, nearest } = answer;
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
  const behind: Behind = {
    origin: host.origin,
    position,
    atMs: host.nowMs,
    committed: commit !== undefined,
    operation,
    caller: caller ?? null,
  };
  const send = (content: unknown): Response => sent(method, answered, content, behind);
  if (!answered.ok) return send(answered.raw ?? { errors: answered.errors });
  // What was decided is committed by now; what is still to be made is how it looks.
  const content = finishedSoon(answered);
  return content instanceof Promise ? content.then(send) : send(content);
}

type Behind = Omit<Served, "answer">;

function sent(method: string, answered: HttpAnswered["answered"], content: unknown, behind: Behind): Response {
  const { status } = answered;
  const headers = new Headers({ "Cache-Control": "no-store", "X-Hindcast-Position": `${behind.position}` });
  if (content !== undefined) headers.set("Content-Type", "application/json");
  for (const [name, value] of Object.entries(answered.headers ?? {})) headers.set(name, value);
  const isBodiless = content === undefined || method === "HEAD" || NULL_BODY.has(status);
  const response = new Response(isBodiless ? null : JSON.stringify(content), { status, headers });
  noteServed(response, { ...behind, answer: content });
  return response;
}
