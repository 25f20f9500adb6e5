import { type RunsWorld, runServiceOf } from "../services/runs/state.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import type { SecretsWorld } from "../services/secrets/state.ts";
import { type Asked, fullyAsked, plainlyAsked } from "./asked.ts";
import type { FetchHosts } from "./hosts.ts";
import { redirected, redirectOf } from "./redirect.ts";
import { runsResponse } from "./runs-response.ts";
import { secretsResponse } from "./secrets-response.ts";

/** The signature of `fetch`. */
export type Fetch = (input: string | URL | globalThis.Request, init?: RequestInit) => Promise<Response>;

const MAX_REDIRECTS = 20;

/**
 * A `fetch` that answers from the simulated services. It has the manners of the real one: any method, redirects followed
 * among our own origins unless told otherwise, abort signals honoured, `TypeError` for what cannot be reached.
 *
 * A request without a body is answered before its promise is returned.
 */
export function simulatedFetch(hosts: FetchHosts): Fetch {
  return async (input, init) => {
    let asked = plainlyAsked(input, init) ?? fullyAsked(input, init);
    if (asked instanceof Promise) asked = await asked;
    for (let redirects = 0; ; redirects++) {
      const response = answered(hosts, asked);
      const location = redirectOf(response);
      if (location === undefined || asked.redirect === "manual") return response;
      if (asked.redirect === "error") throw failed(asked, "unexpected redirect");
      const target = new URL(location, asked.url);
      if (!instancesOf(hosts.present().state).has(target.origin)) return response;
      if (redirects >= MAX_REDIRECTS) throw failed(asked, "redirect count exceeded");
      asked = redirected(asked, response.status, target);
    }
  };
}

function answered(hosts: FetchHosts, asked: Asked): Response {
  asked.signal?.throwIfAborted();
  const instance = instancesOf(hosts.present().state).get(asked.url.origin);
  if (instance === undefined) throw unknownOrigin(hosts, asked.url);
  const response = instance === RUNS ? runsResponse(hosts, asked) : secretsResponse(hosts, instance, asked);
  Object.defineProperty(response, "url", { value: asked.url.href });
  return response;
}

function failed({ url }: Asked, reason: string): TypeError {
  return new TypeError("fetch failed", { cause: new Error(`${url.href}: ${reason}`) });
}

function unknownOrigin(hosts: FetchHosts, url: URL): TypeError {
  const ours = [...instancesOf(hosts.present().state).keys()].join(", ");
  return new TypeError(`${url.origin} is not simulated here: this simulator answers for ${ours}`);
}

/** What stands for the run service among instances; everything else is the name of a cluster. */
const RUNS = Symbol("runs");
type Instance = ClusterName | typeof RUNS;

/** The instances by their origins, remembered per set of clusters: the run service never moves. */
const instances = new WeakMap<SecretsWorld["secrets"], ReadonlyMap<string, Instance>>();

function instancesOf(world: SecretsWorld & RunsWorld): ReadonlyMap<string, Instance> {
  const { secrets } = world;
  let known = instances.get(secrets);
  if (known === undefined) {
    const clusters = Object.entries(secrets).map(
      ([name, { ignored }]) => [new URL(ignored.url).origin, name as ClusterName] as const,
    );
    known = new Map<string, Instance>([...clusters, [new URL(runServiceOf(world).url).origin, RUNS]]);
    instances.set(secrets, known);
  }
  return known;
}
