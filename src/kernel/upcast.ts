import type { RecordedEvent } from "./commit.ts";
import type { Model, Upcasters } from "./model.ts";

/**
 * A fact as it is folded now, from one as it was written. Each upcaster makes data of one version into data of the next, or into
 * a fact of another type, of whose version 1 it then is.
 *
 * @throws TypeError for a fact of a type that nothing folds, or of a version that is newer than ours or that nothing reads
 */
export function upcast<S extends object, M extends object>(model: Model<S, M>, written: RecordedEvent): RecordedEvent {
  let event = written;
  for (;;) {
    const upcasters = own(model.upcasters, event.type);
    const upcaster = upcasters === undefined ? undefined : own(upcasters, `${event.v}`);
    if (upcaster === undefined) break;
    const { type = event.type, data } = (upcaster as (data: unknown) => { type?: string; data: unknown })(event.data);
    event = { type, v: type === event.type ? event.v + 1 : 1, data };
  }
  const current = own(model.folds, event.type) === undefined ? undefined : (own(model.versions, event.type) ?? 1);
  if (current === undefined) throw new TypeError(`nothing folds a fact of type ${written.type}`);
  if (event.v > current) {
    throw new TypeError(`${written.type} has version ${written.v}, and this version of the library knows ${current}`);
  }
  if (event.v < current) throw new TypeError(`nothing reads version ${event.v} of ${event.type}: it is at ${current}`);
  return event;
}

function own<T extends object>(table: T | undefined, name: string): T[keyof T] | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name as keyof T] : undefined;
}

/** Makes data of the next version by adding members that older facts lack. */
export function adding(members: object): Upcasters[string][number] {
  return (data: object) => ({ data: { ...data, ...members } });
}

/** The versions that facts have now: each upcaster has led to one more. */
export function versionsOf(upcasters: Upcasters): { readonly [type: string]: number } {
  return Object.fromEntries(Object.entries(upcasters).map(([type, steps]) => [type, 1 + Object.keys(steps).length]));
}
