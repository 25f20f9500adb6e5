import type { TemplateData } from "../../../languages/scope-template/fill.ts";
import { pairKey } from "../pair-key.ts";
import { type KnownEntity, membershipOf } from "./membership.ts";

/** An entity as templates see it, those of scopes and those of policies. */
export function templateData({ id, entity, identity }: KnownEntity, nowSeconds: number): TemplateData {
  const { direct, inherited } = membershipOf(identity, id);
  return {
    entity: { id, name: entity.name, metadata: entity.metadata },
    groups: [...direct, ...inherited],
    aliasOn: (accessor) => {
      const alias = identity.aliasesByEntity.get(pairKey(id, accessor));
      const record = alias === undefined ? undefined : identity.aliases.get(alias);
      return alias === undefined || record === undefined ? undefined : { id: alias, ...record };
    },
    nowSeconds,
  };
}
