import { bytesOfBase64url } from "../../../../languages/jws/base64url.ts";
import { isSignedBy } from "../../../../languages/jws/sign.ts";
import { isObject } from "../../../../languages/objects.ts";
import type { SecretsReading } from "../../declare.ts";
import { entityIn } from "../../identity/membership.ts";
import { oidcAt } from "../keys/decide.ts";
import { issuerBelow } from "../providers/issuer.ts";
import { ringKeys, usedKeys } from "../providers/published.ts";

/** What is said of a token that somebody shows. */
export interface Introspection {
  readonly active: boolean;
  /** Why it is not active. */
  readonly error?: string;
}

/** Looks at a token that somebody shows, in the order of oidc/README.md, 3.3. */
export function introspected(
  reading: SecretsReading,
  token: string,
  clientId: string,
): (spokenIssuer: (issuer: string) => unknown) => Promise<Introspection> {
  const { state, caller, nowMs } = reading;
  const oidc = oidcAt(reading, caller);
  const [header, claims] = token.split(".").map(objectIn);
  const key = ringKeys(oidc, usedKeys(oidc.identityRolesByKey), nowMs).find(({ kid }) => kid === header?.["kid"]);
  const issuer = issuerBelow(state, caller, oidc.issuer);
  const { iss, exp, aud, sub } = claims ?? {};
  const known = typeof sub === "string" ? entityIn(state, caller, sub) : undefined;
  return async (spokenIssuer) => {
    if (header === undefined || claims === undefined) return inactive("error parsing token: it is no compact JWS");
    if (key === undefined || !(await isSignedBy(key, token))) return inactive("unable to validate the token signature");
    if (iss !== spokenIssuer(issuer)) return inactive("error validating claims: invalid issuer claim (iss)");
    if (typeof exp !== "number" || nowMs >= exp * 1000) {
      return inactive("error validating claims: token is expired (exp)");
    }
    if (clientId !== "" && aud !== clientId) return inactive("error validating claims: invalid audience claim (aud)");
    if (known === undefined || known === "deleted") return inactive("entity was not found");
    return known.entity.disabled ? inactive("entity is disabled") : { active: true };
  };
}

const inactive = (error: string): Introspection => ({ active: false, error });

/** The JSON object in a part of a token; undefined where there is none. */
function objectIn(part: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytesOfBase64url(part)));
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
