/** What a handle stands for, as the log writes it: `{ region: "eu" }`. */
export type HandlePlace = { readonly [kind: string]: string };

/** What the handles that were given out stand for. */
const places = new WeakMap<object, HandlePlace>();

/** Makes an object a handle: calls that take one find out what it stands for. */
export function asHandle<T extends object>(handle: T, place: HandlePlace): T {
  places.set(handle, place);
  return handle;
}

/** The place that a handle stands for; undefined for a value that is not a handle. */
export function placeOfHandle(handle: unknown): HandlePlace | undefined {
  return typeof handle === "object" && handle !== null ? places.get(handle) : undefined;
}
