import type { Refusal } from "../../kernel/outcome.ts";
import { namedCaptures, nearestRoutes, Router } from "../kit/router.ts";
import type { SchedulerOperation } from "./declare.ts";
import { type NamedOperation, schedulerRegistry } from "./registry.ts";
import type { SchedulerRefusals } from "./rejections.ts";

/** What a method and a path lead to: an operation, or why they lead nowhere. */
export type Routed =
  | { readonly named: NamedOperation; readonly captures: { readonly [name: string]: string } }
  | { readonly named: undefined; readonly unrouted: Refusal; readonly nearest?: readonly string[] };

type Code = keyof SchedulerRefusals;

/** What a path without the name at its end is refused with, by the capture that stands there. */
const NAME_MISSING: { readonly [capture: string]: Code } = {
  policy_name: "policy_name_missing",
  accessor_id: "accessor_missing",
  namespace_name: "namespace_name_missing",
  role_id: "role_id_missing",
  role_name: "role_name_missing",
};

/** A policy may be named `self`: whoever reads there reads the own policies, and every other method is about that policy (our choice). */
const OWN_POLICIES = "/v1/acl/policy/self";

/** A name at the end of a path takes what is left of it. */
const LAST_CAPTURE = /:(\w+)$/;

const router = new Router<SchedulerOperation>({ holdsEmpty: true });
const [ownPolicies] = [...schedulerRegistry.byName]
  .filter(([, { path }]) => path === OWN_POLICIES)
  .map(([name, operation]) => ({ name, operation }));
const refusedWithoutName = new Map<string, Code>();

for (const [name, operation] of schedulerRegistry.byName) {
  const { path, segments, captures } = operation;
  if (path === OWN_POLICIES) continue;
  router.add(path.replace(LAST_CAPTURE, "**:$1"), { name, operation });
  const code = NAME_MISSING[captures.at(-1) ?? ""];
  if (code === undefined || !segments.at(-1)?.startsWith(":")) continue;
  const nameless = segments.slice(0, -1).join("/");
  refusedWithoutName.set(nameless, code).set(`${nameless}/`, code);
}

/**
 * Where a method and a decoded path lead. A missing name comes before the method, a wrong method before everything else
 * (decisions-scheduler-acl.md, section 1). PUT is accepted wherever POST is.
 *
 * Our choice: whatever follows `/acl/policy/` is the name, slashes included, as upstream has it.
 */
export function resolve(method: string, path: string): Routed {
  if (ownPolicies !== undefined && method === "GET" && path === OWN_POLICIES)
    return { named: ownPolicies, captures: {} };
  const found = router.find(path.split("/"));
  if (found === undefined) {
    const code = refusedWithoutName.get(path);
    return code === undefined ? lost(path) : refused(code);
  }
  const named = found.verbs.get(method === "PUT" ? "POST" : method);
  if (named === undefined) return refused("method_not_allowed");
  return { named, captures: namedCaptures(named.operation, found.values) };
}

function refused(code: Code): Routed {
  return { named: undefined, unrouted: { code, data: {} } };
}

/** Where a path leads that is written otherwise. */
export function moved(location: string): Routed {
  return { named: undefined, unrouted: { code: "path_moved", data: { location } } };
}

/** Where a path leads that nobody knows. */
export function lost(path: string) {
  return {
    named: undefined,
    unrouted: { code: "unknown_path", data: {} },
    nearest: nearestRoutes(schedulerRegistry.byName.values(), path.split("/")),
  } satisfies Routed;
}

/** The path of an operation with its captures filled in. */
export function pathOf({ segments }: SchedulerOperation, captures: { readonly [name: string]: string }): string {
  return segments
    .map((segment) => (segment.startsWith(":") ? encodeURIComponent(captures[segment.slice(1)] ?? "") : segment))
    .join("/");
}
