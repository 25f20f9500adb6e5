import type { EpochMs } from "../../../kernel/brand.ts";
import type { Fold, FoldMeta } from "../../../kernel/evolvers.ts";
import { Table } from "../../../kernel/table.ts";
import { blankLocal, blankReplicated } from "../birth.ts";
import type { ClusterName } from "../place.ts";
import { clusterOf, type SecretsWorld, withIgnored, withLocal, withPart } from "../state.ts";
import type { Filter } from "./filters/state.ts";
import type { DrOperationToken } from "./operation-tokens/state.ts";
import { upstreamMark } from "./settle/entry.ts";
import {
  type Activation,
  DISABLED,
  type KnownSecondary,
  type Link,
  type PrimaryRole,
  type ReplicationKind,
  type ReplicationRole,
  type SecondaryRole,
} from "./state.ts";

export interface OfRole {
  readonly cluster: ClusterName;
  readonly kind: ReplicationKind;
}

/** Where a secondary belongs, as its activation token and its primary told it. */
export interface Attachment {
  readonly clusterId: string;
  readonly secondaryId: string;
  readonly credential: string;
  readonly primaryClusterAddr: string;
  /** The cluster that answered. */
  readonly primary: ClusterName;
}

/** The facts of replication. What ships, and who is connected, follows from them. */
export interface ReplicationEvents {
  ReplicationPrimaryEnabled: OfRole & { readonly clusterId: string; readonly primaryClusterAddr: string };
  ReplicationPrimaryDemoted: OfRole;
  /** The cluster stands alone again, whatever it was. */
  ReplicationDisabled: OfRole;
  /** What tokens for this cluster are encrypted to from now on. */
  SecondaryKeyGenerated: OfRole & { readonly seed: string };
  SecondaryTokenCreated: OfRole & { readonly id: string; readonly activation: Activation };
  /** The token was unwrapped; `connected` tells that its bearer reached the primary. */
  SecondaryTokenUsed: OfRole & { readonly id: string; readonly jti: string; readonly connected: boolean };
  SecondaryRevoked: OfRole & { readonly id: string };
  /** All that the cluster held is gone, and it has the primary's key shares. */
  ReplicationSecondaryEnabled: OfRole & Attachment;
  SecondaryPromoted: OfRole & { readonly primaryClusterAddr: string };
  /** It has another primary, or none. Nothing is lost. `stale` tells that what it holds may be of another past. */
  PrimaryUpdated: OfRole & { readonly attachment: Attachment | null; readonly stale: boolean };
  FilterWritten: { readonly cluster: ClusterName; readonly id: string; readonly filter: Filter };
  FilterDeleted: { readonly cluster: ClusterName; readonly id: string };
}

