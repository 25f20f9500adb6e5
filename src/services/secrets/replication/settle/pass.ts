import type { FoldMeta } from "../../../../kernel/evolvers.ts";
import { deepFreeze } from "../../../../kernel/plain.ts";
import { ignoredWith } from "../../copies.ts";
import type { ClusterName } from "../../place.ts";
import type { Cluster, Ignored } from "../../state.ts";
import type { Replicated } from "../../storage.ts";
import type { ConnectedWorld } from "../addresses.ts";
import type { Link, WalEntry } from "../connections.ts";
import type { ReplicationKind } from "../state.ts";
import { entryOf } from "./entry.ts";
import { type Vanished, vanished } from "./vanished.ts";

/** The clusters of one commit while what follows from it is worked out: copied once, however many of them change. */
export class Pass {
  readonly before: ConnectedWorld;
  readonly meta: FoldMeta;
  /** Clusters whose log has got an entry. */
  readonly written = new Set<ClusterName>();
  /** Links may have changed, so nobody knows yet who gets an entry. */
  readonly rewired: boolean;
  readonly #after: ConnectedWorld;
  #changed: Record<string, Cluster> | undefined;
  #world: ConnectedWorld | undefined;
  #vanished:
    | { readonly before: Replicated; readonly after: Replicated; readonly gone: Vanished | undefined }
    | undefined;
  #entry: { readonly of: Cluster; readonly entry: WalEntry } | undefined;

  constructor(before: ConnectedWorld, after: ConnectedWorld, meta: FoldMeta, rewired: boolean) {
    this.before = before;
    this.#after = after;
    this.meta = meta;
    this.rewired = rewired;
  }

  get names(): readonly ClusterName[] {
    return Object.keys(this.#after.secrets) as ClusterName[];
  }

  get(name: ClusterName): Cluster {
    return (this.#changed ?? this.#after.secrets)[name] as Cluster;
  }

  put(name: ClusterName, cluster: Cluster): void {
    this.#changed ??= { ...this.#after.secrets };
    this.#changed[name] = cluster;
    this.#world = undefined;
  }

  /** As `put`, of parts that are frozen. */
  putFrozen(name: ClusterName, cluster: Cluster): void {
    this.put(name, Object.freeze(cluster));
  }

  /** What of one version is missing in another: most secondaries go from the same one to the same other. */
  vanished(before: Replicated, after: Replicated): Vanished | undefined {
    if (this.#vanished?.before !== before || this.#vanished.after !== after) {
      this.#vanished = { before, after, gone: vanished(before, after) };
    }
    return this.#vanished.gone;
  }

  /** The present storage of a cluster, as an entry of its log: one for however many get it. */
  entryOf(name: ClusterName): WalEntry {
    const cluster = this.get(name);
    if (this.#entry?.of !== cluster) this.#entry = { of: cluster, entry: entryOf(cluster, this.meta) };
    return this.#entry.entry;
  }

  /** What changes is frozen at once: a copy made of it later in the pass may be frozen without a look at its members. */
  putIgnored(name: ClusterName, changed: Partial<Ignored>): void {
    const cluster = this.get(name);
    this.put(name, { ...cluster, ignored: ignoredWith(cluster.ignored, deepFreeze(changed)) });
  }

  /** Nobody has connected: nothing has to be kept. */
  dropLog(name: ClusterName): void {
    const cluster = this.get(name);
    const { wal: _, ...ignored } = cluster.ignored;
    this.put(name, { ...cluster, ignored });
  }

  link(name: ClusterName, kind: ReplicationKind): Link | undefined {
    return this.get(name).ignored.links[kind];
  }

  putLink(name: ClusterName, kind: ReplicationKind, link: Link): void {
    this.putIgnored(name, { links: { ...this.get(name).ignored.links, [kind]: link } });
  }

  /** The world as it is so far. */
  get world(): ConnectedWorld {
    this.#world ??= this.#changed === undefined ? this.#after : { ...this.#after, secrets: this.#changed };
    return this.#world;
  }

  /** The world after all. */
  settled<W extends ConnectedWorld>(): W {
    return (this.#changed === undefined ? this.#after : deepFreeze(this.world)) as W;
  }
}
