import type { EpochMs } from "../../../../kernel/brand.ts";

/** What an activation token says (decisions-replication.md, 4.1). Instants are epoch seconds. */
export interface ActivationClaims {
  /** The API address of the primary. */
  readonly addr: string;
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  /** The id of the wrapping token inside. */
  readonly jti: string;
  readonly type: "wrapping";
}

/** The claims of a token that is made now. */
export function activationClaims(addr: string, jti: string, nowMs: EpochMs, ttlSeconds: number): ActivationClaims {
  const iat = Math.floor(nowMs / 1000);
  return { addr, iat, nbf: iat, exp: iat + ttlSeconds, jti, type: "wrapping" };
}

/** The claims of a token as somebody sent it; undefined for what is no activation token. */
export function readClaims(token: string): ActivationClaims | undefined {
  const parts = token.split(".");
  if (parts.length !== 3 || parts.some((part) => !/^[\w-]+$/.test(part))) return undefined;
  const header = decoded(parts[0] as string);
  const claims = decoded(parts[1] as string);
  if (header?.["alg"] !== "ES512" || claims?.["type"] !== "wrapping") return undefined;
  const { addr, iat, nbf, exp, jti } = claims;
  if (typeof addr !== "string" || typeof jti !== "string") return undefined;
  if (typeof iat !== "number" || typeof nbf !== "number" || typeof exp !== "number") return undefined;
  return { addr, iat, nbf, exp, jti, type: "wrapping" };
}

function decoded(part: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(atob(part.replaceAll("-", "+").replaceAll("_", "/")));
    return typeof value === "object" && value !== null ? (value as { readonly [name: string]: unknown }) : undefined;
  } catch {
    return undefined;
  }
}
