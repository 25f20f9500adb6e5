import type { EpochMs } from "../kernel/brand.ts";
import type { Region, Scheduler } from "../services/scheduler/state.ts";
import { schedulerOf } from "../services/scheduler/world.ts";
import { nodeUrl } from "../services/secrets/cluster/nodes.ts";
import { statusOf } from "../services/secrets/cluster/state.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import type { Link } from "../services/secrets/replication/connections.ts";
import { secondaryState } from "../services/secrets/replication/links.ts";
import { roleOf as replicationRole } from "../services/secrets/replication/roles.ts";
import type { ReplicationRole, SecondaryRole } from "../services/secrets/replication/state.ts";
import { primariesShown, secondariesShown } from "../services/secrets/replication/views.ts";
import type { Cluster } from "../services/secrets/state.ts";
import { clusterOf } from "../services/secrets/world.ts";
import type { Simulator, View } from "../simulator/types.ts";
import type { World } from "../simulator/world.ts";

/** A cluster or a region as the story shows it: in words and numbers, whatever they are computed from. */
export interface PlaceStatus {
  readonly kind: "cluster" | "region";
  readonly name: string;
  /** What it is to the others. */
  readonly role: string;
  /** What it is to others besides: a cluster may have a role in each kind of replication. */
  readonly also?: string;
  /** Whether it serves, and if not, why; of a secondary, how it stands to its primary. */
  readonly state: string;
  /** The index of its last write. */
  readonly lastWal: number;
  /** The index of the last write of its primary that it has processed; undefined where it has none. */
  readonly lastRemoteWal?: number;
  /** What has not arrived here yet; undefined where nothing ever arrives. */
  readonly lag?: string;
  /** Whose commits it does not hold, and how many; absent where it lacks none. */
  readonly lacks?: readonly { readonly of: string; readonly commits: number }[];
  /** With whom it is connected; undefined where there is nobody to be connected with. */
  readonly connected?: readonly string[];
}

/** Only the present of a simulator can say what was lost. */
type Moment = Pick<View, "state" | "clock" | "secrets"> & Partial<Pick<Simulator, "lossReport">>;

/** The clusters and regions of a moment in which something can be seen: what nobody has touched is left out. */
export function placesOf(moment: Moment): PlaceStatus[] {
  return [...clustersOf(moment), ...regionsOf(moment.state)];
}

function clustersOf(moment: Moment): PlaceStatus[] {
  const { state, clock } = moment;
  const nowMs = clock.now();
  const places = Object.keys(state.secrets).map((name) => {
    const status = clusterStatus({ state, nowMs }, name as ClusterName);
    const lacks = lackedBy(moment, name);
    return lacks.length === 0 ? status : { ...status, lacks };
  });
  const [only] = places;
  if (places.length === 1 && only?.role === STAND_ALONE && only.state === "running" && only.lastWal === 0) return [];
  return places;
}

/** What others acknowledged and a cluster does not hold; what it never was to have is not told. */
function lackedBy(moment: Moment, name: string): NonNullable<PlaceStatus["lacks"]> {
  const to = moment.secrets.cluster(name);
  return Object.keys(moment.state.secrets).flatMap((of) => {
    if (of === name) return [];
    const lost = moment.lossReport?.(moment.secrets.cluster(of), to) ?? [];
    const commits = lost.filter(({ because }) => because.reason !== "apart").length;
    return commits === 0 ? [] : [{ of, commits }];
  });
}

/** The state of all clusters, and the instant at which it is looked at. */
interface Reading {
  readonly state: World;
  readonly nowMs: EpochMs;
}

const STAND_ALONE = "stand-alone";

/** Roles, states and connections are computed as the status endpoints compute them. */
function clusterStatus(reading: Reading, name: ClusterName): PlaceStatus {
  const cluster = clusterOf(reading.state, name);
  const { ignored } = cluster;
  const roles = KINDS.map((kind) => ({ kind, role: replicationRole(cluster, kind) }));
  const [role = STAND_ALONE, also] = roles.flatMap(({ kind, role: { mode } }) =>
    mode === "disabled" ? [] : [`${kind === "dr" ? "DR" : kind} ${mode}`],
  );
  const state = stateOf(ignored);
  const isUp = state === "running";
  // It is a secondary in one kind at most: that of one for disasters has no other role.
  const following = roles.flatMap(({ kind, role: own }) =>
    own.mode === "secondary" ? [{ own, link: ignored.links[kind] }] : [],
  )[0];
  const lag = following && lagBehind(reading.state, following.own, following.link);
  return {
    kind: "cluster",
    name,
    role,
    ...(also === undefined ? {} : { also }),
    state: following !== undefined && isUp ? secondaryState(following.link, reading.nowMs) : state,
    lastWal: ignored.walIndex,
    ...(following === undefined ? {} : { lastRemoteWal: following.link?.applied ?? 0 }),
    ...(lag === undefined ? {} : { lag }),
    ...(role === STAND_ALONE ? {} : { connected: isUp ? connectedWith(reading, cluster) : [] }),
  };
}

const KINDS = ["dr", "performance"] as const;

/** Who is heard of, by their names, whatever they are called in the set. */
function connectedWith(reading: Reading, cluster: Cluster): string[] {
  const heardOf = KINDS.flatMap((kind) => {
    const role = replicationRole(cluster, kind);
    if (role.mode === "primary") return secondariesShown(reading, cluster, kind, role);
    return role.mode === "secondary" ? primariesShown(reading, role, cluster.ignored.links[kind]) : [];
  });
  const addresses = heardOf.flatMap(({ api_address, connection_status }) =>
    connection_status === "connected" ? [api_address] : [],
  );
  return Object.keys(reading.state.secrets).filter((name) => {
    const { ignored } = clusterOf(reading.state, name as ClusterName);
    return addresses.includes(nodeUrl(ignored, ignored.nodes.active));
  });
}

/** How many entries of the primary that answered last have not arrived; undefined where the two logs cannot be compared. */
function lagBehind(state: World, own: SecondaryRole, link: Link | undefined): string | undefined {
  if (link === undefined || link.stale === true || link.sync !== undefined) return undefined;
  const primary = clusterOf(state, link.upstream);
  const isPrimaryOfSet = KINDS.some((kind) => isPrimary(replicationRole(primary, kind), own.clusterId));
  const missing = primary.ignored.walIndex - link.applied;
  if (!isPrimaryOfSet || missing < 0) return undefined;
  return missing === 0 ? "none" : `${missing} ${missing === 1 ? "entry" : "entries"}`;
}

function isPrimary(role: ReplicationRole, clusterId: string): boolean {
  return role.mode === "primary" && role.clusterId === clusterId;
}

function stateOf(cluster: Cluster["ignored"]): string {
  const status = statusOf(cluster);
  if (status !== "running") return status;
  const { seal } = cluster;
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
