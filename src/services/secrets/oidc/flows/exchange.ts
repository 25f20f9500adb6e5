import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { authorizationCodeMachine } from "../../../../../machines/authorization-code.machine.ts";
import { secondsAfter } from "../../../../kernel/brand.ts";
import { type Algorithm, hashOfAlgorithm } from "../../../../languages/jws/algorithms.ts";
import { base64url } from "../../../../languages/jws/base64url.ts";
import type { SecretsDecision } from "../../declare.ts";
import { entityIn, type KnownEntity } from "../../identity/membership.ts";
import { failKeepingFacts } from "../../rejections.ts";
import { newTokenId } from "../../tokens/create.ts";
import type { Token, TokenId } from "../../tokens/state.ts";
import { clusterOf, namespaceAt } from "../../world.ts";
import { oidcAt, signingKeyOf } from "../keys/decide.ts";
import type { NamedKey, SigningKey } from "../keys/state.ts";
import { letsIn } from "../let-in.ts";
import { allows } from "../lists.ts";
import { computedIssuer } from "../providers/issuer.ts";
import type { ProtocolRefusals } from "../rejections.ts";
import { ClaimConflict, nowSecondsOf, scopeClaims } from "../scopes/claims.ts";
import type { OidcClient, OidcConfiguration, Provider } from "../state.ts";
import type { AuthorizationCode, Claims } from "./state.ts";

/** The parameters of a token request. */
export interface TokenFields {
  readonly code?: string;
  readonly grant_type?: string;
  readonly redirect_uri?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly code_verifier?: string;
}

/** What a client gets for a code; the ID token is still to be signed. */
export interface IssuedTokens {
  readonly accessToken: TokenId;
  readonly expiresInSeconds: number;
  readonly key: SigningKey;
  readonly claims: Claims;
}

/** Facts recorded so far are kept: what spends a code has happened, whatever is answered. */
function fail(code: keyof ProtocolRefusals, error_description: string): never {
  return failKeepingFacts(code, { endpoint: "token", error_description });
}

/** Exchanges a code. The checks are in the order of decisions-oidc.md, 11, and bear its numbers. */
export function exchangeCode(decision: SecretsDecision, name: string, fields: TokenFields): IssuedTokens {
  const oidc = oidcAt(decision, decision.caller);
  const provider = oidc.providers.get(name);
  if (provider === undefined) return fail("invalid_request", "there is no such provider"); // 1
  const { client, key } = authenticatedClient(decision, oidc, provider, fields); // 2 to 5
  const grantType = fields.grant_type ?? "";
  if (grantType === "") return fail("invalid_request", "grant_type is missing"); // 6
  if (grantType !== "authorization_code") {
    return fail("unsupported_grant_type", "grant_type is not authorization_code"); // 7
  }
  const code = fields.code ?? "";
  if (code === "") return fail("invalid_request", "code is missing"); // 8
  const record = spentCode(decision, code); // 9
  if (record.clientId !== client.clientId) return fail("invalid_grant", "the code was issued to another client"); // 10
  if (record.provider !== name) return fail("invalid_grant", "the code was issued by another provider"); // 11
  const redirectUri = fields.redirect_uri ?? "";
  if (redirectUri === "") return fail("invalid_request", "redirect_uri is missing"); // 12
  if (redirectUri !== record.redirectUri) return fail("invalid_grant", "redirect_uri is not that of the request"); // 13
  const known = entityIn(decision.state, decision.caller, record.entityId);
  if (known === undefined || known === "deleted") return fail("invalid_request", "the entity is not there any more"); // 14
  if (!letsIn(oidc, client, known)) return fail("invalid_request", "no assignment of the client lets the entity in"); // 15
  checkVerifier(record, client, fields.code_verifier ?? ""); // 16 to 18
  const claims = scopeClaims(oidc, record.scopes, known, decision.nowMs);
  if (claims instanceof ClaimConflict) return fail("invalid_request", conflictText(claims)); // 19
  return issued(decision, { name, provider, client, key, code, record, known, claims });
}

function authenticatedClient(
  decision: SecretsDecision,
  oidc: OidcConfiguration,
  provider: Provider,
  fields: TokenFields,
): { readonly client: OidcClient; readonly key: NamedKey } {
  const [clientId, secret] = credentialsOf(decision.caller.basic, fields);
  if (clientId === undefined) return fail("invalid_request", "the client does not say who it is"); // 2
  const clientName = oidc.clientsById.get(clientId);
  const client = clientName === undefined ? undefined : oidc.clients.get(clientName);
  if (client === undefined || (client.clientSecret !== undefined && client.clientSecret !== secret)) {
    return fail("invalid_client", "the client failed to authenticate"); // 3
  }
  if (!allows(provider.allowedClientIds, clientId)) {
    return fail("invalid_client", "the provider does not allow the client"); // 4
  }
  const key = oidc.keys.get(client.key);
  if (key === undefined) throw new Error(`client ${clientName} uses key ${client.key}, which is not there`);
  if (!key.allowedClientIds.includes("*") && !key.allowedClientIds.includes(clientId)) {
    return fail("invalid_client", "the key does not allow the client"); // 5
  }
  return { client, key };
}

