import type { SecretsDecision } from "../../declare.ts";
import { withoutOuterSlashes } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import type { Replicated } from "../../storage.ts";
import { clusterOf } from "../../world.ts";
import { move } from "../primary.ts";
import { ships, shipsNamespace } from "./filtered-view.ts";
import type { Filter } from "./state.ts";

// Source of all rules in this file: decisions-replication.md, 7.

/** What the two endpoints call the modes: one filter, seen through either. */
export interface FilterView {
  readonly allow: string;
  readonly deny: string;
}

/** Writes the filter of an id, whether anybody has it or not: nothing is shipped before its token exists. */
export function writeFilter(
  decision: SecretsDecision,
  id: string,
  { mode, paths }: { readonly mode: string; readonly paths: readonly string[] },
  words: FilterView,
): void {
  if (mode !== words.allow && mode !== words.deny) {
    refuse("filter_mode_unknown", { mode, known: [words.allow, words.deny] });
  }
  const normal = [...new Set(paths.map((path) => `${withoutOuterSlashes(path)}/`))];
  for (const path of normal) refuseUnfilterable(decision, path);
  move(decision, "performance", "filter");
  const filter: Filter = { mode: mode === words.allow ? "allow" : "deny", paths: normal };
  decision.record({ type: "FilterWritten", data: { cluster: decision.caller.cluster, id, filter } });
}

/** Mounts of the system, which every cluster has by itself. */
const NEVER_FILTERED = ["sys/", "identity/", "cubbyhole/", "auth/token/"];

function refuseUnfilterable({ state, caller }: SecretsDecision, path: string): void {
  const { replicated, local } = clusterOf(state, caller.cluster);
  const within = namespaceWithin(replicated, path);
  const below = path.slice(within.length);
  const isLocal = local.mounts.has(`${within} ${below}`);
  if (isLocal || below === "/" || path === "/" || NEVER_FILTERED.includes(below)) {
    refuse("filter_path_refused", { path });
  }
}

/** The deepest existing namespace that a path lies in; empty for the root namespace. */
function namespaceWithin({ namespaces }: Replicated, path: string): string {
  let within = "";
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    const candidate = path.slice(0, slash + 1);
    if (!namespaces.has(candidate) || candidate === path) break;
    within = candidate;
  }
  return within;
}

/** What a filter excludes of what there is, by full paths. */
export interface Excluded {
  readonly dynamic_filtered_mounts: readonly string[];
  readonly dynamic_filtered_namespaces: readonly string[];
}

export function excludedBy(source: Replicated, filter: Filter): Excluded {
  const mounts = [...source.mounts.keys()].filter((path) => !ships(filter, path));
  const namespaces: string[] = [];
  for (const [path, namespace] of source.namespaces.entries()) {
    if (!shipsNamespace(filter, path)) namespaces.push(path);
    for (const mount of namespace.mounts.keys()) if (!ships(filter, path + mount)) mounts.push(path + mount);
  }
  return { dynamic_filtered_mounts: mounts.sort(), dynamic_filtered_namespaces: namespaces };
}
