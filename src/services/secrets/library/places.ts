import { Table } from "../../../kernel/table.ts";

/**
 * Sets of places in a list, each below a prefix of its own: 32 places of the list to an entry, a bit for each, so that a place
 * comes and goes without moving its neighbours. An entry without places is left out: the first entry has the first place.
 */
export type Places = Table<number>;

export const noPlaces: Places = Table.of<number>();

const PLACES_PER_ENTRY = 32;
const DIGITS = 6;

export function withPlace(places: Places, prefix: string, place: number): Places {
  const key = keyOf(prefix, place);
  return places.set(key, (places.get(key) ?? 0) | bitOf(place));
}

export function withoutPlace(places: Places, prefix: string, place: number): Places {
  const key = keyOf(prefix, place);
  const before = places.get(key);
  if (before === undefined) return places;
  const after = before & ~bitOf(place);
  return after === 0 ? places.delete(key) : places.set(key, after);
}

/** The smallest place below a prefix. */
export function firstPlace(places: Places, prefix: string): number | undefined {
  const first = places.firstFrom(prefix);
  return first?.[0].startsWith(prefix) ? firstOf(first[0], first[1]) : undefined;
}

/** All places below a prefix; those of longer prefixes follow each other in the order of these. */
export function* placesBelow(places: Places, prefix: string): Generator<number> {
  for (const [key, bits] of places.entries({ prefix })) {
    for (let rest = bits; rest !== 0; rest &= rest - 1) yield firstOf(key, rest);
  }
}

function keyOf(prefix: string, place: number): string {
  return (
    prefix +
    Math.floor(place / PLACES_PER_ENTRY)
      .toString()
      .padStart(DIGITS, "0")
  );
}

function bitOf(place: number): number {
  return 1 << (place % PLACES_PER_ENTRY);
}

function firstOf(key: string, bits: number): number {
  const lowest = bits & -bits;
  return Number(key.slice(-DIGITS)) * PLACES_PER_ENTRY + (31 - Math.clz32(lowest));
}
