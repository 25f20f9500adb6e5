import type { Doors, PortAsked } from "./doors.ts";
import type { Addresses } from "./exchange.ts";
import { prefixOf, type ServicePlace } from "./places.ts";

/** Below this path each of several worlds answers. */
export const WORLDS_PATH = "/worlds";

/** Where a world answers at the ports of a listener: the only one, or the one of several with this id. */
export function addressesAt(doors: Doors, world?: string): Addresses {
  const base = world === undefined ? "" : `${WORLDS_PATH}/${world}`;
  const isOwn = (door: PortAsked): boolean => door.place !== undefined && door.world === world;
  const shared = (): number | undefined =>
    doors.all.find((door) => door.place === undefined && door.world === undefined)?.port;
  const ownPort = (place: ServicePlace): number | undefined => {
    const key = prefixOf(place);
    return doors.all.find((door) => isOwn(door) && door.place !== undefined && prefixOf(door.place) === key)?.port;
  };
  return {
    ownUrl: (place, host) => {
      const port = ownPort(place);
      if (port === undefined) return undefined;
      const name = hostnameIn(host);
      return name === undefined ? doors.urlAt(port) : `${doors.scheme}://${name}:${port}`;
    },
    sharedUrl: (host) => {
      const port = shared();
      if (port === undefined) return undefined;
      return (hostnameIn(host) === undefined ? doors.urlAt(port) : `${doors.scheme}://${host}`) + base;
    },
    namedUrl: (label, host) => {
      const [, port = ""] = LOCALHOST.exec(host) ?? [];
      if (shared() === undefined || !LOCALHOST.test(host)) return undefined;
      return `${doors.scheme}://${world === undefined ? "" : `${world}.`}${label}.localhost${port}`;
    },
  };
}

const LOCALHOST = /\.localhost(:\d+)?$/i;

/** The name that a client called, without the port; undefined for what is no host. */
function hostnameIn(host: string): string | undefined {
  return /^([\w.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i.exec(host)?.[1];
}
