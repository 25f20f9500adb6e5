import { addRoute, createRouter, findRoute } from "rou3";
import type { SecretsOperation, Verb } from "./declare.ts";
import { operationsByName } from "./registry.ts";
import { mountOfPath, type Namespace } from "./state.ts";

/** An operation and its full name. */
export interface NamedOperation {
  readonly name: string;
  readonly operation: SecretsOperation;
}

/** What a path leads to: its captures, and the operation of a verb if it has one. */
export interface Route {
  readonly captures: { readonly [name: string]: string };
  readonly byVerb: ReadonlyMap<Verb, NamedOperation>;
}

type RoutingTable = ReturnType<typeof createRouter<Map<Verb, NamedOperation>>>;

/** Paths of the system, and paths below a mount. The pattern that fits takes a path, whatever the verb. */
const tables = { system: tableOf(false), engine: tableOf(true) };

function tableOf(ofMount: boolean): RoutingTable {
  const byPattern = new Map<string, Map<Verb, NamedOperation>>();
  for (const [name, operation] of operationsByName) {
    if (operation.ofMount !== ofMount) continue;
    for (const pattern of [operation.pattern, operation.shortPattern]) {
      if (pattern === undefined) continue;
      const verbs = byPattern.get(keyOf(pattern)) ?? new Map<Verb, NamedOperation>();
      verbs.set(operation.verb, { name, operation });
      byPattern.set(keyOf(pattern), verbs);
    }
  }
  const table = createRouter<Map<Verb, NamedOperation>>();
  for (const [pattern, verbs] of byPattern) addRoute(table, "", pattern, verbs);
  return table;
}

/** Patterns that differ in the names of their captures only are one: the operation knows how it calls them. */
function keyOf(pattern: string): string {
  return pattern.replace(/:(\w+)/g, ":rest");
}

/** Where a path of a namespace leads; undefined when no pattern fits. `path` has no leading slash. */
export function routeOf(namespace: Namespace, path: string): (Route & { readonly mount?: string }) | undefined {
  const mount = mountOfPath(namespace, path);
  const found =
    mount === undefined
      ? findRoute(tables.system, "", `/${path}`)
      : findRoute(tables.engine, "", path.slice(mount.length - 1));
  if (found === undefined) return undefined;
  const captures = (found.params ?? {}) as { readonly [name: string]: string };
  const route = { captures, byVerb: found.data };
  return mount === undefined ? route : { ...route, mount: mount.slice(0, -1) };
}

/** The captures of an operation under its own names. */
export function namedCaptures(operation: SecretsOperation, route: Route): { readonly [name: string]: string } {
  const [own] = operation.captures.filter((capture) => capture !== "mount");
  const rest = route.captures["rest"];
  return own === undefined || rest === undefined ? {} : { [own]: rest };
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
