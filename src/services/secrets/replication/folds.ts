import type { EpochMs } from "../../../kernel/brand.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { Fold, FoldMeta, Folds } from "../../../kernel/evolvers.ts";
import type { Upcasters } from "../../../kernel/model.ts";
import { Table } from "../../../kernel/table.ts";
import { adding } from "../../../kernel/upcast.ts";
import { blankLocal, blankReplicated } from "../birth.ts";
import type { RekeySlice } from "../cluster/rekey/state.ts";
import type { ClusterSlice } from "../cluster/state.ts";
import { withOwnParts, withPart } from "../folding.ts";
import type { ClusterName, InCluster } from "../place.ts";
import { clusterOf, type SecretsWorld } from "../world.ts";
import { type ConnectionSlice, type Link, NO_LINKS } from "./connections.ts";
import type { Filter } from "./filters/state.ts";
import { type LineageSlice, NOTHING_HELD } from "./lineage/state.ts";
import { linkAfter, linkState } from "./links.ts";
import type { MerkleSlice } from "./merkle/state.ts";
import type { DrOperationToken, DrOperationTokenSlice } from "./operation-tokens/state.ts";
import { upstreamMark } from "./settle/entry.ts";
import type {
  Activation,
  KnownSecondary,
  LocalReplicationSlice,
  PrimaryRole,
  ReplicationKind,
  ReplicationRole,
  ReplicationSlice,
  SecondaryRole,
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
  ReplicationPrimaryEnabled: OfRole & {
    readonly mode: "primary";
    readonly clusterId: string;
    readonly primaryClusterAddr: string;
  };
  ReplicationPrimaryDemoted: OfRole & { readonly mode: "secondary" };
  /** The cluster stands alone again, whatever it was. */
  ReplicationDisabled: OfRole & { readonly mode: "disabled" };
  /** What tokens for this cluster are encrypted to from now on. */
  SecondaryKeyGenerated: OfRole & { readonly seed: string };
  SecondaryTokenCreated: OfRole & { readonly id: string; readonly activation: Activation };
  /** The token was unwrapped; `connected` tells that its bearer reached the primary. */
  SecondaryTokenUsed: OfRole & { readonly id: string; readonly jti: string; readonly connected: boolean };
  SecondaryRevoked: OfRole & { readonly id: string };
  /** All that the cluster held is gone, and it has the primary's key shares. */
  ReplicationSecondaryEnabled: OfRole & Attachment & { readonly mode: "secondary" };
  SecondaryPromoted: OfRole & { readonly mode: "primary"; readonly primaryClusterAddr: string };
  /** It has another primary, or none. Nothing is lost. `stale` tells that what it holds may be of another past. */
  PrimaryUpdated: OfRole & { readonly attachment: Attachment | null; readonly stale: boolean };
  FilterWritten: { readonly cluster: ClusterName; readonly id: string; readonly filter: Filter };
  FilterDeleted: { readonly cluster: ClusterName; readonly id: string };
}

/** Facts of before carry no mode. */
export const replicationUpcasters: Upcasters = {
  ReplicationPrimaryEnabled: { 1: adding({ mode: "primary" }) },
  ReplicationPrimaryDemoted: { 1: adding({ mode: "secondary" }) },
  ReplicationDisabled: { 1: adding({ mode: "disabled" }) },
  ReplicationSecondaryEnabled: { 1: adding({ mode: "secondary" }) },
  SecondaryPromoted: { 1: adding({ mode: "primary" }) },
};

