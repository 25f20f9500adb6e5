import type { Host } from "../kernel/host.ts";
import { Rejection } from "../kernel/rejection.ts";
import { wordsOf } from "../languages/vocabulary/worded.ts";
import { finishedSoon } from "../services/secrets/finish.ts";
import { answerHttp, type HttpAnswered } from "../services/secrets/http.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import type { HttpAsked } from "../services/secrets/read-request.ts";
import type { SecretsWorld } from "../services/secrets/state.ts";
import { speechOf, spokenBody, spokenHeadersOf } from "../services/secrets/words/spoken.ts";
import type { FetchHosts } from "./hosts.ts";
import type { WireAnswer } from "./wire-answer.ts";

/**
 * The answer of a cluster, at the present or at the moment that the request asks for; a promise when something is made of the request
 * first, or signed for the answer.
 */
export function secretsAnswer(
  hosts: FetchHosts,
  cluster: ClusterName,
  asked: HttpAsked,
): WireAnswer | Promise<WireAnswer> {
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
  asked: HttpAsked,
  answer: HttpAnswered | Promise<HttpAnswered>,
  notedBy = host,
): WireAnswer | Promise<WireAnswer> {
  if (answer instanceof Promise) return answer.then((made) => wireAnswerOf(host, asked, made, notedBy));
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
  const { origin, nowMs: atMs } = host;
  const committed = commit !== undefined;
  const words = wordsOf(host.state)?.secrets;
  const speech = words === undefined ? undefined : speechOf(words, host.state, answer);
  const made = (content: unknown): WireAnswer => {
    // An answer without a body has a content type all the same (decisions-oidc.md, 1 "Headers").
    const headers = {
      "Cache-Control": "no-store",
      "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
      "X-Hindcast-Position": `${position}`,
      "Content-Type": "application/json",
      ...answered.headers,
    };
    const isBodiless = content === undefined || method === "HEAD" || NULL_BODY.has(status);
    return {
      status,
      headers: words === undefined ? headers : spokenHeadersOf(words, headers),
      body: isBodiless
        ? null
        : JSON.stringify(words === undefined ? content : spokenBody(words, speech, answer, content)),
      served: { origin, position, atMs, committed, operation, caller: caller ?? null, answer: content, rejection },
    };
  };
  if (!answered.ok) return made(answered.raw ?? { errors: answered.errors });
  // What was decided is committed by now; what is still to be made is how it looks.
  const content = finishedSoon(answered, words, speech);
  return content instanceof Promise ? content.then(made) : made(content);
}
