import type { RoutesAt } from "../../languages/vocabulary/words.ts";
import { type Found, namedCaptures, Router } from "../kit/router.ts";
import type { SecretsOperation, Verb } from "./declare.ts";
import type { EngineType } from "./mounts/state.ts";
import type { NamespacePlace } from "./place.ts";
import { type NamedOperation, secretsRegistry } from "./registry.ts";
import { mountOfPath, type SecretsWorld } from "./world.ts";

/** What a path of a namespace leads to, with a verb. */
export interface Resolved {
  /** What answers it; absent when no pattern fits, or none with this verb. */
  readonly named?: NamedOperation | undefined;
  /** A pattern fits the path, but not with this verb. */
  readonly wrongVerb: boolean;
  /** All that is there asks for no token: neither does the answer that nothing is there with this verb, or of this name. */
  readonly openPath?: boolean;
  /** The captures under the operation's own names. */
  readonly captures: { readonly [name: string]: string };
  /** The mount that the path lies in, unless it is the default one. */
  readonly mount?: string;
}

/** What the system's operations have as their engine. */
const SYSTEM = "system";

/**
 * Paths of the system, and paths below the mounts of each engine: made for the first path that is looked for, as most importers never look
 * for one.
 */
const routers = new WeakMap<typeof secretsRegistry, Routers>();

type Routers = ReadonlyMap<EngineType | typeof SYSTEM, Router<SecretsOperation>>;

/** The pattern that fits takes a path, whatever the verb. A slash at its end is none: a path that must have none was looked at before. */
function found(engine: EngineType | typeof SYSTEM, path: string): Found<SecretsOperation> | undefined {
  const known = routers.get(secretsRegistry) ?? newRouters();
  routers.set(secretsRegistry, known);
  const bare = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  return known.get(engine)?.find(bare.split("/"));
}

function newRouters(): Routers {
  const made = new Map<EngineType | typeof SYSTEM, Router<SecretsOperation>>();
  for (const [name, operation] of secretsRegistry.byName) {
    const { engine = SYSTEM, pattern, shortPattern } = operation;
    const router = made.get(engine) ?? new Router<SecretsOperation>();
    made.set(engine, router);
    router.add(pattern, { name, operation });
    if (shortPattern !== undefined) router.add(shortPattern === "" ? "/" : shortPattern, { name, operation });
  }
  return made;
}

const NOWHERE: Resolved = Object.freeze({ wrongVerb: false, captures: Object.freeze({}) });

/**
 * Where a path of a namespace leads; `path` has no leading slash. Whatever the verb, the first pattern that fits takes it, and
 * a name that breaks its rule makes it no path at all (decisions-secrets-core.md, A.4).
 */
export function resolve(world: SecretsWorld, at: NamespacePlace, verb: Verb | "PATCH", path: string): Resolved {
  // A path of a read or a delete is taken as it stands: with a slash at its end it is another one, and none that we know.
  if (verb !== "LIST" && path.endsWith("/")) return NOWHERE;
  // A listing is one of the path and `/`, which may be the mount itself.
  const within = mountOfPath(world, at, verb === "LIST" ? `${path}/` : path);
  const fitting =
    within === undefined
      ? found(SYSTEM, `/${path}`)
      : found(within.mount.type, path.slice(within.path.length - 1) || "/");
  if (fitting === undefined) return NOWHERE;
  const { verbs, values } = fitting;
  const [any] = verbs.values();
  if (values.length > 0 && any?.operation.names.test(values.join("/")) === false) {
    return { ...NOWHERE, openPath: allOpen(verbs) };
  }
  const named = verb === "PATCH" ? undefined : verbs.get(verb);
  return {
    named,
    wrongVerb: named === undefined,
    captures: named === undefined ? {} : namedCaptures(named.operation, values),
    openPath: named === undefined && allOpen(verbs),
    ...(within === undefined ? {} : nonDefaultMount(within.path.slice(0, -1), within.mount.type)),
  };
}

/** The operations at a path of a namespace, and what of it their patterns are about; undefined where none is. */
export function operationsAt(
  world: SecretsWorld,
  at: NamespacePlace,
  path: string,
): { readonly below: string; readonly operations: readonly NamedOperation[] } | undefined {
  const within = mountOfPath(world, at, `${path}/`);
  const below = within === undefined ? `/${path}` : path.slice(within.path.length - 1);
  const fitting = found(within?.mount.type ?? SYSTEM, below || "/");
  return fitting === undefined ? undefined : { below, operations: [...fitting.verbs.values()] };
}

/** The patterns that a path of a namespace may fit, for whoever renames the words in it. */
export const routesAt: RoutesAt = (world, at, path) => {
  const fitting = operationsAt(world as SecretsWorld, at as NamespacePlace, path);
  const [any] = fitting?.operations ?? [];
  if (fitting === undefined || any === undefined) return undefined;
  const { pattern, shortPattern } = any.operation;
  return { below: fitting.below, patterns: shortPattern === undefined ? [pattern] : [pattern, shortPattern] };
};

function allOpen(verbs: Found<SecretsOperation>["verbs"]): boolean {
  return [...verbs.values()].every(({ operation }) => operation.access.open === true);
}

/**
 * The mount as a caller carries it: an engine's default one goes without saying, so that both doors leave the same log. From the
 * start each engine is mounted under its own name.
 */
export function nonDefaultMount(mount: string, engine: EngineType): { readonly mount?: string } {
  return mount === engine ? {} : { mount };
}
