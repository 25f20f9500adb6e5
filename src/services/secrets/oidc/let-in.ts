import { type KnownEntity, membershipOf } from "../identity/membership.ts";
import { hasItem } from "./lists.ts";
import { ALLOW_ALL, type OidcClient, type OidcConfiguration } from "./state.ts";

/**
 * Whether the assignments of a client let an entity in: by the name of the one for everybody, or by its id or that of one of its
 * groups in any other. `*` means nothing in these.
 *
 * Source: decisions-oidc.md, 5.
 */
export function letsIn(oidc: OidcConfiguration, { assignments }: OidcClient, known: KnownEntity): boolean {
  if (known.entity.disabled) return false;
  if (hasItem(assignments, ALLOW_ALL)) return true;
  const { direct, inherited } = membershipOf(known.identity, known.id);
  return assignments.some((name) => {
    const assignment = oidc.assignments.get(name);
    if (assignment === undefined) return false;
    const { entityIds, groupIds } = assignment;
    return hasItem(entityIds, known.id) || [...direct, ...inherited].some(({ id }) => hasItem(groupIds, id));
  });
}
