import type { NamespacePlace } from "../../place.ts";
import { clusterOf, type SecretsWorld } from "../../world.ts";
import type { Provider } from "../state.ts";

/**
 * The issuer of a provider: what was given, or where the cluster answers, and the provider's path below it.
 *
 * Source: decisions-oidc.md, 8 "Computed issuer".
 */
export function computedIssuer(state: SecretsWorld, at: NamespacePlace, name: string, { issuer }: Provider): string {
  return `${issuerBelow(state, at, issuer)}/provider/${name}`;
}

/** The issuer of identity tokens, of what was given (oidc/README.md, 2.2). */
export function issuerBelow(state: SecretsWorld, { cluster, namespace }: NamespacePlace, issuer: string): string {
  const { url, advertisedUrl = url.replace(/\/$/, "") } = clusterOf(state, cluster).ignored;
  const address = issuer === "" ? advertisedUrl : issuer;
  return `${address}/v1/${namespace ?? ""}identity/oidc`;
}

/** `http` or `https`, a host, an optional port, and nothing else: no path, query, fragment or user. */
export function isIssuer(text: string): boolean {
  if (!/^https?:\/\/(\[[0-9a-fA-F:.]+\]|[^\s\p{Cc}/?#@:\\[\]]+)(:\d+)?$/u.test(text)) return false;
  return URL.canParse(text);
}
