import type { Host } from "../kernel/host.ts";
import { bodySaid, type JournalRequest, type Noted } from "../kernel/journal.ts";
import { brokenConnection } from "../services/kit/connection.ts";
import type { HttpCome, WireAnswer } from "../services/kit/http.ts";

/** Notes a request in the journal, and its answer when that is there. */
export function noteRequest(
  host: Host<unknown>,
  asked: HttpCome,
  ask: (noted: Noted | undefined) => WireAnswer | Promise<WireAnswer>,
): WireAnswer | Promise<WireAnswer> {
  const noted = host.journal?.begin({
    program: host.program,
    trace: asked.headers.get("traceparent"),
    test: asked.headers.get("X-Hindcast-Test"),
    request: () => requestOf(asked),
  });
  if (noted === undefined) return ask(undefined);
  const answered = ({ status, headers, body, served }: WireAnswer): void => {
    const { position, operation, refused, nearest } = served;
    noted.answered({
      position,
      operation,
      refused,
      nearest,
      response: () => ({ status, headers: inLowerCase(Object.entries(headers)), ...bodySaid(body) }),
    });
  };
  const failed = (error: unknown): void => noted.failed(faultOf(asked, error));
  try {
    const answer = ask(noted);
    if (answer instanceof Promise) answer.then(answered, failed);
    else answered(answer);
    return answer;
  } catch (error) {
    failed(error);
    throw error;
  }
}

function requestOf({ method, url, headers, body }: HttpCome): JournalRequest {
  return { method, url: url.href, headers: inLowerCase(headers), ...bodySaid(body) };
}

function inLowerCase(headers: Iterable<readonly [string, string]>): { readonly [name: string]: string } {
  return Object.fromEntries([...headers].map(([name, value]) => [name.toLowerCase(), value]));
}

/** Why there is no answer, in a word. */
function faultOf({ signal }: HttpCome, error: unknown): string {
  if (signal?.aborted === true) return "aborted";
  return brokenConnection(error)?.code ?? "failed";
}
