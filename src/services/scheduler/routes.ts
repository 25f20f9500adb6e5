import type { Refusal } from "../../kernel/outcome.ts";
import { type NamedOperation, schedulerOperations, schedulerOperationsByName } from "./registry.ts";

/** What a method and a path lead to: an operation, or why they lead nowhere. */
export type Routed =
  | { readonly named: NamedOperation; readonly captures: { readonly [name: string]: string } }
  | { readonly named: undefined; readonly unrouted: Refusal; readonly nearest?: readonly string[] };

const { acl, policies, tokens } = schedulerOperations;

/** The operations of one path, by method. PUT is accepted wherever POST is. */
type Methods = { readonly [method: string]: unknown };

/**
 * Where a method and a decoded path lead. A missing name comes before the method, a wrong method before everything else
 * (decisions-scheduler-acl.md, section 1).
 *
 * Our choice: whatever follows `/acl/policy/` is the name, slashes included, as upstream has it.
 */
export function resolve(method: string, path: string): Routed {
  if (!path.startsWith(BASE)) return lost(path);
  const rest = path.slice(BASE.length);
  switch (rest) {
    case "policies":
      return byMethod(method, { GET: policies.list }, {});
    case "tokens":
      return byMethod(method, { GET: tokens.list }, {});
    case "bootstrap":
      return byMethod(method, { POST: acl.bootstrap }, {});
    case "token":
      return byMethod(method, { POST: tokens.create }, {});
    case "token/self":
      return byMethod(method, { GET: tokens.self }, {});
    case "policy":
    case "policy/":
      return refused("policy_name_missing");
    case "token/":
      return refused("accessor_missing");
    case "token/onetime":
    case "token/onetime/exchange":
      return lost(path);
  }
  if (rest.startsWith("policy/")) {
    const methods = { GET: policies.read, POST: policies.write, DELETE: policies.delete };
    return byMethod(method, methods, { policy_name: rest.slice("policy/".length) });
  }
  if (rest.startsWith("token/")) {
    const methods = { GET: tokens.read, POST: tokens.update, DELETE: tokens.delete };
    return byMethod(method, methods, { accessor_id: rest.slice("token/".length) });
  }
  return lost(path);
}

const BASE = "/v1/acl/";

function byMethod(method: string, methods: Methods, captures: { readonly [name: string]: string }): Routed {
  const verb = method === "PUT" ? "POST" : method;
  const named = Object.hasOwn(methods, verb) ? NAMED.get(methods[verb]) : undefined;
  return named === undefined ? refused("method_not_allowed") : { named, captures };
}

/** The operations with their names, by themselves. */
const NAMED: ReadonlyMap<unknown, NamedOperation> = new Map<unknown, NamedOperation>(
  [...schedulerOperationsByName].map(([name, operation]) => [operation, { name, operation }]),
);

function refused(code: string): Routed {
  return { named: undefined, unrouted: { code, data: {} } };
}

/** Where a path leads that nobody knows. */
export function lost(path: string) {
  return {
    named: undefined,
    unrouted: { code: "unknown_path", data: {} },
    nearest: nearestRoutes(path),
  } satisfies Routed;
}

/** Known routes that begin like a path, the likest first: for whoever mistyped one. */
function nearestRoutes(asked: string): string[] {
  const segments = asked.split("/");
  const scored = [...schedulerOperationsByName.values()].map(({ verb, path }) => {
    const known = path.split("/");
    const alike = known.filter((segment, index) => segment === segments[index] || segment.startsWith(":")).length;
    return { route: `${verb} ${path}`, score: alike - Math.abs(known.length - segments.length) / 10 };
  });
  scored.sort((left, right) => right.score - left.score);
  return scored.slice(0, NEAREST).map(({ route }) => route);
}

const NEAREST = 3;
