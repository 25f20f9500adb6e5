import type { EpochMs } from "../../../../kernel/brand.ts";
import type { Algorithm } from "../../../../languages/jws/algorithms.ts";
import { keyMaterial, type PublicMembers } from "../../../../languages/jws/key.ts";
import { childrenOf } from "../../listing.ts";
import { hasItem } from "../lists.ts";
import type { OidcConfiguration, Provider } from "../state.ts";

/** A public key as it is published (decisions-oidc.md, 9). */
export type PublishedKey = { readonly use: "sig"; readonly kid: string; readonly alg: Algorithm } & PublicMembers;

/** The public keys that a provider publishes: those of every named key that a client uses whom the provider allows. */
export function publishedKeys(oidc: OidcConfiguration, provider: Provider, nowMs: EpochMs): PublishedKey[] {
  return keysOf(oidc, provider).flatMap((name) =>
    (oidc.keys.get(name)?.ring ?? [])
      .filter(({ expiresAtMs }) => expiresAtMs === undefined || nowMs < expiresAtMs)
      .map(({ key }) => ({ use: "sig", kid: key.kid, alg: key.algorithm, ...keyMaterial(key).members }) as const),
  );
}

/** The names of the keys, sorted. With `*` they are those that any client uses, found without a look at each client. */
function keysOf(oidc: OidcConfiguration, { allowedClientIds }: Provider): string[] {
  // They are found with a slash at their ends, which sorts after other characters of names.
  if (hasItem(allowedClientIds, "*"))
    return [...childrenOf(oidc.clientsByKey, "")].map((key) => key.slice(0, -1)).sort();
  const names = new Set<string>();
  for (const id of allowedClientIds) {
    const client = oidc.clientsById.get(id);
    const key = client === undefined ? undefined : oidc.clients.get(client)?.key;
    if (key !== undefined) names.add(key);
  }
  return [...names].sort();
}
