import type { RunsReading } from "./declare.ts";
import type { RunId } from "./ids.ts";
import type { Query } from "./query.ts";
import { refuse } from "./rejections.ts";
import type { Run } from "./runs/state.ts";
import { type RunResource, runResource } from "./runs/views.ts";
import type { TokenRecord } from "./tokens/state.ts";
import { type WorkspaceResource, workspaceResource } from "./workspaces/views.ts";
import { runServiceOf } from "./world.ts";

// Source of all rules in this file: decisions-policy-checks.md, 5.

const OF_CHECKS = ["run", "run.workspace"] as const;

/** What `include` may bring. */
export type Included = RunResource | WorkspaceResource;

/** The paths that a query asks for; undefined when it asks for none. An unknown one refuses the whole request. */
export function includePaths<P extends string>(query: Query, known: readonly P[]): ReadonlySet<P> | undefined {
  const value = query.get("include") ?? "";
  if (value === "") return undefined;
  return new Set(
    value.split(",").map((name) => known.find((path) => path === name) ?? refuse("include_invalid", { name })),
  );
}

/** The member `included`, for the one run that all checks of an answer belong to: runs come first, then workspaces. */
export function includedPart(
  reading: RunsReading,
  bearer: TokenRecord,
  query: Query,
  runs: ReadonlyMap<RunId, Run>,
): { readonly included?: readonly Included[] } {
  const paths = includePaths(query, OF_CHECKS);
  if (paths === undefined) return {};
  // A path of several parts brings what lies on the way, so each path brings the run.
  const included: Included[] = [...runs].map(([id, run]) => runResource(reading.state, bearer, id, run));
  if (paths.has("run.workspace")) {
    for (const id of new Set([...runs.values()].map(({ workspace }) => workspace))) {
      const workspace = runServiceOf(reading.state).workspaces.get(id);
      if (workspace !== undefined) included.push(workspaceResource(bearer, id, workspace));
    }
  }
  return { included };
}
