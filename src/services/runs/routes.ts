import { decoded } from "../http-url.ts";
import type { RunsOperation } from "./declare.ts";
import { encodedSegment } from "./documents.ts";
import { type NamedOperation, runsOperationsByName } from "./registry.ts";

/** What a method and a path lead to. */
export interface Routed {
  readonly named: NamedOperation;
  readonly captures: { readonly [name: string]: string };
}

/** The operations by method and number of segments: of a dozen routes few are left to compare. */
const bySize: ReadonlyMap<string, readonly NamedOperation[]> = groupedBySize();

function groupedBySize(): Map<string, NamedOperation[]> {
  const groups = new Map<string, NamedOperation[]>();
  for (const [name, operation] of runsOperationsByName) {
    const key = sizeKey(operation.verb, operation.segments.length);
    groups.set(key, [...(groups.get(key) ?? []), { name, operation }]);
  }
  return groups;
}

function sizeKey(method: string, segments: number): string {
  return `${method} ${segments}`;
}

/** The segments of a path, each decoded by itself, so that an id may hold a slash; undefined when one cannot be. */
export function segmentsOf(pathname: string): readonly string[] | undefined {
  const segments = pathname.split("/").map(decoded);
  return segments.every((segment) => segment !== undefined) ? segments : undefined;
}

/** Where a method and a path lead; undefined when no route fits. */
export function resolve(method: string, segments: readonly string[]): Routed | undefined {
  for (const named of bySize.get(sizeKey(method, segments.length)) ?? []) {
    const captures = capturesIn(named.operation, segments);
    if (captures !== undefined) return { named, captures };
  }
  return undefined;
}

function capturesIn(
  operation: RunsOperation,
  segments: readonly string[],
): { readonly [name: string]: string } | undefined {
  const captures: Record<string, string> = {};
  for (const [index, known] of operation.segments.entries()) {
    const segment = segments[index] as string;
    if (known.startsWith(":") && segment !== "") captures[known.slice(1)] = segment;
    else if (known !== segment) return undefined;
  }
  return captures;
}

/** The path of an operation with its captures filled in, as links show it. */
export function pathOf(operation: RunsOperation, captures: { readonly [name: string]: string }): string {
  return operation.segments
    .map((segment) => (segment.startsWith(":") ? encodedSegment(captures[segment.slice(1)] ?? "") : segment))
    .join("/");
}

/** Known routes that begin like a path, the likest first: for whoever mistyped one. */
export function nearestRoutes(segments: readonly string[]): string[] {
  const scored = [...runsOperationsByName.values()].map(({ verb, path, segments: known }) => {
    const alike = known.filter((segment, index) => segment === segments[index] || segment.startsWith(":")).length;
    return { route: `${verb} ${path}`, score: alike - Math.abs(known.length - segments.length) / 10 };
  });
  scored.sort((left, right) => right.score - left.score);
  return scored.slice(0, NEAREST).map(({ route }) => route);
}

const NEAREST = 3;
