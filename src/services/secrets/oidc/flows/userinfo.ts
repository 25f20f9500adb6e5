import { capabilitiesOf, entityIsBarred } from "../../access.ts";
import type { SecretsReading } from "../../declare.ts";
import { entityIn } from "../../identity/membership.ts";
import { refuse } from "../../rejections.ts";
import type { Token } from "../../tokens/state.ts";
import { clusterOf } from "../../world.ts";
import { oidcAt } from "../keys/decide.ts";
import { letsIn } from "../let-in.ts";
import { allows, hasItem } from "../lists.ts";
import type { ProtocolRefusals } from "../rejections.ts";
import { ClaimConflict, scopeClaims } from "../scopes/claims.ts";

// Texts have nothing of the caller's in them: they stand in a header, too.
function fail(code: keyof ProtocolRefusals, error_description: string): never {
  return refuse(code, { endpoint: "userinfo", error_description });
}

/** What a provider says of the entity behind an access token. The checks are those of decisions-oidc.md, 11 "Userinfo". */
export function userinfoOf(
  reading: SecretsReading,
  name: string,
  capability: "read" | "update",
): { readonly [claim: string]: unknown } {
  const token = bearerWithRight(reading, name, capability); // 1
  const oidc = oidcAt(reading, reading.caller);
  const provider = oidc.providers.get(name);
  if (provider === undefined) return fail("invalid_request", "there is no such provider"); // 2
  if (reading.caller.tokenHeader) return fail("invalid_token", "the access token has to be sent as a bearer"); // 3
  if (token.oidc === undefined) return fail("invalid_token", "the token is no access token"); // 4
  const clientName = oidc.clientsById.get(token.oidc.clientId);
  const client = clientName === undefined ? undefined : oidc.clients.get(clientName);
  if (client === undefined) return fail("access_denied", "the client is not there any more"); // 5
  const known = entityIn(reading.state, reading.caller, token.entityId);
  if (known === undefined || known === "deleted") return fail("invalid_token", "the entity is not there any more");
  if (!letsIn(oidc, client, known)) return fail("access_denied", "no assignment of the client lets the entity in"); // 6
  if (!allows(provider.allowedClientIds, client.clientId)) {
    return fail("access_denied", "the provider does not allow the client"); // 7
  }
  const scopes = token.oidc.scopes.filter((scope) => hasItem(provider.scopesSupported, scope));
  const claims = scopeClaims(oidc, scopes, known, reading.nowMs);
  if (claims instanceof ClaimConflict) return fail("invalid_request", "two scopes have the same claim"); // 8
  return { ...claims, sub: known.id };
}

function bearerWithRight(reading: SecretsReading, name: string, capability: "read" | "update"): Token {
  const { state, caller, nowMs } = reading;
  const token =
    caller.token === undefined ? undefined : clusterOf(state, caller.cluster).local.tokens.get(caller.token);
  if (token === undefined || (token.expiresAtMs !== undefined && nowMs >= token.expiresAtMs)) {
    return fail("invalid_token", "the access token is missing, unknown or expired");
  }
  const granted = capabilitiesOf(reading, token, `identity/oidc/provider/${name}/userinfo`, false);
  if (entityIsBarred(reading, token) || (granted !== "all" && !granted.has(capability))) {
    return fail("invalid_token", "the token has no right to this");
  }
  return token;
}
