import type { UrlRead } from "../services/http-url.ts";
import { DEFAULT_RUNS_URL, type RunsWorld, runServiceOf } from "../services/runs/state.ts";
import type { RegionName } from "../services/scheduler/ids.ts";
import { schedulerOf } from "../services/scheduler/state.ts";
import { connectionRefused } from "../services/secrets/cluster/connection.ts";
import { nodeUrls } from "../services/secrets/cluster/nodes.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import { type Cluster, clusterOf, type Ignored, type Nodes } from "../services/secrets/state.ts";
import { type Asked, fullyAsked, plainlyAsked, type WireAsked } from "./asked.ts";
import type { FetchHosts, ServedWorld } from "./hosts.ts";
import { inTurn } from "./in-turn.ts";
import { redirected, redirectOf } from "./redirect.ts";
import { runsAnswer } from "./runs-response.ts";
import { schedulerAnswer } from "./scheduler-response.ts";
import { secretsAnswer } from "./secrets-response.ts";
import { responseOf, type WireAnswer } from "./wire-answer.ts";

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
      const answer = wireAnswer(hosts, asked);
      const response = responseOf(answer instanceof Promise ? await answer : answer);
      Object.defineProperty(response, "url", { value: asked.url.href });
      const location = redirectOf(response);
      if (location === undefined || asked.redirect === "manual") return response;
      if (asked.redirect === "error") throw failed(asked, "unexpected redirect");
      // A client's own address, which nobody has checked.
      if (!URL.canParse(location, asked.url)) return response;
      const target = new URL(location, asked.url);
      if (instanceAt(hosts.present().state, target.origin) === undefined) return response;
      if (redirects >= MAX_REDIRECTS) throw failed(asked, "redirect count exceeded");
      asked = redirected(asked, response.status, target);
    }
  };
}

/**
 * The answer of whoever answers at the origin of a request.
 *
 * @throws TypeError for an origin that is not ours, and for that of a cluster that is stopped
 */
export function wireAnswer(hosts: FetchHosts, asked: WireAsked): WireAnswer | Promise<WireAnswer> {
  const instance = instanceAt(hosts.present().state, asked.url.origin);
  if (instance === undefined) throw unknownOrigin(hosts, asked.url);
  return inTurn(hosts.present(), instance.service === "secrets", () => answerOf(hosts, instance, asked));
}

function answerOf(hosts: FetchHosts, instance: Instance, asked: WireAsked): WireAnswer | Promise<WireAnswer> {
  asked.signal?.throwIfAborted();
  switch (instance.service) {
    case "runs":
      return runsAnswer(hosts, asked);
    case "scheduler":
      return schedulerAnswer(hosts, instance.region, asked);
    case "secrets": {
      const { cluster, node } = instance;
      if (!clusterOf(hosts.present().state, cluster).ignored.running) throw connectionRefused(asked.url.origin);
      return secretsAnswer(hosts, cluster, node === undefined ? asked : { ...asked, node });
    }
    default:
      return instance satisfies never;
  }
}

function failed({ url }: Asked, reason: string): TypeError {
  return new TypeError("fetch failed", { cause: new Error(`${url.href}: ${reason}`) });
}

/** What is thrown for an origin that is not ours. */
export function unknownOrigin(hosts: FetchHosts, url: UrlRead): TypeError {
  const ours = [...originsOf(hosts.present().state)].flatMap((origins) => [...origins.keys()]).join(", ");
  return new TypeError(`${url.origin} is not simulated here: this simulator answers for ${ours}`);
}

/** Whether somebody of ours answers at an origin, or would if it were not stopped. */
export function isOurs(hosts: FetchHosts, origin: string): boolean {
  return instanceAt(hosts.present().state, origin) !== undefined;
}

/** Whoever answers at an origin; of a cluster its active node, or the one that has the origin to itself. */
type Instance =
  | { readonly service: "runs" }
  | { readonly service: "scheduler"; readonly region: RegionName }
  | { readonly service: "secrets"; readonly cluster: ClusterName; readonly node?: number };

type Origins = ReadonlyMap<string, Instance>;

function instanceAt(world: ServedWorld, origin: string): Instance | undefined {
  // Every request passes here, and a generator takes longer than all that it gives.
  for (const name in world.secrets) {
    const origins = originsOfCluster(name as ClusterName, (world.secrets[name] as Cluster).ignored);
    const instance = origins.get(origin);
    if (instance !== undefined) return instance;
  }
  return originsOfRegions(schedulerOf(world).sites).get(origin) ?? originsOfRuns(world).get(origin);
}

/** Where a world answers, service by service. */
function* originsOf(world: ServedWorld): Generator<Origins> {
  for (const name in world.secrets) {
    yield originsOfCluster(name as ClusterName, (world.secrets[name] as Cluster).ignored);
  }
  yield originsOfRegions(schedulerOf(world).sites);
  yield originsOfRuns(world);
}

/** Remembered: the nodes of a cluster seldom change, and its address never does. */
const clusters = new WeakMap<Nodes, Origins>();

function originsOfCluster(cluster: ClusterName, ignored: Ignored): Origins {
  let known = clusters.get(ignored.nodes);
  if (known === undefined) {
    const origins = new Map<string, Instance>([[new URL(ignored.url).origin, { service: "secrets", cluster }]]);
    for (const [node, origin] of nodeUrls(ignored.url, ignored.nodes.count).entries()) {
      origins.set(origin, { service: "secrets", cluster, node });
    }
    known = origins;
    clusters.set(ignored.nodes, known);
  }
  return known;
}

/** Remembered: regions are seldom added. */
const regions = new WeakMap<object, Origins>();

function originsOfRegions(sites: { readonly [region: string]: string }): Origins {
  let known = regions.get(sites);
  if (known === undefined) {
    known = new Map(
      Object.entries(sites).map(([name, url]): [string, Instance] => [
        new URL(url).origin,
        { service: "scheduler", region: name as RegionName },
      ]),
    );
    regions.set(sites, known);
  }
  return known;
}

const RUNS: Instance = Object.freeze({ service: "runs" });

function originsOfRuns(world: RunsWorld): Origins {
  const { url } = runServiceOf(world);
  return url === DEFAULT_RUNS_URL ? DEFAULT_RUNS : new Map([[new URL(url).origin, RUNS]]);
}

const DEFAULT_RUNS: ReadonlyMap<string, Instance> = new Map([[DEFAULT_RUNS_URL, RUNS]]);