/** The header wins over the form; its parts are the raw texts around the first colon. */
function credentialsOf(
  basic: string | undefined,
  { client_id, client_secret }: TokenFields,
): readonly [clientId: string | undefined, secret: string | undefined] {
  const colon = basic?.indexOf(":") ?? -1;
  if (basic !== undefined && colon >= 0) return [basic.slice(0, colon), basic.slice(colon + 1)];
  return [client_id || undefined, client_secret];
}

/** Takes a code away. From then on it is spent, whatever the answer is. */
function spentCode(decision: SecretsDecision, code: string): AuthorizationCode {
  const { cluster } = decision.caller;
  const record = clusterOf(decision.state, cluster).local.oidcCodes.get(code);
  const inForce = record !== undefined && decision.nowMs < record.expiresAtMs;
  const ownNamespace = record?.namespaceId === namespaceAt(decision.state, decision.caller)?.id;
  const next = decision.step(
    authorizationCodeMachine,
    record === undefined ? "spent" : "issued",
    { inForce, ownNamespace },
    { type: "spend" },
  );
  if (record === undefined || next === undefined) return fail("invalid_grant", "the code is unknown, expired or spent");
  decision.record({ type: "AuthorizationCodeSpent", data: { cluster, code } });
  return record;
}

function checkVerifier({ challenge }: AuthorizationCode, { clientType }: OidcClient, verifier: string): void {
  if (challenge === undefined) {
    if (clientType === "public" || verifier !== "") fail("invalid_request", "the code was issued without PKCE"); // 16
    return;
  }
  if (verifier === "") fail("invalid_request", "code_verifier is missing"); // 17
  const shown = challenge.method === "plain" ? verifier : base64url(sha256(utf8ToBytes(verifier)));
  if (shown !== challenge.text) fail("invalid_grant", "code_verifier does not match"); // 18
}

function conflictText({ claim, scopes }: ClaimConflict): string {
  return `the scopes ${scopes.join(" and ")} both have the claim ${JSON.stringify(claim)}`;
}

interface Issue {
  readonly name: string;
  readonly provider: Provider;
  readonly client: OidcClient;
  readonly key: NamedKey;
  readonly code: string;
  readonly record: AuthorizationCode;
  readonly known: KnownEntity;
  readonly claims: Claims;
}

function issued(decision: SecretsDecision, issue: Issue): IssuedTokens {
  const { client, key: named } = issue;
  const { cluster } = decision.caller;
  const key = signingKeyOf(named);
  if (key === undefined) throw new Error(`key ${client.key} signs for a client, and has no ring`);
  const accessToken = newTokenId(decision, "batch");
  const claims = idTokenClaims(decision, issue, accessToken);
  decision.record({
    type: "OidcTokensIssued",
    data: { cluster, accessToken, record: accessTokenRecord(decision, issue), kid: key.kid, claims },
  });
  return { accessToken, expiresInSeconds: client.accessTokenTtlSeconds, key, claims };
}

/** Source: decisions-oidc.md, 11 "Access token". */
function accessTokenRecord(
  { caller, nowMs, state }: SecretsDecision,
  { name, client, record, known }: Issue,
): Omit<Token, "deadline"> {
  const { namespace } = caller;
  return {
    accessor: "",
    type: "batch",
    policies: [],
    ...(namespace === undefined ? {} : { namespace }),
    entityId: known.id,
    displayName: "oidc",
    meta: null,
    path: `identity/oidc/provider/${name}/token`,
    createdAtMs: nowMs,
    expiresAtMs: secondsAfter(nowMs, client.accessTokenTtlSeconds),
    creationTtlSeconds: client.accessTokenTtlSeconds,
    explicitMaxTtlSeconds: 0,
    periodSeconds: 0,
    renewable: false,
    orphan: true,
    oidc: {
      namespaceId: namespaceAt(state, caller)?.id ?? "",
      provider: name,
      clientId: client.clientId,
      scopes: record.scopes,
    },
  };
}

/** Source: decisions-oidc.md, 11 "ID token". What scopes say stands behind what the provider says, and never in its place. */
function idTokenClaims(decision: SecretsDecision, issue: Issue, accessToken: TokenId): Claims {
  const { name, provider, client, key, code, record, known, claims } = issue;
  const now = nowSecondsOf(decision.nowMs);
  return {
    ...claims,
    iss: computedIssuer(decision.state, decision.caller, name, provider),
    sub: known.id,
    aud: client.clientId,
    iat: now,
    exp: now + client.idTokenTtlSeconds,
    namespace: record.namespaceId,
    at_hash: halfHash(key.algorithm, accessToken),
    c_hash: halfHash(key.algorithm, code),
    ...(record.nonce === "" ? {} : { nonce: record.nonce }),
    ...(record.authTime === undefined ? {} : { auth_time: record.authTime }),
  };
}

const HASHES = { sha256, sha384, sha512 };

/** The left half of the hash that goes with an algorithm, as base64url. */
export function halfHash(algorithm: Algorithm, text: string): string {
  const hash = HASHES[hashOfAlgorithm(algorithm)](utf8ToBytes(text));
  return base64url(hash.subarray(0, hash.length / 2));
}