export const replicationFolds: { readonly [T in keyof ReplicationEvents]: Fold<SecretsWorld, ReplicationEvents[T]> } = {
  ReplicationPrimaryEnabled: (world, { clusterId, primaryClusterAddr, ...at }, { atMs }) =>
    withoutPeers(withRole(changedRole(world, at, atMs), at, newPrimary(clusterId, primaryClusterAddr, atMs)), at),
  ReplicationPrimaryDemoted: (world, at, { atMs }) => {
    const role = storedRole(world, at);
    const clusterId = role.mode === "disabled" ? "" : role.clusterId;
    const demoted: SecondaryRole = {
      mode: "secondary",
      clusterId,
      secondaryId: "",
      credential: null,
      primaryClusterAddr: "",
    };
    return withoutPeers(withLink(withRole(changedRole(world, at, atMs), at, demoted), at, undefined), at);
  },
  ReplicationDisabled: (world, at, meta) => {
    const wasSecondary = storedRole(world, at).mode === "secondary";
    const alone = withRole(withoutOperationTokens(changedRole(world, at, meta.atMs), at), at, DISABLED);
    return withoutPeers(at.kind === "dr" && wasSecondary ? withRestoredLink(alone, at, meta) : alone, at);
  },
  SecondaryKeyGenerated: (world, { seed, cluster, kind }) =>
    kind === "dr"
      ? withIgnored(world, { cluster }, (ignored) => ({ ...ignored, secondaryKey: { seed } }))
      : withLocal(world, { cluster }, (local) => ({ ...local, secondaryKey: { seed } })),
  SecondaryTokenCreated: (world, { id, activation, ...at }) => {
    // The wrapping token lies in storage, whatever the kind (decisions-replication.md, 1: creating one adds 1).
    const issued = withLocal(world, at, (local) => ({ ...local, activationTokens: local.activationTokens + 1 }));
    return withSecondary(issued, at, id, (known) => ({ ...known, activation }));
  },
  SecondaryTokenUsed: (world, { id, jti, connected, ...at }) =>
    withSecondary(world, at, id, (known) => ({ credential: jti, connected: known.connected || connected })),
  SecondaryRevoked: (world, { id, ...at }) =>
    withPrimary(world, at, (role) => ({ ...role, secondaries: role.secondaries.delete(id) })),
  ReplicationSecondaryEnabled: (world, { cluster, kind, primary, ...attachment }, meta) => {
    const at = { cluster, kind };
    const { key, shares, threshold } = clusterOf(world, primary).ignored.seal;
    let wiped = withPart(world, at, "replicated", () => blankReplicated);
    wiped = withLocal(wiped, at, () => blankLocal);
    // What was wrong with the trees went with what they were made of, and so did what a disaster-recovery secondary had counted.
    wiped = withIgnored(wiped, at, ({ merkle: _, ...ignored }) => ({
      ...ignored,
      walIndex: kind === "dr" ? 0 : ignored.walIndex,
      seal: { ...ignored.seal, key, shares, threshold },
    }));
    const link: Link = { ...unconnected(primary, 0, meta), bootstrapping: true, stale: true };
    return withLink(withRole(changedRole(wiped, at, meta.atMs), at, { mode: "secondary", ...attachment }), at, link);
  },
  SecondaryPromoted: (world, { primaryClusterAddr, ...at }, meta) => {
    const role = storedRole(world, at);
    const clusterId = role.mode === "disabled" ? "" : role.clusterId;
    const promoted = withRole(
      withoutOperationTokens(changedRole(world, at, meta.atMs), at),
      at,
      newPrimary(clusterId, primaryClusterAddr, meta.atMs),
    );
    return withoutPeers(at.kind === "dr" ? withRestoredLink(promoted, at, meta) : promoted, at);
  },
  PrimaryUpdated: (world, { attachment, stale, ...at }, meta) => {
    const role = storedRole(world, at);
    if (role.mode !== "secondary") return world;
    const link = clusterOf(world, at.cluster).ignored.links[at.kind];
    if (attachment === null) {
      const forgetful = withRole(world, at, { ...role, primaryClusterAddr: "" });
      return link === undefined ? forgetful : withLink(forgetful, at, { ...link, status: "detached" });
    }
    const { primary, ...known } = attachment;
    const next: Link = {
      ...(link ?? firstLink(world, at, primary, meta)),
      status: "down",
      downAtMs: meta.atMs,
      upstream: primary,
      ...(stale || link?.upstream !== primary ? { stale: true } : {}),
    };
    return withLink(withRole(world, at, { mode: "secondary", ...known }), at, next);
  },
  FilterWritten: (world, { cluster, id, filter }) =>
    withPrimary(world, { cluster, kind: "performance" }, (role) => ({
      ...role,
      filters: role.filters.set(id, filter),
    })),
  FilterDeleted: (world, { cluster, id }) =>
    withPrimary(world, { cluster, kind: "performance" }, (role) => ({ ...role, filters: role.filters.delete(id) })),
};

function newPrimary(clusterId: string, primaryClusterAddr: string, sinceMs: EpochMs): PrimaryRole {
  const secondaries = Table.of<KnownSecondary>();
  return { mode: "primary", clusterId, primaryClusterAddr, sinceMs, secondaries, filters: Table.of<Filter>() };
}

