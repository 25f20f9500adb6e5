import { type Region, type Scheduler, schedulerOf } from "../../services/scheduler/state.ts";
import type { Cluster } from "../../services/secrets/state.ts";
import type { World } from "../../simulator/world.ts";

/** A cluster or a region as the story shows it: in words and numbers, whatever they are computed from. */
export interface PlaceStatus {
  readonly kind: "cluster" | "region";
  readonly name: string;
  /** What it is to the others. */
  readonly role: string;
  /** Whether it serves, and if not, why. */
  readonly state: string;
  /** The index of its last write. */
  readonly lastWal: number;
  /** What has not arrived here yet; undefined where nothing ever arrives. */
  readonly lag?: string;
  /** With whom it is connected; undefined where there is nobody to be connected with. */
  readonly connected?: readonly string[];
}

/** The clusters and regions of a world in which something can be seen: what nobody has touched is left out. */
export function placesOf(world: World): PlaceStatus[] {
  return [...clustersOf(world), ...regionsOf(world)];
}

function clustersOf({ secrets }: World): PlaceStatus[] {
  const clusters = Object.entries(secrets);
  const isUntouched = clusters.every(([, { ignored }]) => ignored.walIndex === 0 && stateOf(ignored) === "running");
  if (isUntouched && clusters.length === 1) return [];
  return clusters.map(([name, { ignored }]) => ({
    kind: "cluster",
    name,
    role: "stand-alone",
    state: stateOf(ignored),
    lastWal: ignored.walIndex,
  }));
}

function stateOf({ running, seal }: Cluster["ignored"]): string {
  if (!running) return "stopped";
  if (seal.status === "unsealed") return "running";
  return seal.given.length === 0 ? "sealed" : `sealed, ${seal.given.length} of ${seal.threshold}`;
}

function regionsOf(world: World): PlaceStatus[] {
  if (world.scheduler === undefined) return [];
  const scheduler = schedulerOf(world);
  const regions = Object.entries(scheduler.regions);
  const copies = regions.filter(([, { replication }]) => replication?.link.status === "connected");
  return regions.map(([name, region]) => ({
    kind: "region",
    name,
    role: roleOf(name, scheduler, region),
    state: region.leaderLostAtMs === undefined ? "running" : "no leader",
    lastWal: region.index,
    ...(region.replication === undefined ? {} : { lag: lagOf(region.replication) }),
    ...(regions.length === 1
      ? {}
      : { connected: region.replication === undefined ? copies.map(([copy]) => copy) : sourcesOf(region.replication) }),
  }));
}

function roleOf(name: string, { authoritative }: Scheduler, { replication }: Region): string {
  if (name === authoritative) return "authoritative";
  return replication === undefined ? "copy" : `copy of ${replication.source}`;
}

function sourcesOf({ link, source }: NonNullable<Region["replication"]>): string[] {
  return link.status === "connected" ? [source] : [];
}

function lagOf({ link, policies, tokens }: NonNullable<Region["replication"]>): string {
  const coming = Math.max(policies.coming.size, tokens.coming.size);
  if (link.status === "connected" && coming > 0) return `${coming} on their way`.replace(/^1 .*/, "1 on its way");
  return coming > 0 || policies.behind || tokens.behind ? "behind" : "none";
}
