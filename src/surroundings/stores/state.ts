import type { EpochMs } from "../../kernel/brand.ts";
import type { Flat } from "../../kernel/draft.ts";
import type { FlatEvolvers, Part } from "../../kernel/evolvers.ts";
import type { ContentHashed } from "../../kernel/hash.ts";
import { withMember } from "../../kernel/parts.ts";
import { deepFreeze } from "../../kernel/plain.ts";
import { Table } from "../../kernel/table.ts";

/** Whoever has snapshot stores. The part appears with its first fact. */
export interface StoresWorld {
  readonly stores?: Stores;
}

/**
 * The stores that snapshots are written to: local ones of each cluster, and cloud ones that all share.
 *
 * Source: decisions-secrets-core.md, B.3.
 */
export interface Stores {
  /** By `objectKey`: those of one place lie together, the oldest first. */
  readonly objects: Table<StoredObject>;
  /** What lies at each place, by `placeKey`, so that nobody has to count. */
  readonly places: Table<PlaceUse>;
  /** URL prefixes that were switched, and whether they are up; the longest that fits a URL counts. */
  readonly availability: Table<boolean>;
  /** Bytes that are still free below URL prefixes; below all others there is room for anything. */
  readonly freeBytes: Table<number>;
  /** Bytes that a snapshot takes. */
  readonly snapshotBytes: number;
  /** Milliseconds that an attempt takes. */
  readonly snapshotDurationMs: number;
}

/** Where a configuration's objects lie: all of one place share retention and space. */
export interface SnapshotPlace {
  /** The cluster whose local store it is; absent for a cloud store. */
  readonly cluster?: string;
  /** The URLs of its objects up to the hyphen before their number. */
  readonly base: string;
}

/** One object of a store, as facts name it. */
export interface ObjectPlace extends SnapshotPlace {
  /** The digits in its name: the start of its attempt in nanoseconds since 1970. */
  readonly number: string;
}

export interface StoredObject {
  readonly bytes: number;
  readonly storedAtMs: EpochMs;
  /** What was saved: it is shared with the state that it was taken of. */
  readonly content: ContentHashed;
}

interface PlaceUse {
  readonly objects: number;
  readonly bytes: number;
  /** The number that was given out last: no two objects have one name. */
  readonly lastNumber: string;
}

/** The facts of the stores themselves; what is written to them is told by whoever writes. */
export interface StoreEvents {
  StoreAvailabilityChanged: { readonly prefix: string; readonly available: boolean };
  /** Without bytes there is room for anything. */
  StoreFreeBytesSet: { readonly prefix: string; readonly bytes?: number };
  SnapshotBytesSet: { readonly bytes: number };
  SnapshotDurationSet: { readonly durationMs: number };
}

const UNTOUCHED_STORES: Stores = Object.freeze({
  objects: Table.of<StoredObject>(),
  places: Table.of<PlaceUse>(),
  availability: Table.of<boolean>(),
  freeBytes: Table.of<number>(),
  snapshotBytes: 1024,
  snapshotDurationMs: 0,
});

export const storeEvolvers: FlatEvolvers<Stores, StoreEvents> = {
  StoreAvailabilityChanged: (stores, { prefix, available }) => {
    // The last call that covers a URL counts: what was said before of anything below is forgotten.
    for (const below of [...stores.availability.keys({ prefix })]) {
      stores.availability = stores.availability.delete(below);
    }
    stores.availability = stores.availability.set(prefix, available);
  },
  StoreFreeBytesSet: (stores, { prefix, bytes }) => {
    stores.freeBytes = bytes === undefined ? stores.freeBytes.delete(prefix) : stores.freeBytes.set(prefix, bytes);
  },
  SnapshotBytesSet: (stores, { bytes }) => {
    stores.snapshotBytes = bytes;
  },
  SnapshotDurationSet: (stores, { durationMs }) => {
    stores.snapshotDurationMs = durationMs;
  },
};

/** The part that facts change. */
export const withStores: Part<StoresWorld, Stores, unknown> = (world, _, change) => {
  if (world.stores !== undefined) return withMember(world, "stores", change);
  const after = change(UNTOUCHED_STORES);
  return after === UNTOUCHED_STORES ? world : { ...world, stores: deepFreeze(after) };
};

/** The stores as they are, also before anything has happened to them. */
export function storesOf({ stores }: StoresWorld): Stores {
  return stores ?? UNTOUCHED_STORES;
}

// --- reading --------------------------------------------------------------------------------------------------------

/** The URL of an object. */
export function urlOf({ base, number }: ObjectPlace): string {
  return `${base}-${number}.snap`;
}

/** Whose object a URL is; undefined for a URL that no snapshot has. */
export function objectAt(url: string, cluster: string): ObjectPlace | undefined {
  const [, base, number] = /^(.*)-(0|[1-9]\d*)\.snap$/s.exec(url) ?? [];
  if (base === undefined || number === undefined) return undefined;
  return isLocal(url) ? { cluster, base, number } : { base, number };
}

/** Whether a URL is one of a cluster's own store. */
function isLocal(url: string): boolean {
  return url.startsWith(LOCAL_SCHEME);
}

export const LOCAL_SCHEME = "file://";

/** Objects and bytes at a place. */
export function useOf(stores: Stores, place: SnapshotPlace): Pick<PlaceUse, "objects" | "bytes"> {
  return stores.places.get(placeKey(place)) ?? NOTHING;
}

