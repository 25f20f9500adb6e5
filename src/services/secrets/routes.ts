import type { RoutesAt } from "../../languages/vocabulary/words.ts";
import { type Found, namedCaptures, Router } from "../kit/router.ts";
import type { SecretsOperation, Verb } from "./declare.ts";
import { ENGINE_NAMES } from "./mounts/names.ts";
import type { EngineType } from "./mounts/state.ts";
import type { NamespacePlace } from "./place.ts";
import { type NamedOperation, secretsRegistry } from "./registry.ts";
import { type MountOfPath, mountOfPath, type SecretsWorld } from "./world.ts";

/** What a path of a namespace leads to, with a verb. */
export interface Resolved {
  /** What answers it; absent when no pattern fits, or none with this verb. */
  readonly named?: NamedOperation | undefined;
  /** A pattern fits the path, but not with this verb. */
  readonly wrongVerb: boolean;
  /** A pattern fits, but the slash that a listing adds makes it another path (amendments.md, S7). */
  readonly elsewhere?: true;
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
export function resolve(world: SecretsWorld, at: NamespacePlace, verb: Verb, path: string): Resolved {
  // A path of a read or a delete is taken as it stands: with a slash at its end it is another one, which few patterns fit.
  if (verb !== "LIST" && path.endsWith("/")) {
    if (path.endsWith("//") || verb === "POST") return NOWHERE;
    const bare = resolve(world, at, verb, path.slice(0, -1));
    return fitsWithSlash(bare.named?.operation.pattern) ? bare : NOWHERE;
  }
  // A listing is one of the path and `/`, which may be the mount itself; and the root of a store belongs to it without a slash, too.
  const within = mountOfPath(world, at, `${path}/`);
  const isRoot = within?.path === `${path}/` && within.mount.type === "kv";
  const fitting =
    within === undefined || (verb !== "LIST" && within.path === `${path}/` && !isRoot)
      ? found(SYSTEM, `/${path}`)
      : found(within.mount.type, path.slice(within.path.length - 1) || "/");
  if (verb !== "LIST" && (isRoot || path === "cubbyhole")) return rootOfStore(verb, within);
  if (fitting === undefined) return { ...NOWHERE, openPath: WELL_KNOWN.test(path) };
  const { verbs, values } = fitting;
  const [any] = verbs.values();
  if (values.length > 0 && any?.operation.names.test(values.join("/")) === false) {
    return { ...NOWHERE, openPath: allOpen(verbs) };
  }
  const named = verbs.get(verb);
  const openPath = named === undefined && allOpen(verbs);
  // Of versions, what is listed from the top is no path to anybody else (kv2/README.md, "What each call answers").
  const isTopOfVersions = within?.mount.type === "kv2" && values.length === 0 && any?.operation.verb === "LIST";
  const elsewhere =
    (verb === "LIST" && !openPath && !fitsWithSlash(any?.operation.pattern)) || (verb !== "LIST" && isTopOfVersions);
  return {
    named,
    wrongVerb: named === undefined && !elsewhere,
    ...(named === undefined && elsewhere ? { elsewhere } : {}),
    captures: named === undefined ? {} : namedCaptures(named.operation, values),
    openPath,
    ...(within === undefined ? {} : nonDefaultMount(within.path.slice(0, -1), within.mount.type)),
  };
}

/** What lies there is for everybody, and so is that nothing does (amendments.md, S47). */
const WELL_KNOWN = /^identity\/oidc\/(provider\/[^/]+\/)?\.well-known\//;

/** Where an object's path may have a slash at its end (amendments.md, S7 and S25). */
function fitsWithSlash(pattern = ""): boolean {
  return /^\/sys\/(.*\*\*:|policies\/(acl|password)\/:|namespaces\/:|plugins\/catalog)/.test(pattern);
}

/** What is asked of a store itself is asked of an object without a name (amendments.md, S38). */
function rootOfStore(verb: Verb, within: MountOfPath | undefined): Resolved {
  const fitting = within === undefined ? found(SYSTEM, "/cubbyhole/x") : found("kv", "/x");
  const named = fitting?.verbs.get(verb);
  const mount = within === undefined ? {} : nonDefaultMount(within.path.slice(0, -1), "kv");
  return { named, wrongVerb: named === undefined, captures: { path: "" }, ...mount };
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
  return [...verbs.values()].every(({ operation }) => operation.access.open !== undefined);
}

/**
 * The mount as a caller carries it: an engine's default one goes without saying, so that both doors leave the same log. From the
 * start each engine is mounted under its own name.
 */
export function nonDefaultMount(mount: string, engine: EngineType): { readonly mount?: string } {
  return mount === ENGINE_NAMES[engine] ? {} : { mount };
}
