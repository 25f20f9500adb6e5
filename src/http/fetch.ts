import { runServiceOf } from "../services/runs/state.ts";
import type { RegionName } from "../services/scheduler/ids.ts";
import { schedulerOf } from "../services/scheduler/state.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import { type Asked, fullyAsked, plainlyAsked } from "./asked.ts";
import type { FetchHosts, ServedWorld } from "./hosts.ts";
import { redirected, redirectOf } from "./redirect.ts";
import { runsResponse } from "./runs-response.ts";
import { schedulerResponse } from "./scheduler-response.ts";
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
      const answer = answered(hosts, asked);
      const response = answer instanceof Promise ? await answer : answer;
      Object.defineProperty(response, "url", { value: asked.url.href });
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

function answered(hosts: FetchHosts, asked: Asked): Response | Promise<Response> {
  asked.signal?.throwIfAborted();
  const instance = instancesOf(hosts.present().state).get(asked.url.origin);
  if (instance === undefined) throw unknownOrigin(hosts, asked.url);
  switch (instance.service) {
    case "runs":
      return runsResponse(hosts, asked);
    case "scheduler":
      return schedulerResponse(hosts, instance.region, asked);
    case "secrets":
      return secretsResponse(hosts, instance.cluster, asked);
    default:
      return instance satisfies never;
  }
}

function failed({ url }: Asked, reason: string): TypeError {
  return new TypeError("fetch failed", { cause: new Error(`${url.href}: ${reason}`) });
}

function unknownOrigin(hosts: FetchHosts, url: URL): TypeError {
  const ours = [...instancesOf(hosts.present().state).keys()].join(", ");
  return new TypeError(`${url.origin} is not simulated here: this simulator answers for ${ours}`);
}

/** Whoever answers at an origin. */
type Instance =
  | { readonly service: "runs" }
  | { readonly service: "scheduler"; readonly region: RegionName }
  | { readonly service: "secrets"; readonly cluster: ClusterName };

interface KnownInstances {
  readonly sites: object;
  readonly byOrigin: ReadonlyMap<string, Instance>;
}

/** The instances by their origins, remembered per set of clusters and of regions: the run service never moves. */
const instances = new WeakMap<ServedWorld["secrets"], KnownInstances>();

function instancesOf(world: ServedWorld): ReadonlyMap<string, Instance> {
  const { secrets } = world;
  const { sites } = schedulerOf(world);
  const known = instances.get(secrets);
  if (known?.sites === sites) return known.byOrigin;
  const byOrigin = new Map<string, Instance>();
  for (const [name, { ignored }] of Object.entries(secrets)) {
    byOrigin.set(new URL(ignored.url).origin, { service: "secrets", cluster: name as ClusterName });
  }
  for (const [name, url] of Object.entries(sites)) {
    byOrigin.set(new URL(url).origin, { service: "scheduler", region: name as RegionName });
  }
  byOrigin.set(new URL(runServiceOf(world).url).origin, { service: "runs" });
  instances.set(secrets, { sites, byOrigin });
  return byOrigin;
}