const NOTHING: PlaceUse = Object.freeze({ objects: 0, bytes: 0, lastNumber: "" });

/** The oldest objects at a place, by number. */
export function oldestOf(stores: Stores, place: SnapshotPlace, count: number): ObjectPlace[] {
  const oldest: ObjectPlace[] = [];
  if (count <= 0) return oldest;
  for (const key of stores.objects.keys({ prefix: placeKey(place) })) {
    oldest.push(placeOfKey(key));
    if (oldest.length === count) break;
  }
  return oldest;
}

/**
 * The number of an object whose attempt starts at an instant.
 *
 * Our choice: of two that start at one place in the same millisecond the second is a nanosecond later, as on a real clock, so that
 * neither takes the other's name.
 */
export function nextNumber(stores: Stores, place: SnapshotPlace, startMs: EpochMs): string {
  const now = `${startMs}${"0".repeat(6)}`.replace(/^0+(?=.)/, "");
  const { lastNumber } = stores.places.get(placeKey(place)) ?? NOTHING;
  return lastNumber === "" || padded(lastNumber) < padded(now) ? now : `${BigInt(lastNumber) + 1n}`;
}

/** Why a store does not take an object, in words; undefined when it does. */
export function storeFault(stores: Stores, url: string, bytes: number): string | undefined {
  if (!isAvailable(stores, url)) return `error writing ${url}: the store cannot be reached`;
  for (const prefix of prefixesOf(stores.freeBytes, url)) {
    const free = stores.freeBytes.get(prefix) ?? 0;
    if (free < bytes) return `error writing ${url}: no space left in the store: ${free} bytes are free`;
  }
  return undefined;
}

function isAvailable({ availability }: Stores, url: string): boolean {
  const longest = prefixesOf(availability, url).at(-1);
  return longest === undefined || availability.get(longest) === true;
}

/** The keys of a table that a URL begins with, the shortest first. */
function prefixesOf<V>(table: Table<V>, url: string): string[] {
  const found: string[] = [];
  if (table.size === 0) return found;
  for (let length = 1; length <= url.length; length++) {
    const prefix = url.slice(0, length);
    if (table.has(prefix)) found.push(prefix);
  }
  return found;
}

/** The objects whose URLs begin with a prefix, by URL and, of one URL, by cluster. */
export function* objectsBelow(
  { objects }: Stores,
  prefix: string,
): Generator<readonly [place: ObjectPlace, stored: StoredObject]> {
  // A prefix ends in what objects of a place have in common, or in the number of one.
  const bases = new Set([prefix, `${prefix.slice(0, Math.max(prefix.lastIndexOf("-"), 0))}${END}`]);
  for (const base of bases) {
    for (const [key, stored] of objects.entries({ prefix: base })) {
      const place = placeOfKey(key);
      if (urlOf(place).startsWith(prefix)) yield [place, stored];
    }
  }
}

// --- writing --------------------------------------------------------------------------------------------------------

/** A number was given out at a place. */
export function countNumber(stores: Flat<Stores>, { number, ...place }: ObjectPlace): void {
  const use = stores.places.get(placeKey(place)) ?? NOTHING;
  stores.places = stores.places.set(placeKey(place), { ...use, lastNumber: number });
}

/** An object appears. */
export function addObject(stores: Flat<Stores>, place: ObjectPlace, stored: StoredObject): void {
  stores.objects = stores.objects.set(objectKey(place), stored);
  count(stores, place, 1, stored.bytes);
}

/** An object is deleted. */
export function removeObject(stores: Flat<Stores>, place: ObjectPlace): void {
  const stored = stores.objects.get(objectKey(place));
  if (stored === undefined) return;
  stores.objects = stores.objects.delete(objectKey(place));
  count(stores, place, -1, -stored.bytes);
}

function count(stores: Flat<Stores>, place: ObjectPlace, objects: number, bytes: number): void {
  const { number, ...of } = place;
  const use = stores.places.get(placeKey(of)) ?? { ...NOTHING, lastNumber: number };
  const { lastNumber } = use;
  stores.places = stores.places.set(placeKey(of), {
    objects: use.objects + objects,
    bytes: use.bytes + bytes,
    lastNumber,
  });
  for (const prefix of prefixesOf(stores.freeBytes, urlOf(place))) {
    stores.freeBytes = stores.freeBytes.set(prefix, (stores.freeBytes.get(prefix) ?? 0) - bytes);
  }
}

/** An object of a place; undefined when it was deleted, or never written. */
export function storedAt({ objects }: Stores, place: ObjectPlace): StoredObject | undefined {
  return objects.get(objectKey(place));
}

// --- keys -----------------------------------------------------------------------------------------------------------

/** No URL has this character: those of a place are made without it. */
const END = "\0";

/** As many digits as the last instant that there is has in nanoseconds. */
const NUMBER_DIGITS = 21;

function placeKey({ base, cluster = "" }: SnapshotPlace): string {
  return `${base}${END}${cluster}${END}`;
}

function objectKey(place: ObjectPlace): string {
  return placeKey(place) + padded(place.number);
}

function padded(number: string): string {
  return number.padStart(NUMBER_DIGITS, "0");
}

function placeOfKey(key: string): ObjectPlace {
  const [base = "", cluster = "", digits = ""] = key.split(END);
  const number = digits.replace(/^0+(?=.)/, "");
  return cluster === "" ? { base, number } : { cluster, base, number };
}
