import { epochMs } from "../../../../kernel/brand.ts";
import { bearerOf } from "../../access.ts";
import type { SecretsDecision, SecretsReading } from "../../declare.ts";
import { entityIn, type KnownEntity } from "../../identity/membership.ts";
import { refuse } from "../../rejections.ts";
import type { Token } from "../../tokens/state.ts";
import { namespaceAt } from "../../world.ts";
import { oidcAt } from "../keys/decide.ts";
import { letsIn } from "../let-in.ts";
import { allows, hasItem } from "../lists.ts";
import type { ProtocolRefusals } from "../rejections.ts";
import { nowSecondsOf } from "../scopes/claims.ts";
import { type OidcClient, OPENID, type Provider } from "../state.ts";
import type { AuthorizationCode } from "./state.ts";

/** The parameters of an authentication request. */
export interface AuthorizeFields {
  readonly client_id?: string;
  readonly redirect_uri?: string;
  readonly scope?: string;
  readonly response_type?: string;
  readonly state?: string;
  readonly nonce?: string;
  readonly max_age?: number;
  readonly code_challenge?: string;
  readonly code_challenge_method?: string;
  readonly request?: string;
  readonly request_uri?: string;
}

const CODE_TTL_MS = 300_000;

/** Issues an authorization code. The checks are in the order of decisions-oidc.md, 10, and bear its numbers. */
export function authorizeClient(decision: SecretsDecision, name: string, fields: AuthorizeFields): string {
  const fail = failing(fields.state ?? "");
  const oidc = oidcAt(decision, decision.caller);
  const clientName = oidc.clientsById.get(fields.client_id ?? "");
  const client = clientName === undefined ? undefined : oidc.clients.get(clientName);
  if (client === undefined) return fail("invalid_client_id", "the client_id is missing, or that of no client"); // 1
  const redirectUri = fields.redirect_uri ?? "";
  if (redirectUri === "") return fail("invalid_request", "redirect_uri is missing"); // 2
  if (!hasItem(client.redirectUris, redirectUri)) {
    return fail("invalid_redirect_uri", "redirect_uri is none of the client's"); // 3
  }
  const provider = oidc.providers.get(name);
  if (provider === undefined) return fail("invalid_request", "there is no such provider"); // 4
  if (!allows(provider.allowedClientIds, client.clientId)) {
    return fail("unauthorized_client", "the provider does not allow the client"); // 5
  }
  // 6 and 7: what was sent is in there, a state too, and is not looked at.
  if (fields.request !== undefined) return failing("")("request_not_supported", "request is not supported");
  if (fields.request_uri !== undefined) return failing("")("request_uri_not_supported", "request_uri is not supported");
  const scopes = (fields.scope ?? "").split(" ");
  if (!scopes.includes(OPENID)) return fail("invalid_request", "scope lacks openid"); // 8
  const responseType = fields.response_type ?? "";
  if (responseType === "") return fail("invalid_request", "response_type is missing"); // 9
  if (responseType !== "code") return fail("unsupported_response_type", "response_type is not code"); // 10
  const { token } = bearerOf(decision);
  const known = entityOf(decision, token);
  if (known === undefined) return fail("access_denied", "the token has no entity"); // 11
  if (!letsIn(oidc, client, known)) return fail("access_denied", "no assignment of the client lets the entity in"); // 12
  const challenge = challengeOf(fields, client, fail); // 13 to 15
  const authTime = authTimeOf(decision, fields.max_age, token, fail); // 16 and 17
  const code = decision.draw.base62(32);
  const record: AuthorizationCode = {
    namespaceId: namespaceAt(decision.state, decision.caller)?.id ?? "",
    provider: name,
    clientId: client.clientId,
    entityId: known.id,
    redirectUri,
    nonce: fields.nonce ?? "",
    scopes: keptScopes(scopes, provider),
    ...(challenge === undefined ? {} : { challenge }),
    ...(authTime === undefined ? {} : { authTime }),
    expiresAtMs: epochMs(decision.nowMs + CODE_TTL_MS),
  };
  decision.record({ type: "AuthorizationCodeIssued", data: { cluster: decision.caller.cluster, code, record } });
  return code;
}

type Fail = (code: keyof ProtocolRefusals, description: string) => never;

function failing(state: string): Fail {
  return (code, error_description) => refuse(code, { endpoint: "authorize", error_description, state });
}

/** The entity behind a token; undefined without one, or with an id that is none. */
export function entityOf({ state, caller }: SecretsReading, { entityId }: Token): KnownEntity | undefined {
  if (entityId === "") return undefined;
  const known = entityIn(state, caller, entityId);
  return known === "deleted" ? undefined : known;
}

const SHORTEST_CHALLENGE = 43;
const LONGEST_CHALLENGE = 128;

function challengeOf(fields: AuthorizeFields, { clientType }: OidcClient, fail: Fail): AuthorizationCode["challenge"] {
  const { code_challenge: text, code_challenge_method: method = "" } = fields;
  if (text === undefined) {
    if (clientType === "public") fail("invalid_request", "a public client has to send a code_challenge"); // 13
    return undefined;
  }
  if (method !== "" && method !== "plain" && method !== "S256") {
    return fail("invalid_request", "code_challenge_method is neither plain nor S256"); // 14
  }
  if (text.length < SHORTEST_CHALLENGE || text.length > LONGEST_CHALLENGE) {
    return fail(
      "invalid_request",
      `code_challenge has to have ${SHORTEST_CHALLENGE} to ${LONGEST_CHALLENGE} characters`,
    ); // 15
  }
  return { text, method: method === "S256" ? "S256" : "plain" };
}

function authTimeOf(
  decision: SecretsDecision,
  maxAge: number | undefined,
  { createdAtMs }: Token,
  fail: Fail,
): number | undefined {
  if (maxAge === undefined) return undefined;
  if (maxAge < 1) return fail("invalid_request", "max_age has to be greater than zero"); // 16
  const authTime = nowSecondsOf(createdAtMs);
  if (nowSecondsOf(decision.nowMs) - authTime > maxAge) {
    return fail("max_age_violation", "the user authenticated longer ago than max_age"); // 17
  }
  return authTime;
}

/** Those that the provider lists, each once; what it does not list is dropped without a word. */
function keptScopes(scopes: readonly string[], { scopesSupported }: Provider): string[] {
  return [...new Set(scopes)].filter((scope) => scope !== OPENID && hasItem(scopesSupported, scope));
}