export const replicationFolds: Folds<SecretsWorld, ReplicationEvents> = {
  ReplicationPrimaryEnabled: changing((cluster, { kind, mode, clusterId, primaryClusterAddr }, { atMs }) => {
    changeRole(cluster, kind, newPrimary(mode, clusterId, primaryClusterAddr, atMs), atMs);
  }),
  ReplicationPrimaryDemoted: changing((cluster, { kind, mode }, { atMs }) => {
    const clusterId = setOf(cluster, kind);
    const demoted: SecondaryRole = {
      mode,
      clusterId,
      secondaryId: "",
      credential: null,
      primaryClusterAddr: "",
    };
    changeRole(cluster, kind, demoted, atMs);
    setLink(cluster, kind, undefined);
    if (kind === "dr") forgetAttempts(cluster.ignored);
  }),
  ReplicationDisabled: changing((cluster, { kind, mode }, meta) => {
    const wasSecondary = roleIn(cluster, kind).mode === "secondary";
    changeRole(cluster, kind, { mode }, meta.atMs);
    if (kind === "dr") forgetOperationTokens(cluster);
    if (kind === "dr" && wasSecondary) restoreLink(cluster, meta);
  }),
  SecondaryKeyGenerated: changing(({ ignored, local }, { kind, seed }) => {
    const holder = kind === "dr" ? ignored : local;
    holder.secondaryKey = { seed };
  }),
  SecondaryTokenCreated: changing((cluster, { kind, id, activation }) => {
    // The wrapping token lies in storage, whatever the kind (decisions-replication.md, 1: creating one adds 1).
    cluster.local.activationTokens += 1;
    setSecondary(cluster, kind, id, (known) => ({ ...known, activation }));
  }),
  SecondaryTokenUsed: changing((cluster, { kind, id, jti, connected }) => {
    setSecondary(cluster, kind, id, (known) => ({ credential: jti, connected: known.connected || connected }));
  }),
  SecondaryRevoked: changing((cluster, { kind, id }) => {
    setPrimary(cluster, kind, (role) => ({ ...role, secondaries: role.secondaries.delete(id) }));
  }),
  ReplicationSecondaryEnabled: (world, { primary, ...at }, meta) => {
    const { key, shares, threshold } = clusterOf(world, primary).ignored.seal;
    const { cluster: _, kind, ...attachment } = at;
    const wiped = withPart(withPart(world, at, "replicated", blankReplicated), at, "local", () => blankLocal);
    return withOwnParts(wiped, at, (cluster) => {
      const { ignored } = cluster;
      ignored.seal = { ...ignored.seal, key, shares, threshold };
      forgetAttempts(ignored);
      // What was wrong with the trees went with what they were made of, and so did what a disaster-recovery secondary had counted.
      if (ignored.merkle !== undefined) delete ignored.merkle;
      if (kind === "dr") ignored.walIndex = 0;
      ignored.roleChangedAtMs = meta.atMs;
      ignored.lineage = NOTHING_HELD;
      setRole(cluster, kind, attachment);
      setLink(cluster, kind, { ...unconnected(primary, 0, meta), bootstrapping: true, stale: true });
    });
  },
  SecondaryPromoted: changing((cluster, { kind, mode, primaryClusterAddr }, meta) => {
    changeRole(cluster, kind, newPrimary(mode, setOf(cluster, kind), primaryClusterAddr, meta.atMs), meta.atMs);
    if (kind === "dr") forgetOperationTokens(cluster);
    if (kind === "dr") restoreLink(cluster, meta);
  }),
  PrimaryUpdated: changing((cluster, { kind, attachment, stale }, meta) => {
    const role = roleIn(cluster, kind);
    if (role.mode !== "secondary") return;
    const link = cluster.ignored.links[kind];
    if (attachment === null) {
      setRole(cluster, kind, { ...role, primaryClusterAddr: "" });
      if (link !== undefined)
        setLink(cluster, kind, {
          ...link,
          status: linkAfter(linkState(link, meta.atMs), "detach"),
          downAt: link.downAt ?? meta.position,
        });
      return;
    }
    const { primary, ...known } = attachment;
    const before = link ?? firstLink(cluster, kind, primary, meta);
    setRole(cluster, kind, { mode: role.mode, ...known });
    setLink(cluster, kind, {
      ...before,
      status: linkAfter(linkState(before, meta.atMs), "attach"),
      downAtMs: meta.atMs,
      downAt: before.downAt ?? meta.position,
      upstream: primary,
      ...(stale || link?.upstream !== primary ? { stale: true } : {}),
    });
  }),
  FilterWritten: changing((cluster, { id, filter }) => {
    setPrimary(cluster, "performance", (role) => ({ ...role, filters: role.filters.set(id, filter) }));
  }),
  FilterDeleted: changing((cluster, { id }) => {
    setPrimary(cluster, "performance", (role) => ({ ...role, filters: role.filters.delete(id) }));
  }),
};

/** What of a cluster its roles are, and what hangs on them. */
interface Changing {
  readonly ignored: Flat<
    ReplicationSlice & ConnectionSlice & LineageSlice & DrOperationTokenSlice & MerkleSlice & ClusterSlice & RekeySlice
  >;
  readonly local: Flat<LocalReplicationSlice>;
}

/** The fold of a fact by which the roles of one cluster change, or what hangs on them. */
function changing<D extends InCluster>(
  change: (cluster: Changing, data: D, meta: FoldMeta) => void,
): Fold<SecretsWorld, D> {
  return (world, data, meta) => withOwnParts(world, data, (cluster) => change(cluster, data, meta));
}

