import { decoded } from "../kit/http.ts";
import { namedCaptures, Router } from "../kit/router.ts";
import type { RunsOperation } from "./declare.ts";
import { encodedSegment } from "./documents.ts";
import { type NamedOperation, runsRegistry } from "./registry.ts";

/** What a method and a path lead to. */
export interface Routed {
  readonly named: NamedOperation;
  readonly captures: { readonly [name: string]: string };
}

const router = new Router<RunsOperation>();
for (const [name, operation] of runsRegistry.byName) router.add(operation.path, { name, operation });

/** The segments of a path, each decoded by itself, so that an id may hold a slash; undefined when one cannot be. */
export function segmentsOf(pathname: string): readonly string[] | undefined {
  const segments = pathname.split("/").map(decoded);
  return segments.every((segment) => segment !== undefined) ? segments : undefined;
}

/** Where a method and a path lead; undefined when no route fits. */
export function resolve(method: string, segments: readonly string[]): Routed | undefined {
  const found = router.find(segments);
  const named = found?.verbs.get(method);
  return named === undefined ? undefined : { named, captures: namedCaptures(named.operation, found?.values ?? []) };
}

/** The path of an operation with its captures filled in, as links show it. */
export function pathOf({ segments }: RunsOperation, captures: { readonly [name: string]: string }): string {
  return segments
    .map((segment) => (segment.startsWith(":") ? encodedSegment(captures[segment.slice(1)] ?? "") : segment))
    .join("/");
}
