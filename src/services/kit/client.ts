import type { Operation } from "./operation.ts";
import { isOperation, type Named, type Resource } from "./registry.ts";

/** The typed door to operations: a call for each, in the shape of the table. */
export type ClientOf<T> = { readonly [N in keyof T]: T[N] extends Operation<infer C> ? C : ClientOf<T[N]> };

/** Makes the call of an operation for whoever asks. */
export type CallMaker<O extends Operation, A> = (asking: A, named: Named<O>) => unknown;

const ASKING = Symbol("asking");

/**
 * Makes typed doors. One is made for each token, and most of them for one call: what a resource has is kept for all of them, and a member
 * appears when it is first used.
 */
export function clientMaker<O extends Operation, A, T extends Resource<O>>(
  service: string,
  table: T,
  callOf: CallMaker<O, A>,
): (asking: A) => ClientOf<T> {
  const members = new Map<Resource<O>, object>();

  const clientOf = (asking: A, path: string, resource: Resource<O>): object => {
    let prototype = members.get(resource);
    if (prototype === undefined) {
      prototype = membersOf(path, resource);
      members.set(resource, prototype);
    }
    return Object.defineProperty(Object.create(prototype) as object, ASKING, { value: asking });
  };

  const membersOf = (path: string, resource: Resource<O>): object => {
    const prototype = {};
    for (const [member, entry] of Object.entries(resource)) {
      const name = `${path}.${member}`;
      const made = isOperation(entry)
        ? (asking: A) => callOf(asking, { name, operation: entry })
        : (asking: A) => clientOf(asking, name, entry);
      Object.defineProperty(prototype, member, {
        enumerable: true,
        get(this: { readonly [ASKING]: A }) {
          const value = made(this[ASKING]);
          Object.defineProperty(this, member, { value, enumerable: true });
          return value;
        },
      });
    }
    return Object.freeze(prototype);
  };

  return (asking) => clientOf(asking, service, table) as ClientOf<T>;
}
