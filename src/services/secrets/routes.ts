import { addRoute, createRouter, findRoute } from "rou3";
import type { RoutesAt } from "../../languages/vocabulary/words.ts";
import type { SecretsOperation, Verb } from "./declare.ts";
import type { NamespacePlace } from "./place.ts";
import { operationsByName } from "./registry.ts";
import { type EngineType, type MountOfPath, mountOfPath, type SecretsWorld } from "./state.ts";

/** An operation and its full name. */
export interface NamedOperation {
  readonly name: string;
  readonly operation: SecretsOperation;
}

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

type RoutingTable = ReturnType<typeof createRouter<Map<Verb, NamedOperation>>>;

/** What captures are called in tables, with their places in the path. */
const CAPTURE = "capture";

/** What the system's operations have as their engine. */
const SYSTEM = "system";

type Routed = EngineType | typeof SYSTEM;

/** The tables of the operations that there are: made for the first path that is looked for, as most importers never look for one. */
const tables = new WeakMap<typeof operationsByName, { readonly [R in Routed]: RoutingTable }>();

/** Paths of the system, and paths below the mounts of each engine. The pattern that fits takes a path, whatever the verb. */
function tableOf(routed: Routed): RoutingTable {
  let known = tables.get(operationsByName);
  if (known === undefined) {
    known = {
      system: newTable(SYSTEM),
      ldap: newTable("ldap"),
      kv: newTable("kv"),
      orchestrator: newTable("orchestrator"),
    };
    tables.set(operationsByName, known);
  }
  return known[routed];
}

function newTable(routed: Routed): RoutingTable {
  const byPattern = new Map<string, Map<Verb, NamedOperation>>();
  for (const [name, operation] of operationsByName) {
    if ((operation.engine ?? SYSTEM) !== routed) continue;
    for (const pattern of [operation.pattern, operation.shortPattern]) {
      if (pattern === undefined) continue;
      const verbs = byPattern.get(keyOf(pattern)) ?? new Map<Verb, NamedOperation>();
      verbs.set(operation.verb, { name, operation });
      byPattern.set(keyOf(pattern), verbs);
    }
  }
  const table = createRouter<Map<Verb, NamedOperation>>();
  for (const [pattern, verbs] of byPattern) addRoute(table, "", pattern === "" ? "/" : pattern, verbs);
  return table;
}

/** Patterns that differ in the names of their captures only are one: the operation knows how it calls them. */
function keyOf(pattern: string): string {
  let index = 0;
  return pattern.replace(/:(\w+)/g, () => `:${CAPTURE}${index++}`);
}

const NOWHERE: Resolved = Object.freeze({ wrongVerb: false, captures: Object.freeze({}) });

/**
 * Where a path of a namespace leads; `path` has no leading slash. Whatever the verb, the first pattern that fits takes it, and
 * a name that breaks its rule makes it no path at all (decisions-secrets-core.md, A.4).
 */
export function resolve(world: SecretsWorld, at: NamespacePlace, verb: Verb | "PATCH", path: string): Resolved {
  // A path of a read or a delete is taken as it stands: with a slash at its end it is another one, which few patterns fit.
  if (verb !== "LIST" && path.endsWith("/")) {
    if (path.endsWith("//") || verb === "POST") return NOWHERE;
    const bare = resolve(world, at, verb, path.slice(0, -1));
    return fitsWithSlash(bare.named?.operation.pattern) ? bare : NOWHERE;
  }
  // A listing is one of the path and `/`, which may be the mount itself; and the root of a store belongs to it without a slash, too.
  const within = mountOfPath(world, at, `${path}/`);
  const isRoot = within?.path === `${path}/` && within.mount.type === "kv";
  const found =
    within === undefined || (verb !== "LIST" && within.path === `${path}/` && !isRoot)
      ? findRoute(tableOf(SYSTEM), "", `/${path}`)
      : findRoute(tableOf(within.mount.type), "", path.slice(within.path.length - 1) || "/");
  if (verb !== "LIST" && (isRoot || path === "cubbyhole")) return rootOfStore(verb, within);
  if (found === undefined) return { ...NOWHERE, openPath: WELL_KNOWN.test(path) };
  const [any] = found.data.values();
  const { params = {} } = found;
  const values = Object.keys(params).map((_, index) => params[`${CAPTURE}${index}`] ?? "");
  if (values.length > 0 && any?.operation.names.test(values.join("/")) === false) {
    return { ...NOWHERE, openPath: allOpen(found.data) };
  }
  const named = verb === "PATCH" ? undefined : found.data.get(verb);
  const captures: Record<string, string> = {};
  named?.operation.captures.forEach((capture, index) => {
    if (index < values.length) captures[capture] = values[index] as string;
  });
  const openPath = named === undefined && allOpen(found.data);
  const elsewhere = verb === "LIST" && !openPath && !fitsWithSlash(any?.operation.pattern);
  return {
    named,
    wrongVerb: named === undefined && !elsewhere,
    ...(named === undefined && elsewhere ? { elsewhere } : {}),
    captures,
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
function rootOfStore(verb: Verb | "PATCH", within: MountOfPath | undefined): Resolved {
  const table = within === undefined ? tableOf(SYSTEM) : tableOf("kv");
  const found = findRoute(table, "", within === undefined ? "/cubbyhole/x" : "/x");
  const named = verb === "PATCH" ? undefined : found?.data.get(verb);
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
  const found = findRoute(tableOf(within?.mount.type ?? SYSTEM), "", below || "/");
  return found === undefined ? undefined : { below, operations: [...found.data.values()] };
}

/** The patterns that a path of a namespace may fit, for whoever renames the words in it. */
export const routesAt: RoutesAt = (world, at, path) => {
  const found = operationsAt(world as SecretsWorld, at as NamespacePlace, path);
  const [any] = found?.operations ?? [];
  if (found === undefined || any === undefined) return undefined;
  const { pattern, shortPattern } = any.operation;
  return { below: found.below, patterns: shortPattern === undefined ? [pattern] : [pattern, shortPattern] };
};

function allOpen(verbs: ReadonlyMap<Verb, NamedOperation>): boolean {
  return [...verbs.values()].every(({ operation }) => operation.access.open === true);
}

/**
 * The mount as a caller carries it: an engine's default one goes without saying, so that both doors leave the same log. From the
 * start each engine is mounted under its own name.
 */
export function nonDefaultMount(mount: string, engine: EngineType): { readonly mount?: string } {
  return mount === engine ? {} : { mount };
}

/** Known routes that begin like a path, the likest first: for whoever mistyped one. */
export function nearestRoutes(path: string): string[] {
  const asked = path.split("/");
  const scored = [...operationsByName.values()].map(({ verb, path: route }) => {
    const known = route.slice("/v1/".length).split("/");
    const alike = known.filter((segment, index) => segment === asked[index] || segment.startsWith(":")).length;
    return { route: `${verb} ${route}`, score: alike - Math.abs(known.length - asked.length) / 10 };
  });
  scored.sort((left, right) => right.score - left.score);
  return scored.slice(0, NEAREST).map(({ route }) => route);
}

const NEAREST = 3;
