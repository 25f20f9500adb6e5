import type { HandlePlace } from "../kernel/handle.ts";
import type { Host } from "../kernel/host.ts";
import { Rejection } from "../kernel/rejection.ts";
import { connectionRefused } from "../services/kit/connection.ts";
import { withWhy } from "../services/kit/explained.ts";
import type { HttpAsked, HttpCome, UrlRead, WireAnswer } from "../services/kit/http.ts";
import type { ServiceModule } from "../services/kit/module.ts";
import { isClear, type LineWorld } from "../surroundings/faults/line.ts";
import { type Asked, fullyAsked, plainlyAsked } from "./asked.ts";
import type { FetchHosts } from "./hosts.ts";
import { alongLine, inItsTurn, isObserved } from "./line.ts";
import { noteRequest } from "./noted.ts";
import { redirected, redirectOf } from "./redirect.ts";
import { responseOf } from "./wire-answer.ts";

/** The signature of `fetch`. */
export type Fetch = (input: string | URL | globalThis.Request, init?: RequestInit) => Promise<Response>;

const MAX_REDIRECTS = 20;

/**
 * A `fetch` that answers from the simulated services. It has the manners of the real one: any method, redirects followed
 * among our own origins unless told otherwise, abort signals honoured, `TypeError` for what cannot be reached.
 *
 * A request without a body is answered before its promise is returned.
 */
export function simulatedFetch<W extends LineWorld>(hosts: FetchHosts<W>): Fetch {
  return async (input, init) => {
    let asked = plainlyAsked(input, init) ?? fullyAsked(input, init);
    if (asked instanceof Promise) asked = await hosts.present().hold("the body of a request", asked);
    for (let redirects = 0; ; redirects++) {
      const answer = wireAnswer(hosts, asked);
      const response = responseOf(answer instanceof Promise ? await answer : answer);
      Object.defineProperties(response, { url: { value: asked.url.href }, redirected: { value: redirects > 0 } });
      const location = redirectOf(response);
      if (location === undefined || asked.redirect === "manual") return response;
      if (asked.redirect === "error") throw failed(asked, "unexpected redirect");
      // A client's own address, which nobody has checked.
      if (!URL.canParse(location, asked.url)) return response;
      const target = new URL(location, asked.url);
      if (!isOurs(hosts, target.origin)) return response;
      if (redirects >= MAX_REDIRECTS) throw failed(asked, "redirect count exceeded");
      asked = redirected(asked, response.status, target);
    }
  };
}

/**
 * The answer of whoever answers at the origin of a request, at the present or at the moment that the request asks for.
 *
 * @throws TypeError for an origin that is not ours, and for that of somebody who is stopped
 */
export function wireAnswer<W extends LineWorld>(
  hosts: FetchHosts<W>,
  asked: HttpCome,
): WireAnswer | Promise<WireAnswer> {
  const present = hosts.present();
  present.comeUp();
  for (const { http, name } of hosts.services) {
    const place = http.placeAt(present.state, asked.url.origin);
    if (place === undefined) continue;
    const { headers } = asked;
    const explained = (answer: WireAnswer): WireAnswer =>
      withWhy(hosts.services, present, { service: name, headers }, answer);
    const answers = (to: HttpAsked): WireAnswer | Promise<WireAnswer> => {
      const made = answerOf(hosts, http, place, to);
      return made instanceof Promise ? made.then(explained) : explained(made);
    };
    const waits = http.waits === true;
    asked.signal?.throwIfAborted();
    return noteRequest(present, asked, (noted) => {
      if (!present.takesCommands || (isClear(present.state) && !isObserved(present)))
        return inItsTurn(present, asked, waits, () => answers(asked));
      const { method, url } = asked;
      const operation = http.operationOf?.(present.state, place, asked);
      const seen = {
        service: name,
        place,
        method,
        path: url.pathname,
        ...(operation === undefined ? {} : { operation }),
      };
      return alongLine(present, { seen, asked, waits, noted, answers });
    });
  }
  throw unknownOrigin(hosts, asked.url);
}

function answerOf<W extends object>(
  hosts: FetchHosts<W>,
  http: ServiceModule<W>["http"],
  place: HandlePlace,
  asked: HttpAsked,
): WireAnswer | Promise<WireAnswer> {
  asked.signal?.throwIfAborted();
  const present = hosts.present();
  const stopped = http.stopped?.(present.state, place);
  if (stopped !== undefined) throw connectionRefused(asked.url.origin, stopped);
  const moment = asked.headers.get("X-Hindcast-At");
  if (moment === null) return http.answer(present, place, asked);
  return answerAt(hosts, http, place, asked, moment);
}

function answerAt<W extends object>(
  hosts: FetchHosts<W>,
  http: ServiceModule<W>["http"],
  place: HandlePlace,
  asked: HttpAsked,
  moment: string,
): WireAnswer | Promise<WireAnswer> {
  const present = hosts.present();
  let past: Host<W>;
  try {
    past = hosts.past(moment);
    http.refuseAbsent?.(past.state, place, moment);
  } catch (error) {
    if (!(error instanceof Rejection || error instanceof TypeError)) throw error;
    return http.unplaced(present, place, asked, error.message);
  }
  return http.answer(past, place, asked);
}

function failed({ url }: Asked, reason: string): TypeError {
  return new TypeError("fetch failed", { cause: new Error(`${url.href}: ${reason}`) });
}

/** What is thrown for an origin that is not ours. */
export function unknownOrigin<W extends object>({ services, present }: FetchHosts<W>, url: UrlRead): TypeError {
  const { state } = present();
  // The service with the most places comes last in the list, and is asked most.
  const ours = [...services]
    .reverse()
    .flatMap(({ http }) => http.origins(state))
    .flatMap((origins) => [...origins.keys()]);
  return new TypeError(`${url.origin} is not simulated here: this simulator answers for ${ours.join(", ")}`);
}

/** Whether a place of a service answers at an origin, or would if it were not stopped. */
export function isOurs<W extends object>({ services, present }: FetchHosts<W>, origin: string): boolean {
  const { state } = present();
  return services.some(({ http }) => http.placeAt(state, origin) !== undefined);
}
