import type { EpochMs } from "../../../../kernel/brand.ts";
import type { Table } from "../../../../kernel/table.ts";
import type { Algorithm } from "../../../../languages/jws/algorithms.ts";
import { keyMaterial, type PublicMembers } from "../../../../languages/jws/key.ts";
import { childrenOf } from "../../listing.ts";
import type { SigningKey } from "../keys/state.ts";
import { hasItem } from "../lists.ts";
import type { OidcConfiguration, Provider } from "../state.ts";

/** A public key as it is published (decisions-oidc.md, 9). */
export type PublishedKey = { readonly use: "sig"; readonly kid: string; readonly alg: Algorithm } & PublicMembers;

/** The public keys that a provider publishes: those of every named key that a client uses whom the provider allows. */
export function publishedKeys(oidc: OidcConfiguration, provider: Provider, nowMs: EpochMs): PublishedKey[] {
  return publicHalves(oidc, keysOf(oidc, provider), nowMs);
}

/** Those that are published beside identity tokens: of every named key that a role uses (oidc/README.md, 3.4). */
export function publishedKeysOfRoles(oidc: OidcConfiguration, nowMs: EpochMs): PublishedKey[] {
  return publicHalves(oidc, usedKeys(oidc.identityRolesByKey), nowMs);
}

function publicHalves(oidc: OidcConfiguration, names: readonly string[], nowMs: EpochMs): PublishedKey[] {
  return ringKeys(oidc, names, nowMs).map(
    (key) => ({ use: "sig", kid: key.kid, alg: key.algorithm, ...keyMaterial(key).members }) as const,
  );
}

/** The keys that verify what named keys sign now or signed before. */
export function ringKeys(oidc: OidcConfiguration, names: readonly string[], nowMs: EpochMs): SigningKey[] {
  return names.flatMap((name) =>
    (oidc.keys.get(name)?.ring ?? [])
      .filter(({ expiresAtMs }) => expiresAtMs === undefined || nowMs < expiresAtMs)
      .map(({ key }) => key),
  );
}

/** The names of the keys, sorted. With `*` they are those that any client uses. */
function keysOf(oidc: OidcConfiguration, { allowedClientIds }: Provider): string[] {
  if (hasItem(allowedClientIds, "*")) return usedKeys(oidc.clientsByKey);
  const names = new Set<string>();
  for (const id of allowedClientIds) {
    const client = oidc.clientsById.get(id);
    const key = client === undefined ? undefined : oidc.clients.get(client)?.key;
    if (key !== undefined) names.add(key);
  }
  return [...names].sort();
}

/** The names of the keys that somebody uses, found without a look at each who does. */
export function usedKeys(users: Table<string>): string[] {
  // They are found with a slash at their ends, which sorts after other characters of names.
  return [...childrenOf(users, "")].map((key) => key.slice(0, -1)).sort();
}
