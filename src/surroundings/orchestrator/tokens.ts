import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import type { JWK } from "jose";
import { base64url } from "../../languages/jws/base64url.ts";
import { keyMaterial } from "../../languages/jws/key.ts";
import { signedToken } from "../../languages/jws/sign.ts";
import { signedTokenAtOnce } from "../../languages/jws/sign-at-once.ts";
import { isObject, isTexts, own } from "../../languages/objects.ts";
import { renamed, renamedValue } from "../../languages/vocabulary/rename.ts";
import type { ServiceWords } from "../../languages/vocabulary/words.ts";
import { ISSUER } from "./calls.ts";
import { type Orchestrator, objectNamed, type ServiceAccountToken } from "./state.ts";

// Source of all rules in this file: decisions-orchestrator.md, 6 "Token".

/** The claims of a token, in the order in which they stand in it: what is signed for others is in the words that they know. */
export function claimsOf(token: ServiceAccountToken, words?: ServiceWords): ServiceAccountClaims {
  const { namespace, name, uid, audiences, issuedAtSeconds, expiresAtSeconds } = token;
  return {
    aud: audiences.map((audience) => ownValue(words, "audiences", audience)),
    exp: expiresAtSeconds,
    iat: issuedAtSeconds,
    iss: ownValue(words, "iss", ISSUER),
    [claimIn(words)]: { namespace, serviceaccount: { name, uid } },
    nbf: issuedAtSeconds,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}

interface ServiceAccountClaims {
  readonly aud: string[];
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly nbf: number;
  readonly sub: string;
  readonly [claim: string]: unknown;
}

/** Whose token it is. */
interface AccountClaim {
  readonly namespace: string;
  readonly serviceaccount: { readonly name: string; readonly uid: string };
}

function claimIn(words: ServiceWords | undefined): string {
  return words === undefined ? CLAIM : renamed(words.fields, CLAIM, "own");
}

const CLAIM = "orchestrator.io";

function ownValue(words: ServiceWords | undefined, field: string, value: string): string {
  return words === undefined ? value : renamedValue(words, field, value, "own");
}

/** The bytes of a token: the same whenever and wherever they are made. */
export function renderToken(token: ServiceAccountToken, words?: ServiceWords): string {
  return signedTokenAtOnce(keyAt(token.signingKey), claimsOf(token, words));
}

/** The same bytes, for who can wait. */
export function renderTokenSoon(token: ServiceAccountToken, words?: ServiceWords): Promise<string> {
  return signedToken(keyAt(token.signingKey), claimsOf(token, words));
}

/** How many keys there are to be picked from: some of those that need not be searched. */
export const SIGNING_KEYS = 8;

interface SigningKey {
  readonly algorithm: "RS256";
  readonly seed: string;
  readonly readyPair: number;
  readonly kid: string;
}

const KEYS: readonly Omit<SigningKey, "kid">[] = Object.freeze(
  Array.from({ length: SIGNING_KEYS }, (_, readyPair) =>
    Object.freeze({ algorithm: "RS256" as const, seed: "", readyPair }),
  ),
);

/** Keys with their names, which are the thumbprints of their public halves (RFC 7638). */
const named = new WeakMap<Omit<SigningKey, "kid">, SigningKey>();

function keyAt(index: number): SigningKey {
  const key = KEYS[index];
  if (key === undefined) throw new RangeError(`there is no key ${index} to sign with`);
  let known = named.get(key);
  if (known === undefined) {
    const { members } = keyMaterial(key);
    const thumbprint = JSON.stringify(members, ["e", "kty", "n"]);
    known = Object.freeze({ ...key, kid: base64url(sha256(utf8ToBytes(thumbprint))) });
    named.set(key, known);
  }
  return known;
}

/** The public half of a key that signs tokens. */
export interface PublicJwk extends JWK {
  kty: "RSA";
  use: "sig";
  alg: "RS256";
  kid: string;
}

/** The keys by which tokens are verified, as a JWKS. */
export function publishedKeys({ signingKey }: Orchestrator): { keys: PublicJwk[] } {
  const key = keyAt(signingKey);
  return { keys: [{ ...keyMaterial(key).members, kty: "RSA", use: "sig", alg: key.algorithm, kid: key.kid }] };
}

/** Whose token it says that it is, before anybody has verified it. */
export interface AccountOfToken {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly issuer: string;
}

/** What a token says of itself; undefined for a text that is no token of a service account. */
export function accountIn(jwt: string, words?: ServiceWords): AccountOfToken | undefined {
  const [, payload, ...rest] = jwt.split(".");
  const claims = payload === undefined || rest.length !== 1 ? undefined : claimsInPayload(payload);
  const claim = claims === undefined ? undefined : own(claims, claimIn(words));
  const account = isObject(claim) ? own(claim, "serviceaccount") : undefined;
  if (claims === undefined || !isObject(claim) || !isObject(account)) return undefined;
  const [namespace, name, uid] = [own(claim, "namespace"), own(account, "name"), own(account, "uid")];
  if (typeof namespace !== "string" || typeof name !== "string" || typeof uid !== "string") return undefined;
  const [aud, iss] = [own(claims, "aud"), own(claims, "iss")];
  const audiences = typeof aud === "string" ? [aud] : isTexts(aud) ? aud : [];
  return { namespace, name, uid, audiences, issuer: typeof iss === "string" ? iss : "" };
}

function claimsInPayload(payload: string): object | undefined {
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
      character.charCodeAt(0),
    );
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isObject(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}

/** What a review of a token finds. */
export interface TokenReview {
  readonly authenticated: boolean;
  readonly username?: string;
  readonly audiences?: readonly string[];
  readonly error?: string;
}

/** Whether a token is valid at an instant: signed by this orchestrator, not expired, and its service account is there. */
export async function reviewToken(
  orchestrator: Orchestrator,
  nowMs: number,
  jwt: string,
  words?: ServiceWords,
): Promise<TokenReview> {
  const { createLocalJWKSet, jwtVerify, errors } = await import("jose");
  try {
    const { payload } = await jwtVerify(jwt, createLocalJWKSet(publishedKeys(orchestrator)), {
      algorithms: ["RS256"],
      currentDate: new Date(nowMs),
      issuer: ownValue(words, "iss", ISSUER),
      requiredClaims: ["exp", "iat", "sub", "aud", claimIn(words)],
    });
    const claims = payload as unknown as ServiceAccountClaims;
    return reviewed(orchestrator, claims, claims[claimIn(words)] as AccountClaim);
  } catch (error) {
    if (error instanceof errors.JOSEError) return { authenticated: false, error: error.message };
    throw error;
  }
}

function reviewed(
  orchestrator: Orchestrator,
  claims: ServiceAccountClaims,
  { namespace, serviceaccount }: AccountClaim,
): TokenReview {
  const { name, uid } = serviceaccount;
  const account = objectNamed(orchestrator, { kind: "ServiceAccount", namespace, name });
  if (account === undefined) return { authenticated: false, error: `serviceaccounts "${name}" not found` };
  if (account.uid !== uid) return { authenticated: false, error: `service account "${name}" is another one by now` };
  return { authenticated: true, username: claims.sub, audiences: claims.aud };
}
