import { type HttpHandler, HttpResponse, http } from "msw";
import { NO_BODY } from "../../http/asked.ts";
import { isOurs, wireAnswer } from "../../http/fetch.ts";
import type { FetchHosts } from "../../http/hosts.ts";
import { responseOf } from "../../http/wire-answer.ts";
import { brokenConnection } from "../../services/kit/connection.ts";
import { type HttpCome, headersSent } from "../../services/kit/http.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type { Program } from "../../simulator/programs.ts";
import type { Simulator } from "../../simulator/types.ts";
import type { World } from "../../simulator/world.ts";

/**
 * Request handlers for msw's `setupServer` and `setupWorker`: they answer at every origin of a simulator, with any method, and leave all other
 * origins to your other handlers and to `onUnhandledRequest`. Clusters and regions that are added later are answered for, too. A cluster that
 * is stopped is a network error, and so is whatever else breaks a connection: msw has one kind.
 *
 * @param sim whose requests they are: a simulator's author, or one of its programs
 *
 * Of two simulators with the same origins the one whose handlers come first answers, which is the one that was last given to `server.use`;
 * tests that run at once keep theirs to themselves with `server.boundary`.
 *
 * @throws TypeError for what is no simulator
 * @example
 * const server = setupServer(...simHandlers(sim));
 * server.listen({ onUnhandledRequest: "error" });
 */
export function simHandlers(sim: Simulator | Program): HttpHandler[] {
  const hosts = LiveSimulator.hostsOf(sim);
  return [
    // A predicate, not a resolver that gives nothing: msw takes a request for handled whose resolver was asked.
    http.all(
      ({ request }) => isOurs(hosts, new URL(request.url).origin),
      ({ request }) => answered(hosts, request),
    ),
  ];
}

async function answered(hosts: FetchHosts<World>, request: Request): Promise<Response> {
  try {
    const answer = await wireAnswer(hosts, await askedOf(request));
    const { why: _, ...sent } = answer;
    // msw copies the headers of a response where nobody sees it read them.
    return responseOf({ ...sent, headers: headersSent(answer) });
  } catch (error) {
    // Whoever has given up has been told so by msw, which would write any error that is thrown here on the console.
    if (request.signal.aborted || brokenConnection(error) !== undefined) return HttpResponse.error();
    throw error;
  }
}

/** Redirects are followed by whoever asked. */
async function askedOf(request: Request): Promise<HttpCome> {
  const { method, headers, signal } = request;
  const body = request.body === null ? NO_BODY : new Uint8Array(await request.arrayBuffer());
  return { method, url: new URL(request.url), headers, body, signal };
}
