import type { NamespacePlace } from "../../place.ts";
import { clusterOf, type SecretsWorld } from "../../world.ts";
import type { Provider } from "../state.ts";

/**
 * The issuer of a provider: what was given, or where the cluster answers, and the provider's path below it.
 *
 * Source: decisions-oidc.md, 8 "Computed issuer".
 */
export function computedIssuer(
  state: SecretsWorld,
  { cluster, namespace }: NamespacePlace,
  name: string,
  { issuer }: Provider,
): string {
  const address = issuer === "" ? clusterOf(state, cluster).ignored.url.replace(/\/$/, "") : issuer;
  return `${address}/v1/${namespace ?? ""}identity/oidc/provider/${name}`;
}

/** `http` or `https`, a host, an optional port, and nothing else: no path, query, fragment or user. */
export function isIssuer(text: string): boolean {
  if (!/^https?:\/\/(\[[0-9a-fA-F:.]+\]|[^\s\p{Cc}/?#@:\\[\]]+)(:\d+)?$/u.test(text)) return false;
  return URL.canParse(text);
}
