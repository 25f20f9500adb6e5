import { type PublicJwk, publicJwk, signJwt, signJwtSoon } from "../../languages/jwt/rs256.ts";
import { RSA_TEST_KEYS, type RsaKey } from "../../languages/jwt/rsa-test-keys.ts";
import { ISSUER } from "./calls.ts";
import { type Orchestrator, objectNamed, type ServiceAccountToken } from "./state.ts";

// Source of all rules in this file: decisions-orchestrator.md, 6 "Token".

/** The claims of a token, in the order in which they stand in it. */
export function claimsOf(token: ServiceAccountToken): ServiceAccountClaims {
  const { namespace, name, uid, audiences, issuedAtSeconds, expiresAtSeconds } = token;
  return {
    aud: [...audiences],
    exp: expiresAtSeconds,
    iat: issuedAtSeconds,
    iss: ISSUER,
    "orchestrator.io": { namespace, serviceaccount: { name, uid } },
    nbf: issuedAtSeconds,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}

interface ServiceAccountClaims {
  readonly aud: string[];
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly "orchestrator.io": {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
  };
  readonly nbf: number;
  readonly sub: string;
}

/** The bytes of a token: the same whenever and wherever they are made. */
export function renderToken(token: ServiceAccountToken): string {
  return signJwt(claimsOf(token), keyAt(token.signingKey));
}

/** The same bytes, for who can wait. */
export function renderTokenSoon(token: ServiceAccountToken): Promise<string> {
  return signJwtSoon({ ...claimsOf(token) }, keyAt(token.signingKey));
}

/** How many keys there are to be picked from. */
export const SIGNING_KEYS: number = RSA_TEST_KEYS.length;

function keyAt(index: number): RsaKey {
  const key = RSA_TEST_KEYS[index];
  if (key === undefined) throw new RangeError(`there is no key ${index} to sign with`);
  return key;
}

/** The keys by which tokens are verified, as a JWKS. */
export function publishedKeys({ signingKey }: Orchestrator): { keys: PublicJwk[] } {
  return { keys: [publicJwk(keyAt(signingKey))] };
}

/** What a review of a token finds. */
export interface TokenReview {
  readonly authenticated: boolean;
  readonly username?: string;
  readonly audiences?: readonly string[];
  readonly error?: string;
}

/** Whether a token is valid at an instant: signed by this orchestrator, not expired, and its service account is there. */
export async function reviewToken(orchestrator: Orchestrator, nowMs: number, jwt: string): Promise<TokenReview> {
  const { createLocalJWKSet, jwtVerify, errors } = await import("jose");
  try {
    const { payload } = await jwtVerify(jwt, createLocalJWKSet(publishedKeys(orchestrator)), {
      algorithms: ["RS256"],
      currentDate: new Date(nowMs),
      issuer: ISSUER,
      requiredClaims: ["exp", "iat", "sub", "aud", "orchestrator.io"],
    });
    return reviewed(orchestrator, payload as unknown as ServiceAccountClaims);
  } catch (error) {
    if (error instanceof errors.JOSEError) return { authenticated: false, error: error.message };
    throw error;
  }
}

function reviewed(orchestrator: Orchestrator, claims: ServiceAccountClaims): TokenReview {
  const { namespace, serviceaccount } = claims["orchestrator.io"];
  const { name, uid } = serviceaccount;
  const account = objectNamed(orchestrator, { kind: "ServiceAccount", namespace, name });
  if (account === undefined) return { authenticated: false, error: `serviceaccounts "${name}" not found` };
  if (account.uid !== uid) return { authenticated: false, error: `service account "${name}" is another one by now` };
  return { authenticated: true, username: claims.sub, audiences: claims.aud };
}
