import type { WorldService } from "../../simulator/model.ts";
import type { PortAsked } from "./doors.ts";
import type { ListenSettings, Ports } from "./options.ts";
import { nameOf, type ServicePlace } from "./places.ts";

/** The ports that are asked for: one for all, unless others have ports of their own. */
export function portsAsked(
  { port, ports }: Pick<ListenSettings, "port" | "ports">,
  services: readonly WorldService[],
  places: readonly ServicePlace[],
): PortAsked[] {
  const asked: PortAsked[] = [];
  for (const { name } of services) {
    const own = ports[name];
    if (own !== undefined) asked.push(...portsOf(name, own, places));
  }
  if (port !== undefined || asked.length === 0) asked.unshift({ port: port ?? 0 });
  return asked;
}

/** Ports by name; from one number on each has the next: first the clusters or regions, then the nodes of clusters. */
function portsOf(service: string, ports: Ports, places: readonly ServicePlace[]): PortAsked[] {
  const own = places.filter((place) => place.service.name === service);
  if (typeof ports === "number") {
    const depth = ({ place }: ServicePlace): number => Object.keys(place).length;
    return own
      .toSorted((one, other) => depth(one) - depth(other))
      .map((place, index) => ({ place, port: ports === 0 ? 0 : ports + index }));
  }
  return Object.entries(ports).map(([name, port]) => {
    const place = own.find((one) => nameOf(one) === name);
    if (place === undefined) {
      throw new TypeError(`listen: ${service}: nobody is named ${name}; there are ${own.map(nameOf).join(", ")}`);
    }
    return { place, port };
  });
}