function newPrimary(
  mode: PrimaryRole["mode"],
  clusterId: string,
  primaryClusterAddr: string,
  sinceMs: EpochMs,
): PrimaryRole {
  const secondaries = Table.of<KnownSecondary>();
  return { mode, clusterId, primaryClusterAddr, sinceMs, secondaries, filters: Table.of<Filter>() };
}

function unconnected(upstream: ClusterName, applied: number, { atMs, position }: FoldMeta): Link {
  return { status: linkAfter("idle", "restore"), upstream, sinceMs: atMs, downAtMs: atMs, downAt: position, applied };
}

/** Of a cluster that was demoted. Until it has synced, what it stores is its own, and so is how that stands to a performance primary. */
function firstLink(cluster: Changing, kind: ReplicationKind, upstream: ClusterName, meta: FoldMeta): Link {
  const upstreamLink = kind === "dr" ? upstreamMark(cluster) : undefined;
  return { ...unconnected(upstream, 0, meta), ...(upstreamLink === undefined ? {} : { upstreamLink }) };
}

/** The role as it is stored: that of a disaster-recovery secondary's performance may be its primary's. */
function roleIn({ ignored, local }: Changing, kind: ReplicationKind): ReplicationRole {
  return kind === "dr" ? ignored.dr : local.performance;
}

/** The id of the set that a cluster belongs to; empty for one that stands alone. */
function setOf(cluster: Changing, kind: ReplicationKind): string {
  const role = roleIn(cluster, kind);
  return role.mode === "disabled" ? "" : role.clusterId;
}

function setRole({ ignored, local }: Changing, kind: ReplicationKind, role: ReplicationRole): void {
  if (kind === "dr") ignored.dr = role;
  else local.performance = role;
}

/** Puts a cluster into another role: nobody is connected to it any more as a secondary of this kind. */
function changeRole(cluster: Changing, kind: ReplicationKind, role: ReplicationRole, atMs: EpochMs): void {
  const { ignored } = cluster;
  setRole(cluster, kind, role);
  ignored.roleChangedAtMs = atMs;
  if (ignored.peers.some((peer) => peer.kind === kind)) {
    ignored.peers = ignored.peers.filter((peer) => peer.kind !== kind);
  }
}

function setPrimary(cluster: Changing, kind: ReplicationKind, change: (role: PrimaryRole) => PrimaryRole): void {
  const role = roleIn(cluster, kind);
  if (role.mode === "primary") setRole(cluster, kind, change(role));
}

function setSecondary(
  cluster: Changing,
  kind: ReplicationKind,
  id: string,
  change: (known: KnownSecondary) => KnownSecondary,
): void {
  setPrimary(cluster, kind, (role) => ({
    ...role,
    secondaries: role.secondaries.set(id, change(role.secondaries.get(id) ?? { connected: false })),
  }));
}

function setLink({ ignored }: Changing, kind: ReplicationKind, link: Link | undefined): void {
  const { [kind]: before, ...others } = ignored.links;
  if (link !== undefined) ignored.links = { ...others, [kind]: link };
  else if (before !== undefined) ignored.links = Object.keys(others).length === 0 ? NO_LINKS : others;
}

/** They serve a disaster-recovery secondary, and end with it (decisions-replication.md, 8.3). */
function forgetOperationTokens({ ignored }: Changing): void {
  forgetAttempts(ignored);
  if (ignored.drOperationTokens.size > 0) ignored.drOperationTokens = Table.of<DrOperationToken>();
}

/** What holders of key shares have begun ends with the role, or the key, that they began it under. */
function forgetAttempts(ignored: Changing["ignored"]): void {
  if (ignored.generation !== undefined) delete ignored.generation;
  if (ignored.rekey !== undefined) delete ignored.rekey;
}

/**
 * Whoever is promoted stands to a performance primary as its own primary did, or as it did itself where it had none since it was demoted
 * (decisions-replication.md, 5).
 */
function restoreLink(cluster: Changing, meta: FoldMeta): void {
  const { dr, performance } = cluster.ignored.links;
  const mark = dr === undefined ? upstreamMark(cluster) : dr.upstreamLink;
  if (mark === undefined) {
    setLink(cluster, "performance", undefined);
    return;
  }
  const { upstream, applied, ...others } = mark;
  // Its own broke when it was demoted.
  const broken = dr === undefined && performance?.downAt !== undefined ? { downAt: performance.downAt } : {};
  setLink(cluster, "performance", { ...unconnected(upstream, applied, meta), ...others, ...broken });
}
