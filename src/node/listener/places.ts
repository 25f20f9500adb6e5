import type { HandlePlace } from "../../kernel/handle.ts";
import type { ServiceModule } from "../../services/kit/module.ts";
import type { WorldService } from "../../simulator/model.ts";
import type { World } from "../../simulator/world.ts";

/** Who answers requests: a service, or one of its places, such as a region, a cluster or a node. */
export interface ServicePlace {
  readonly service: WorldService;
  readonly place: HandlePlace;
}

/** A world, and who answers in it. */
export interface Served {
  readonly services: readonly WorldService[];
  readonly state: World;
}

/** The names of a place, as URLs are listed under them: `eu`, `main`, `main/1`. */
export function nameOf({ place }: Pick<ServicePlace, "place">): string {
  return Object.values(place).join("/");
}

/** A place as paths begin with it: `/runs`, `/scheduler/eu`, `/secrets/main`, `/secrets/main/1`. */
export function prefixOf({ service, place }: ServicePlace): string {
  return ["", service.name, ...Object.values(place)].join("/");
}

/** Every place of a world with the origin at which it answers inside the simulator, each cluster before its nodes. */
export function* placesOf({ services, state }: Served): Generator<ServicePlace & { readonly origin: string }> {
  for (const service of services) {
    for (const origins of service.http.origins(state)) {
      for (const [origin, place] of origins) yield { service, place, origin };
    }
  }
}

/** The origin at which a place answers inside the simulator, which is how it keeps its URL; undefined for one that is not there. */
export function originOf({ state }: Pick<Served, "state">, { service, place }: ServicePlace): string | undefined {
  const name = nameOf({ place });
  for (const origins of service.http.origins(state)) {
    for (const [origin, known] of origins) if (nameOf({ place: known }) === name) return origin;
  }
  return undefined;
}

/** The place that a path begins with, and what is left of it. No path of a service itself begins so. */
export function placeInPath(
  services: readonly WorldService[],
  path: string,
): (ServicePlace & { readonly rest: string }) | undefined {
  const [whole = "", first, ...names] = /^\/([a-z0-9-]+)(?:\/([a-z0-9-]+))?(?:\/(\d{1,3}))?(?=[/?]|$)/.exec(path) ?? [];
  const service = services.find(({ name }) => name === first);
  if (service === undefined) return undefined;
  const found = placeNamed(service, names);
  if (found === undefined) return undefined;
  const rest = path.slice(prefixOf({ service, place: found }).length);
  return whole === "" ? undefined : { service, place: found, rest: rest.startsWith("/") ? rest : `/${rest}` };
}

/** The first of a service's places has to be named; one inside it may be. */
function placeNamed(
  { http }: Pick<ServiceModule<never>, "http">,
  names: readonly (string | undefined)[],
): HandlePlace | undefined {
  const [outer] = http.places;
  if (outer !== undefined && names[0] === undefined) return undefined;
  const named = http.places.flatMap((place, index) => {
    const name = names[index];
    return name === undefined ? [] : [[place, name] as const];
  });
  return Object.fromEntries(named);
}

/**
 * The place whose name a client has called: its host, with any port, or the first label of it below `localhost`, which browsers and curl
 * resolve by themselves.
 */
export function placeOfHost(served: Served, host: string): ServicePlace | undefined {
  const called = host.toLowerCase().replace(/:\d+$/, "");
  for (const place of placesOf(served)) {
    const { hostname } = new URL(place.origin);
    if (called === hostname || called === `${hostname.split(".")[0]}.localhost`) return place;
  }
  return undefined;
}

/** A Location as whoever is outside can follow it: one of our own origins by where that place answers outside. */
export function locationOutside(
  served: Served,
  location: string,
  outside: (place: ServicePlace) => string | undefined,
): string {
  if (!URL.canParse(location)) return location;
  const { origin, pathname, search, hash } = new URL(location);
  for (const place of placesOf(served)) {
    if (place.origin !== origin) continue;
    const base = outside(place);
    return base === undefined ? location : `${base}${pathname}${search}${hash}`;
  }
  return location;
}
