import type { ServedWorld } from "../../http/hosts.ts";
import { runServiceOf } from "../../services/runs/world.ts";
import { schedulerOf } from "../../services/scheduler/world.ts";
import { nodeUrls } from "../../services/secrets/cluster/nodes.ts";

/** Who answers requests: the run service, a region of the scheduler, a cluster of the secrets service, or one of its nodes. */
export interface ServicePlace {
  readonly service: "runs" | "scheduler" | "secrets";
  /** Of a region or a cluster. */
  readonly name?: string;
  readonly node?: number;
}

/** A place as paths begin with it: `/runs`, `/scheduler/eu`, `/secrets/main`, `/secrets/main/1`. */
export function prefixOf({ service, name, node }: ServicePlace): string {
  return `/${service}${name === undefined ? "" : `/${name}`}${node === undefined ? "" : `/${node}`}`;
}

/** Every place of a world, each cluster before its nodes. */
export function* placesOf(world: ServedWorld): Generator<ServicePlace> {
  yield { service: "runs" };
  for (const name of Object.keys(schedulerOf(world).sites)) yield { service: "scheduler", name };
  for (const [name, cluster] of Object.entries(world.secrets)) {
    yield { service: "secrets", name };
    const { url, nodes } = cluster.ignored;
    for (const node of nodeUrls(url, nodes.count).keys()) yield { service: "secrets", name, node };
  }
}

/** The origin at which a place answers inside the simulator, which is how it keeps its URL; undefined for one that is not there. */
export function originOf(world: ServedWorld, { service, name = "", node }: ServicePlace): string | undefined {
  switch (service) {
    case "runs":
      return runServiceOf(world).url;
    case "scheduler": {
      const { sites } = schedulerOf(world);
      return Object.hasOwn(sites, name) ? sites[name] : undefined;
    }
    case "secrets": {
      const cluster = Object.hasOwn(world.secrets, name) ? world.secrets[name] : undefined;
      if (cluster === undefined) return undefined;
      const { url, nodes } = cluster.ignored;
      return node === undefined ? url : nodeUrls(url, nodes.count)[node];
    }
    default:
      return service satisfies never;
  }
}

/** The place that a path begins with, and what is left of it. No path of a service itself begins so. */
export function placeInPath(path: string): { readonly place: ServicePlace; readonly rest: string } | undefined {
  const [all, service, name, node] =
    /^\/(?:(runs)|(?:scheduler|secrets)\/([a-z0-9-]+)(?:\/(\d{1,3}))?)(?=[/?]|$)/.exec(path) ?? [];
  if (all === undefined) return undefined;
  const rest = path.slice(all.length);
  const place: ServicePlace =
    service === "runs"
      ? { service: "runs" }
      : {
          service: path.startsWith("/secrets/") ? "secrets" : "scheduler",
          ...(name === undefined ? {} : { name }),
          ...(node === undefined ? {} : { node: Number(node) }),
        };
  return { place, rest: rest.startsWith("/") ? rest : `/${rest}` };
}

/**
 * The place whose name a client has called: its host, with any port, or the first label of it below `localhost`, which browsers and curl
 * resolve by themselves.
 */
export function placeOfHost(world: ServedWorld, host: string): ServicePlace | undefined {
  const called = host.toLowerCase().replace(/:\d+$/, "");
  for (const place of placesOf(world)) {
    const { hostname } = new URL(originOf(world, place) ?? "http://nowhere.invalid");
    if (called === hostname || called === `${hostname.split(".")[0]}.localhost`) return place;
  }
  return undefined;
}

/** A Location as whoever is outside can follow it: one of our own origins by where that place answers outside. */
export function locationOutside(
  world: ServedWorld,
  location: string,
  outside: (place: ServicePlace) => string | undefined,
): string {
  if (!URL.canParse(location)) return location;
  const { origin, pathname, search, hash } = new URL(location);
  for (const place of placesOf(world)) {
    if (originOf(world, place) !== origin) continue;
    const base = outside(place);
    return base === undefined ? location : `${base}${pathname}${search}${hash}`;
  }
  return location;
}
