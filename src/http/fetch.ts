import { type RunsWorld, runServiceOf } from "../services/runs/state.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import type { SecretsWorld } from "../services/secrets/state.ts";
import type { FetchHosts } from "./hosts.ts";
import { runsResponse } from "./runs-response.ts";
import { secretsResponse } from "./secrets-response.ts";

/** The signature of `fetch`. */
export type Fetch = (input: string | URL | globalThis.Request, init?: RequestInit) => Promise<Response>;

const MAX_REDIRECTS = 20;

/**
 * A `fetch` that answers from the simulated services. It has the manners of the real one: any method, redirects followed
 * among our own origins unless told otherwise, abort signals honoured, `TypeError` for what cannot be reached.
 */
export function simulatedFetch(hosts: FetchHosts): Fetch {
  return async (input, init) => {
    let request = new Request(input, init);
    for (let redirects = 0; ; redirects++) {
      const response = await answered(hosts, request);
      const location = redirectOf(response);
      if (location === undefined || request.redirect === "manual") return response;
      if (request.redirect === "error") throw failed(request, "unexpected redirect");
      const target = new URL(location, request.url);
      if (!instancesOf(hosts.present().state).has(target.origin)) return response;
      if (redirects >= MAX_REDIRECTS) throw failed(request, "redirect count exceeded");
      request = redirected(request, response.status, target);
    }
  };
}

async function answered(hosts: FetchHosts, request: globalThis.Request): Promise<Response> {
  request.signal.throwIfAborted();
  const body = request.body === null ? NO_BODY : new Uint8Array(await request.arrayBuffer());
  // Reading a body takes a while: the caller may have given up meanwhile.
  request.signal.throwIfAborted();
  const url = new URL(request.url);
  const instance = instancesOf(hosts.present().state).get(url.origin);
  if (instance === undefined) throw unknownOrigin(hosts, url);
  const asked = { method: request.method, url, headers: request.headers, body };
  const response = instance === RUNS ? runsResponse(hosts, asked) : secretsResponse(hosts, instance, asked);
  Object.defineProperty(response, "url", { value: request.url });
  return response;
}

const NO_BODY = new Uint8Array(0);

function redirectOf(response: Response): string | undefined {
  return [301, 302, 303, 307, 308].includes(response.status)
    ? (response.headers.get("location") ?? undefined)
    : undefined;
}

/** What the Fetch standard makes of a redirected request: other methods than GET survive 307 and 308 only. */
function redirected(request: globalThis.Request, status: number, target: URL): globalThis.Request {
  const keepsMethod = status === 307 || status === 308 || request.method === "GET" || request.method === "HEAD";
  const headers = new Headers(request.headers);
  if (target.origin !== new URL(request.url).origin) headers.delete("authorization");
  return new Request(target, {
    method: keepsMethod ? request.method : "GET",
    headers,
    redirect: request.redirect,
    signal: request.signal,
  });
}

function failed(request: globalThis.Request, reason: string): TypeError {
  return new TypeError("fetch failed", { cause: new Error(`${request.url}: ${reason}`) });
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
