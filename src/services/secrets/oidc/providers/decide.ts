import type { EpochMs } from "../../../../kernel/brand.ts";
import type { SecretsRecorder } from "../../declare.ts";
import { type NamespacePlace, placeOfNamespace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { oidcAt } from "../keys/decide.ts";
import { sortedItems } from "../lists.ts";
import { claimNames } from "../scopes/claims.ts";
import type { OidcConfiguration, Provider } from "../state.ts";
import { isIssuer } from "./issuer.ts";

/** What a provider is written with; what is absent stays as it is. */
interface Fields {
  readonly issuer?: string;
  readonly allowed_client_ids?: readonly string[];
  readonly scopes_supported?: readonly string[];
}

/** Writes a provider. @returns what its author should know */
export function writeProvider(
  decision: SecretsRecorder,
  place: NamespacePlace,
  name: string,
  { issuer, allowed_client_ids, scopes_supported }: Fields,
): string[] {
  const at = placeOfNamespace(place);
  const oidc = oidcAt(decision, at);
  const before = oidc.providers.get(name);
  const provider: Provider = {
    issuer: issuer ?? before?.issuer ?? "",
    allowedClientIds: sortedItems(allowed_client_ids ?? before?.allowedClientIds ?? []),
    scopesSupported: sortedItems(scopes_supported ?? before?.scopesSupported ?? []),
  };
  if (provider.issuer !== "" && !isIssuer(provider.issuer)) refuse("issuer_invalid", { issuer: provider.issuer });
  const missing = provider.scopesSupported.find((scope) => !oidc.scopes.has(scope));
  if (missing !== undefined) refuse("scope_not_found", { scope: missing });
  decision.record({ type: "OidcProviderWritten", data: { at, name, provider } });
  return warningsOf(oidc, provider, decision.nowMs);
}

/** One for an issuer that is set, and one for each scope that repeats a claim of an earlier one. */
function warningsOf(oidc: OidcConfiguration, { issuer, scopesSupported }: Provider, nowMs: EpochMs): string[] {
  const warnings =
    issuer === ""
      ? []
      : [
          "if issuer is set explicitly, all tokens must be validated against that address, including those issued before",
        ];
  const from = new Map<string, string>();
  for (const name of scopesSupported) {
    const scope = oidc.scopes.get(name);
    const claims = scope === undefined ? [] : claimNames(scope, nowMs);
    const repeated = claims.find((claim) => from.has(claim));
    if (repeated !== undefined) {
      warnings.push(
        `found scope templates with conflicting top-level keys: conflict "${repeated}" in scopes ${JSON.stringify(from.get(repeated))}, ${JSON.stringify(name)}. This may result in an error if the scopes are requested in the same request.`,
      );
    }
    for (const claim of claims) if (!from.has(claim)) from.set(claim, name);
  }
  return warnings;
}
