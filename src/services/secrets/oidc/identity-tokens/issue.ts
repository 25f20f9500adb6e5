import { bearerOf } from "../../access.ts";
import type { SecretsReading } from "../../declare.ts";
import { refuse } from "../../rejections.ts";
import { namespaceAt } from "../../world.ts";
import { entityOf } from "../flows/authorize.ts";
import type { Claims } from "../flows/state.ts";
import { oidcAt, signingKeyOf } from "../keys/decide.ts";
import type { SigningKey } from "../keys/state.ts";
import { issuerBelow } from "../providers/issuer.ts";
import { nowSecondsOf, templateClaims } from "../scopes/claims.ts";
import type { IdentityRole } from "../state.ts";

/** A token that is still to be signed. */
export interface UnsignedToken {
  readonly role: IdentityRole;
  readonly key: SigningKey;
  readonly claims: Claims;
}

/** What a role says of the bearer's entity now (oidc/README.md, 3.1 and 3.2). What the template says never takes the place of the rest. */
export function identityToken(reading: SecretsReading, name: string): UnsignedToken {
  const { state, caller, nowMs } = reading;
  const oidc = oidcAt(reading, caller);
  const role = oidc.identityRoles.get(name);
  if (role === undefined) return refuse("identity_role_not_found", { role: name });
  const named = oidc.keys.get(role.key);
  const key = named === undefined ? undefined : signingKeyOf(named);
  if (named === undefined || key === undefined) throw new Error(`key ${role.key} signs for a role, and has no ring`);
  if (!named.allowedClientIds.includes("*") && !named.allowedClientIds.includes(role.clientId)) {
    refuse("role_not_allowed_by_key", { role: name, key: role.key });
  }
  const known = entityOf(reading, bearerOf(reading).token);
  if (known === undefined) return refuse("token_without_entity", {});
  const now = nowSecondsOf(nowMs);
  const claims = {
    ...templateClaims(role, known, nowMs),
    iss: issuerBelow(state, caller, oidc.issuer),
    sub: known.id,
    aud: role.clientId,
    iat: now,
    exp: now + role.ttlSeconds,
    namespace: namespaceAt(state, caller)?.id ?? "",
  };
  return { role, key, claims };
}
