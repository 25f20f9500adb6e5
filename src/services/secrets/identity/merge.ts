import type { SecretsRecorder } from "../declare.ts";
import { pairPrefix } from "../pair-key.ts";
import { type NamespacePlace, placeOfNamespace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { identityAt } from "./decide.ts";
import type { AliasId, EntityId, Identity } from "./state.ts";

// Source of all rules in this file: README.md, 5.

/** What entities are merged with. */
export interface MergeFields {
  readonly from: readonly string[];
  readonly into: string;
  /** Of two aliases on one accessor the one that stays. */
  readonly keep: readonly string[];
}

/** Merges entities into another one. */
export function mergeEntities(
  decision: SecretsRecorder,
  place: NamespacePlace,
  { from, into, keep }: MergeFields,
): void {
  if (into === "") refuse("merge_entity_missing", { isTarget: true });
  if (from.length === 0) refuse("merge_entity_missing", { isTarget: false });
  if (from.includes(into)) refuse("merge_into_itself", { entity: into });
  const at = placeOfNamespace(place);
  const identity = identityAt(decision, at);
  const known = (entity: string): EntityId =>
    identity.entities.has(entity) ? (entity as EntityId) : refuse("entity_unknown", { entity });
  const target = known(into);
  const merged = [...new Set(from)].map(known);
  const dropped = droppedAliases(identity, [target, ...merged], new Set(keep));
  decision.record({ type: "EntitiesMerged", data: { at, from: merged, into: target, dropped } });
}

/** The aliases that give way to others on their accessors: each such pair has to have one that is to be kept. */
function droppedAliases(identity: Identity, entities: readonly EntityId[], keep: ReadonlySet<string>): AliasId[] {
  const byAccessor = new Map<string, AliasId[]>();
  for (const entity of entities) {
    for (const id of identity.aliasesByEntity.values({ prefix: pairPrefix(entity) })) {
      const accessor = identity.aliases.get(id)?.mountAccessor ?? "";
      byAccessor.set(accessor, [...(byAccessor.get(accessor) ?? []), id]);
    }
  }
  const clashes = [...byAccessor].filter(([, aliases]) => aliases.length > 1);
  const undecided = clashes.filter(([, aliases]) => aliases.filter((id) => keep.has(id)).length !== 1);
  if (undecided.length > 0 || (clashes.length > 0 && entities.length > 2)) {
    refuse("merge_aliases_conflict", { accessors: clashes.map(([accessor]) => accessor).sort() });
  }
  return clashes.flatMap(([, aliases]) => aliases.filter((id) => !keep.has(id)));
}
