import { connectionRefused } from "../services/secrets/cluster/connection.ts";
import { nodeUrls } from "../services/secrets/cluster/nodes.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import { type Cluster, clusterOf, type Ignored, type Nodes, type SecretsWorld } from "../services/secrets/state.ts";
import { type Asked, fullyAsked, plainlyAsked } from "./asked.ts";
import type { FetchHosts } from "./hosts.ts";
import { redirected, redirectOf } from "./redirect.ts";
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
      if (instanceAt(hosts.present().state, target.origin) === undefined) return response;
      if (redirects >= MAX_REDIRECTS) throw failed(asked, "redirect count exceeded");
      asked = redirected(asked, response.status, target);
    }
  };
}

function answered(hosts: FetchHosts, asked: Asked): Response {
  asked.signal?.throwIfAborted();
  const { state } = hosts.present();
  const instance = instanceAt(state, asked.url.origin);
  if (instance === undefined) throw unknownOrigin(hosts, asked.url);
  const { cluster, node } = instance;
  if (!clusterOf(state, cluster).ignored.running) throw connectionRefused(asked.url.origin);
  const response = secretsResponse(hosts, cluster, node === undefined ? asked : { ...asked, node });
  Object.defineProperty(response, "url", { value: asked.url.href });
  return response;
}

function failed({ url }: Asked, reason: string): TypeError {
  return new TypeError("fetch failed", { cause: new Error(`${url.href}: ${reason}`) });
}

function unknownOrigin(hosts: FetchHosts, url: URL): TypeError {
  const { secrets } = hosts.present().state;
  const ours = Object.keys(secrets)
    .flatMap((name) => [...originsOf(name as ClusterName, (secrets[name] as Cluster).ignored).keys()])
    .join(", ");
  return new TypeError(`${url.origin} is not simulated here: this simulator answers for ${ours}`);
}

/** Who answers at an origin: a cluster's active node, or the one that has the origin to itself. */
interface Instance {
  readonly cluster: ClusterName;
  readonly node?: number;
}

function instanceAt({ secrets }: SecretsWorld, origin: string): Instance | undefined {
  for (const name in secrets) {
    const instance = originsOf(name as ClusterName, (secrets[name] as Cluster).ignored).get(origin);
    if (instance !== undefined) return instance;
  }
  return undefined;
}

/** The instances of a cluster by their origins. Its nodes seldom change, and its address never does. */
const origins = new WeakMap<Nodes, ReadonlyMap<string, Instance>>();

function originsOf(cluster: ClusterName, ignored: Ignored): ReadonlyMap<string, Instance> {
  let known = origins.get(ignored.nodes);
  if (known === undefined) {
    const instances = new Map<string, Instance>([[new URL(ignored.url).origin, { cluster }]]);
    for (const [node, origin] of nodeUrls(ignored.url, ignored.nodes.count).entries()) {
      instances.set(origin, { cluster, node });
    }
    known = instances;
    origins.set(ignored.nodes, known);
  }
  return known;
}
