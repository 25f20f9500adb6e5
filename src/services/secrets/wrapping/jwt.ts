import type { EpochMs } from "../../../kernel/brand.ts";
import { base64url } from "../../../languages/jws/base64url.ts";
import { ecdsaSignature, SHORT_NONCES } from "../../../languages/jws/ecdsa.ts";
import { jsonOf } from "../../../languages/jws/encrypted.ts";
import { secretScalar } from "../../../languages/jws/key.ts";
import type { Speech } from "../../../languages/vocabulary/shape.ts";
import { wordsOf } from "../../../languages/vocabulary/worded.ts";
import type { SealState } from "../cluster/state.ts";
import type { SecretsReading } from "../declare.ts";
import { shownRecord } from "../words/members.ts";
import type { PathContext } from "../words/path.ts";
import { clusterOf } from "../world.ts";

// Wrapping tokens as somebody else sees them: where to go with them, under a signature (decisions-replication.md, 4.1; amendments.md, S35).

/** What such a token says. Instants are epoch seconds. */
export interface WrappingClaims {
  /** Of the token in the answer, where the answer is one of the caller's. */
  readonly accessor?: string;
  /** The API address of the cluster that made it. */
  readonly addr: string;
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  /** The id of the wrapping token inside. */
  readonly jti: string;
  readonly type: "wrapping";
}

/** The claims of a token that is made now. */
export function wrappingClaims(addr: string, jti: string, nowMs: EpochMs, ttlSeconds: number): WrappingClaims {
  const iat = Math.floor(nowMs / 1000);
  return { addr, iat, nbf: iat, exp: iat + Math.floor(ttlSeconds), jti, type: "wrapping" };
}

/** The claims of a token as somebody sent it; undefined for what is none. */
export function readClaims(reading: Omit<SecretsReading, "draw">, token: string): WrappingClaims | undefined {
  const parts = token.split(".");
  if (parts.length !== 3 || parts.some((part) => !/^[\w-]+$/.test(part))) return undefined;
  const header = objectOf(jsonOf(parts[0] as string));
  const claims = heardClaims(reading, jsonOf(parts[1] as string));
  if (header?.["alg"] !== "ES512" || claims?.["type"] !== "wrapping") return undefined;
  const { addr, iat, nbf, exp, jti } = claims;
  if (typeof addr !== "string" || typeof jti !== "string") return undefined;
  if (typeof iat !== "number" || typeof nbf !== "number" || typeof exp !== "number") return undefined;
  return { addr, iat, nbf, exp, jti, type: "wrapping" };
}

/** Claims as they are put down for others: in the words of the wire, none for a typed call (amendments.md, S45). */
export function spokenClaims<C extends object>(claims: C, speech: Speech<PathContext> | undefined): C {
  return speech === undefined ? claims : (shownRecord(claims, speech, "") as C);
}

/** The same the other way; undefined for what are no claims. */
export function heardClaims(
  { state, caller }: Omit<SecretsReading, "draw">,
  claims: unknown,
): { readonly [name: string]: unknown } | undefined {
  const words = wordsOf(state)?.secrets;
  const context = { world: state, at: caller };
  return objectOf(words === undefined ? claims : shownRecord(claims, { words, to: "neutral", context }, ""));
}

function objectOf(value: unknown): { readonly [name: string]: unknown } | undefined {
  return typeof value === "object" && value !== null ? (value as { readonly [name: string]: unknown }) : undefined;
}

/** The id of a wrapping token that came signed; whatever else came stays as it is. */
export function wrappingIdIn(reading: Omit<SecretsReading, "draw">, token: string): string {
  const claims = readClaims(reading, token);
  const { seal } = clusterOf(reading.state, reading.caller.cluster).ignored;
  return claims !== undefined && isSignedBy(token, seal) ? claims.jti : token;
}

/** Claims under the signature of a cluster. */
export function signedClaims(claims: WrappingClaims, signer: SealState): string {
  const signed = `${part(HEADER)}.${part(claims)}`;
  return `${signed}.${signature(signed, signer)}`;
}

const HEADER = { alg: "ES512", typ: "JWT" } as const;

function part(value: object): string {
  return base64url(new TextEncoder().encode(JSON.stringify(value)));
}

/** Whether a cluster signed a token of three parts. */
export function isSignedBy(token: string, signer: SealState): boolean {
  const dot = token.lastIndexOf(".");
  return token.slice(dot + 1) === signature(token.slice(0, dot), signer);
}

/** That of ES512 (RFC 7518, 3.4). Equal texts have equal ones, so whoever knows the key checks one by making it again. */
function signature(text: string, signer: SealState): string {
  return base64url(ecdsaSignature("P-521", new TextEncoder().encode(text), signingSecret(signer), SHORT_NONCES));
}

/** Private keys by what they are made of. */
const secrets = new WeakMap<SealState, bigint>();

function signingSecret(signer: SealState): bigint {
  let secret = secrets.get(signer);
  if (secret === undefined) {
    secret = secretScalar("P-521", signingSeed(signer));
    secrets.set(signer, secret);
  }
  return secret;
}

/** Our choice: the signing key is made of the key that seals the storage, so all clusters of a set have the same. */
export function signingSeed({ key }: SealState): string {
  return `activation tokens:${key}`;
}
