import type { EpochMs } from "../../../../kernel/brand.ts";
import { LAST_INSTANT_MS } from "../../../../kernel/calendar.ts";
import type { Flat } from "../../../../kernel/draft.ts";
import type { FlatEvolvers } from "../../../../kernel/evolvers.ts";
import type { Table } from "../../../../kernel/table.ts";
import type { InCluster } from "../../place.ts";
import type { Token, TokenId, TokenSlice } from "../../tokens/state.ts";
import type { SigningKey } from "../keys/state.ts";

/** What a code stands for until somebody shows it (decisions-oidc.md, 10). */
export interface AuthorizationCode {
  readonly namespaceId: string;
  readonly provider: string;
  readonly clientId: string;
  readonly entityId: string;
  readonly redirectUri: string;
  readonly nonce: string;
  readonly scopes: readonly string[];
  readonly challenge?: { readonly text: string; readonly method: "plain" | "S256" };
  /** Seconds; when the authorizing token was created, if somebody asked for it. */
  readonly authTime?: number;
  readonly expiresAtMs: EpochMs;
}

/** The claims of an ID token, as they are signed. */
export type Claims = { readonly [name: string]: unknown };

export interface FlowSlice {
  /** Authorization codes of the OIDC provider that are not spent. */
  readonly oidcCodes: Table<AuthorizationCode>;
  /** What the OIDC provider issued, in the order in which it expires. */
  readonly oidcExpiries: Table<Expiring>;
}

/** Access tokens are tokens of the cluster. */
type Flows = FlowSlice & TokenSlice;

/** The facts of logins. */
export interface FlowEvents {
  AuthorizationCodeIssued: InCluster & { readonly code: string; readonly record: AuthorizationCode };
  AuthorizationCodeSpent: InCluster & { readonly code: string };
  OidcTokensIssued: InCluster & {
    readonly accessToken: TokenId;
    readonly record: Omit<Token, "deadline">;
    readonly kid: SigningKey["kid"];
    readonly claims: Claims;
  };
}

/** What ends by its time alone, without a fact. */
export type Expiring = { readonly code: string } | { readonly token: TokenId };

export const flowEvolvers: FlatEvolvers<Flows, FlowEvents> = {
  AuthorizationCodeIssued: (local, { code, record }, { atMs }) => {
    dropExpired(local, atMs);
    local.oidcCodes = local.oidcCodes.set(code, record);
    local.oidcExpiries = local.oidcExpiries.set(expiryKey(record.expiresAtMs, code), { code });
  },
  AuthorizationCodeSpent: (local, { code }) => {
    const record = local.oidcCodes.get(code);
    if (record === undefined) return;
    local.oidcCodes = local.oidcCodes.delete(code);
    local.oidcExpiries = local.oidcExpiries.delete(expiryKey(record.expiresAtMs, code));
  },
  OidcTokensIssued: (local, { accessToken, record }, { atMs }) => {
    dropExpired(local, atMs);
    local.tokens = local.tokens.set(accessToken, record);
    if (record.namespace !== undefined) {
      local.tokensByNamespace = local.tokensByNamespace.set(`${record.namespace} ${accessToken}`, accessToken);
    }
    const expiry = expiryKey(record.expiresAtMs ?? LAST_INSTANT_MS, accessToken);
    local.oidcExpiries = local.oidcExpiries.set(expiry, { token: accessToken });
  },
};

/**
 * Codes and access tokens end without an event (decisions-oidc.md, 1 "Expiry"): they are over when their time is, and nobody asks
 * whether they are still kept. So that they do not pile up, each new one takes two away whose time is over.
 */
function dropExpired(local: Flat<Flows>, nowMs: EpochMs): void {
  for (let dropped = 0; dropped < 2; dropped++) {
    const oldest = local.oidcExpiries.first();
    if (oldest === undefined || Number(oldest[0].slice(0, EXPIRY_DIGITS)) > nowMs) return;
    const [key, expiring] = oldest;
    local.oidcExpiries = local.oidcExpiries.delete(key);
    if ("code" in expiring) local.oidcCodes = local.oidcCodes.delete(expiring.code);
    else dropToken(local, expiring.token);
  }
}

function dropToken(local: Flat<Flows>, token: TokenId): void {
  const namespace = local.tokens.get(token)?.namespace;
  local.tokens = local.tokens.delete(token);
  if (namespace !== undefined) local.tokensByNamespace = local.tokensByNamespace.delete(`${namespace} ${token}`);
}

const EXPIRY_DIGITS = 15;

/** What expires earlier comes first. */
function expiryKey(expiresAtMs: EpochMs, id: string): string {
  return `${Math.min(expiresAtMs, LAST_INSTANT_MS).toString().padStart(EXPIRY_DIGITS, "0")} ${id}`;
}
