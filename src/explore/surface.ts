import type { Simulator } from "../index.ts";
import type { World } from "../simulator/world.ts";
import type { End } from "./schedule.ts";

/** What of a world faults can be about. */
export interface Surface {
  readonly clusters: readonly { readonly name: string; readonly nodes: number }[];
  readonly regions: readonly string[];
  readonly hasRuns: boolean;
  /** The programs that run in it. */
  readonly programs: readonly string[];
  /** The servers that directory engines are configured for. */
  readonly directoryUrls: readonly string[];
}

export function surfaceOf(sim: Simulator, programs: readonly string[]): Surface {
  // A simulator may lack services.
  const { secrets = {}, scheduler, runs } = sim.state as Partial<World>;
  const urls = Object.values(secrets).flatMap(({ replicated, local }) =>
    [...replicated.mounts.values(), ...local.mounts.values()].flatMap((mount) =>
      "config" in mount && mount.config !== undefined && "url" in mount.config ? mount.config.url.split(",") : [],
    ),
  );
  return {
    clusters: Object.entries(secrets).map(([name, { ignored }]) => ({ name, nodes: ignored.nodes.count })),
    regions: Object.keys(scheduler?.regions ?? {}),
    hasRuns: runs !== undefined,
    programs,
    directoryUrls: [...new Set(urls.map((url) => url.trim()))],
  };
}

/** The lines that there are: of each program to each service, between clusters, and between regions. */
export function linesOf({ clusters, regions, hasRuns, programs }: Surface): readonly (readonly [End, End])[] {
  const places = [
    ...clusters.map(({ name }) => `cluster:${name}`),
    ...regions.map((name) => `region:${name}`),
    ...(hasRuns ? ["runs"] : []),
  ];
  return [
    ...programs.flatMap((program) => places.map((place) => [`program:${program}`, place] as const)),
    ...pairs(clusters.map(({ name }) => `cluster:${name}`)),
    ...pairs(regions.map((name) => `region:${name}`)),
  ];
}

function pairs<T>(all: readonly T[]): (readonly [T, T])[] {
  return all.flatMap((one, index) => all.slice(index + 1).map((other) => [one, other] as const));
}