function unconnected(upstream: ClusterName, applied: number, { atMs }: FoldMeta): Link {
  return { status: "restored", upstream, sinceMs: atMs, downAtMs: atMs, applied };
}

/** Of a cluster that was demoted. Until it has synced, what it stores is its own, and so is how that stands to a performance primary. */
function firstLink(world: SecretsWorld, { cluster, kind }: OfRole, upstream: ClusterName, meta: FoldMeta): Link {
  const upstreamLink = kind === "dr" ? upstreamMark(clusterOf(world, cluster)) : undefined;
  return { ...unconnected(upstream, 0, meta), ...(upstreamLink === undefined ? {} : { upstreamLink }) };
}

/** The role as it is stored: that of a disaster-recovery secondary's performance may be its primary's. */
function storedRole(world: SecretsWorld, { cluster, kind }: OfRole): ReplicationRole {
  const { ignored, local } = clusterOf(world, cluster);
  return kind === "dr" ? ignored.dr : local.performance;
}

function withRole(world: SecretsWorld, { cluster, kind }: OfRole, role: ReplicationRole): SecretsWorld {
  return kind === "dr"
    ? withIgnored(world, { cluster }, (ignored) => ({ ...ignored, dr: role }))
    : withLocal(world, { cluster }, (local) => ({ ...local, performance: role }));
}

function withPrimary(world: SecretsWorld, at: OfRole, change: (role: PrimaryRole) => PrimaryRole): SecretsWorld {
  const role = storedRole(world, at);
  return role.mode === "primary" ? withRole(world, at, change(role)) : world;
}

function withSecondary(
  world: SecretsWorld,
  at: OfRole,
  id: string,
  change: (known: KnownSecondary) => KnownSecondary,
): SecretsWorld {
  return withPrimary(world, at, (role) => ({
    ...role,
    secondaries: role.secondaries.set(id, change(role.secondaries.get(id) ?? { connected: false })),
  }));
}

function withLink(world: SecretsWorld, { cluster, kind }: OfRole, link: Link | undefined): SecretsWorld {
  return withIgnored(world, { cluster }, (ignored) => {
    const { [kind]: _, ...others } = ignored.links;
    return { ...ignored, links: link === undefined ? others : { ...others, [kind]: link } };
  });
}

/** Nobody is connected any more as a secondary of this kind. */
function withoutPeers(world: SecretsWorld, { cluster, kind }: OfRole): SecretsWorld {
  return withIgnored(world, { cluster }, (ignored) =>
    ignored.peers.some((peer) => peer.kind === kind)
      ? { ...ignored, peers: ignored.peers.filter((peer) => peer.kind !== kind) }
      : ignored,
  );
}

/** They serve a disaster-recovery secondary, and end with it (decisions-replication.md, 8.3). */
function withoutOperationTokens(world: SecretsWorld, { cluster, kind }: OfRole): SecretsWorld {
  if (kind !== "dr") return world;
  return withIgnored(world, { cluster }, ({ generation: _, ...ignored }) => ({
    ...ignored,
    drOperationTokens: Table.of<DrOperationToken>(),
  }));
}

/**
 * Whoever is promoted stands to a performance primary as its own primary did, or as it did itself where it had none since it was demoted
 * (decisions-replication.md, 5).
 */
function withRestoredLink(world: SecretsWorld, { cluster }: OfRole, meta: FoldMeta): SecretsWorld {
  const { dr } = clusterOf(world, cluster).ignored.links;
  const mark = dr === undefined ? upstreamMark(clusterOf(world, cluster)) : dr.upstreamLink;
  if (mark === undefined) return withLink(world, { cluster, kind: "performance" }, undefined);
  const { upstream, applied, ...others } = mark;
  const link = { ...unconnected(upstream, applied, meta), ...others };
  return withLink(world, { cluster, kind: "performance" }, link);
}

function changedRole(world: SecretsWorld, { cluster }: OfRole, roleChangedAtMs: EpochMs): SecretsWorld {
  return withIgnored(world, { cluster }, (ignored) => ({ ...ignored, roleChangedAtMs }));
}
