import { optionsAt } from "../../kernel/arguments.ts";
import type { EpochMs } from "../../kernel/brand.ts";
import type { Via } from "../../kernel/commit.ts";
import { hashOf, hexOf } from "../../kernel/hash.ts";
import type { Host } from "../../kernel/host.ts";
import { copyPlain } from "../../kernel/plain.ts";
import type { Duration } from "../../languages/duration.ts";
import { shown } from "../../languages/shown.ts";
import { renamedIdentifier } from "../../languages/vocabulary/rename.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import type { ServiceWords } from "../../languages/vocabulary/words.ts";
import type { storeControls } from "./control.ts";
import { objectsBelow, type StoresWorld, storesOf, urlOf } from "./state.ts";
import { neutralStores, renamedSnapshotUrl } from "./words.ts";

/** A snapshot in a store. */
export interface StoredSnapshot {
  /** The cluster whose local store it lies in; absent for a cloud store, which belongs to all. */
  readonly cluster?: string;
  readonly url: string;
  readonly bytes: number;
  readonly storedAtMs: EpochMs;
  /** Two snapshots of equal storage have equal hashes. It is computed when it is first asked for. */
  readonly stateHash: string;
}

/** The four kinds of stores that a snapshot configuration can name. */
export type StorageType = "local" | "cloud1-bucket" | "cloud2-bucket" | "cloud3-blob";

/** The stores that automated snapshots are written to: local ones of each cluster, and cloud ones that all clusters share. */
export interface StoresHandle {
  /**
   * The snapshots whose URLs begin with a prefix, by URL; `""` means all. With a cluster, only what it sees: the cloud stores and
   * its own local ones.
   *
   * @throws TypeError for a prefix that is no text, and for what is no cluster of this simulator
   * @example
   * sim.stores.list("file:///backups/", { cluster: east }).map(({ url }) => url);
   */
  list(urlPrefix: string, options?: { readonly cluster?: { readonly name: string } }): StoredSnapshot[];
  /**
   * Switches stores off or on: all of a storage type, or those below a URL prefix. The last call that covers a URL counts. An
   * attempt fails that ends while its store is off.
   *
   * @throws TypeError for what is neither a storage type nor a URL prefix
   * @example
   * sim.stores.setAvailable("cloud1-bucket", false);
   */
  setAvailable(storageTypeOrUrlPrefix: StorageType | (string & {}), available: boolean): void;
  /**
   * Says how many bytes are free below a URL prefix, whoever writes there; `undefined` is as many as one likes, as it is from the
   * start. Objects that are written and deleted are counted from then on.
   */
  setFreeBytes(urlPrefix: string, bytes: number | undefined): void;
  /** Bytes that each snapshot takes that is begun from now on. Default 1,024. */
  setSnapshotBytes(bytes: number): void;
  /** How long each attempt takes that is begun from now on. Default 0. */
  setSnapshotDuration(duration: Duration): void;
}

/** Makes the handle of a world's stores; `via` is the door whose calls it makes, and `knows` tells which clusters there are. */
export function storesHandle<S extends StoresWorld>(
  host: Host<S>,
  via: Via,
  knows: (state: S, cluster: string) => boolean,
): StoresHandle {
  const control = (call: keyof typeof storeControls, input: unknown): void => {
    const command = { name: call, input: copyPlain(input, call.slice("control.".length)), caller: null, via };
    host.execute(command, () => undefined);
  };
  const neutral = <T extends string>(stores: T): string =>
    typeof stores === "string" ? neutralStores(wordsOf(host.state)?.secrets, stores) : stores;
  return Object.freeze({
    list: (urlPrefix, options = {}) => {
      if (typeof urlPrefix !== "string") {
        throw new TypeError(`stores.list: ${shown(urlPrefix)} is no URL prefix: it is a text, "" for all`);
      }
      const cluster = clusterIn(options, (name) => knows(host.state, name));
      const words = wordsOf(host.state)?.secrets;
      const rows: StoredSnapshot[] = [];
      for (const [place, { bytes, storedAtMs, content }] of objectsBelow(
        storesOf(host.state),
        searched(words, urlPrefix),
      )) {
        if (cluster !== undefined && place.cluster !== undefined && place.cluster !== cluster) continue;
        const url = urlOf(place);
        const own = words === undefined ? url : renamedSnapshotUrl(words, url, "own");
        rows.push({
          ...(place.cluster === undefined ? {} : { cluster: place.cluster }),
          url: own,
          bytes,
          storedAtMs,
          get stateHash() {
            return hexOf(hashOf(content));
          },
        });
      }
      return (words === undefined ? rows : begunBy(words, rows, urlPrefix)).sort(byUrl);
    },
    setAvailable: (stores, available) => control("control.stores.setAvailable", { stores: neutral(stores), available }),
    setFreeBytes: (prefix, bytes) => control("control.stores.setFreeBytes", { prefix: neutral(prefix), bytes }),
    setSnapshotBytes: (bytes) => control("control.stores.setSnapshotBytes", { bytes }),
    setSnapshotDuration: (duration) => control("control.stores.setSnapshotDuration", { duration }),
  } satisfies StoresHandle);
}

/** Below which URLs those lie that begin with a prefix in either words: what a file begins with may be a word as well. */
function searched(words: ServiceWords | undefined, prefix: string): string {
  if (words === undefined) return prefix;
  const neutral = renamedIdentifier(words, prefix, "neutral");
  // A scheme may be there in part.
  return neutral.includes("://") ? neutral.slice(0, neutral.lastIndexOf("/") + 1) : "";
}

/**
 * The rows whose URLs begin with a prefix.
 *
 * Our choice: a prefix is read in the words that rows are shown in, and in the contract's where that finds nothing.
 */
function begunBy(words: ServiceWords, rows: readonly StoredSnapshot[], prefix: string): StoredSnapshot[] {
  const shown = rows.filter(({ url }) => url.startsWith(prefix));
  if (shown.length > 0) return shown;
  return rows.filter(({ url }) => renamedSnapshotUrl(words, url, "neutral").startsWith(prefix));
}

function byUrl(left: StoredSnapshot, right: StoredSnapshot): number {
  if (left.url !== right.url) return left.url < right.url ? -1 : 1;
  return (left.cluster ?? "") < (right.cluster ?? "") ? -1 : 1;
}

/** The name of the cluster that a listing is for; a handle of a parent, a fork or a view means the cluster of that name. */
function clusterIn(options: { readonly cluster?: unknown }, knows: (cluster: string) => boolean): string | undefined {
  const { cluster } = optionsAt("stores.list", options, ["cluster"]);
  if (cluster === undefined) return undefined;
  const name = typeof cluster === "object" && cluster !== null ? (cluster as { name?: unknown }).name : undefined;
  if (typeof name === "string" && knows(name)) return name;
  throw new TypeError(
    `stores.list: ${shown(cluster)} is no cluster of this simulator: take what sim.secrets.cluster gives`,
  );
}
