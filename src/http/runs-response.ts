import type { Host } from "../kernel/host.ts";
import { Rejection } from "../kernel/rejection.ts";
import { answerHttp, type HttpAnswered, type HttpAsked, unplaced } from "../services/runs/http.ts";
import type { RunsWorld } from "../services/runs/world.ts";
import type { FetchHosts } from "./hosts.ts";
import type { WireAnswer } from "./wire-answer.ts";

/** The answer of the run service, at the present or at the moment that the request asks for. */
export function runsAnswer(hosts: FetchHosts, asked: HttpAsked): WireAnswer {
  const place = asked.headers.get("X-Hindcast-At");
  const present = hosts.present();
  if (place === null) return wireAnswerOf(present, asked, answerHttp(present, asked));
  let past: Host<RunsWorld>;
  try {
    past = hosts.past(place);
  } catch (error) {
    if (!(error instanceof Rejection || error instanceof TypeError)) throw error;
    return wireAnswerOf(present, asked, unplaced(present, asked, error.message));
  }
  return wireAnswerOf(past, asked, answerHttp(past, asked), present);
}

/** The answer of a host. Who looks back is noted in the present: the past keeps no journal. */
function wireAnswerOf(
  host: Host<RunsWorld>,
  { method, url }: HttpAsked,
  answer: HttpAnswered,
  notedBy = host,
): WireAnswer {
  const { status, headers, body: content, commit, operation, caller = null, rejection, nearest } = answer;
  const position = commit ?? host.position;
  notedBy.note({
    request: `${method} ${url.href}`,
    status,
    position,
    ...(rejection === undefined ? {} : { rejection }),
    ...(nearest === undefined ? {} : { nearest }),
  });
  const shown = content === undefined ? undefined : "json" in content ? content.json : content.text;
  const { origin, nowMs: atMs } = host;
  return {
    status,
    headers: { ...headers, "X-Hindcast-Position": `${position}` },
    body: bodyOf(method, content),
    served: { origin, position, atMs, committed: commit !== undefined, operation, caller, answer: shown, rejection },
  };
}

function bodyOf(method: string, content: HttpAnswered["body"]): string | null {
  if (content === undefined || method === "HEAD") return null;
  return "json" in content ? JSON.stringify(content.json) : content.text;
}
