import type { EpochMs } from "../../../../kernel/brand.ts";
import { jsonOf } from "../../../../languages/jws/encrypted.ts";

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

/** What a token says that is encrypted: nothing is to be unwrapped, so it leads to the primary's cluster address. */
export type OpenClaims = {
  readonly primary_cluster_addr: string;
  readonly jti: string;
  readonly exp: number;
};

/** The claims of a token that is made now. */
export function activationClaims(addr: string, jti: string, nowMs: EpochMs, ttlSeconds: number): ActivationClaims {
  const iat = Math.floor(nowMs / 1000);
  return { addr, iat, nbf: iat, exp: iat + ttlSeconds, jti, type: "wrapping" };
}

/** The claims of a token as somebody sent it; undefined for what is no activation token. */
export function readClaims(token: string): ActivationClaims | undefined {
  const parts = token.split(".");
  if (parts.length !== 3 || parts.some((part) => !/^[\w-]+$/.test(part))) return undefined;
  const header = objectOf(parts[0] as string);
  const claims = objectOf(parts[1] as string);
  if (header?.["alg"] !== "ES512" || claims?.["type"] !== "wrapping") return undefined;
  const { addr, iat, nbf, exp, jti } = claims;
  if (typeof addr !== "string" || typeof jti !== "string") return undefined;
  if (typeof iat !== "number" || typeof nbf !== "number" || typeof exp !== "number") return undefined;
  return { addr, iat, nbf, exp, jti, type: "wrapping" };
}

/** The claims that a text says which was encrypted; undefined for what is none. */
export function readOpenClaims(text: string): OpenClaims | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { primary_cluster_addr, jti, exp } = value as { readonly [name: string]: unknown };
  if (typeof primary_cluster_addr !== "string" || typeof jti !== "string" || typeof exp !== "number") return undefined;
  return { primary_cluster_addr, jti, exp };
}

function objectOf(part: string): { readonly [name: string]: unknown } | undefined {
  const value = jsonOf(part);
  return typeof value === "object" && value !== null ? (value as { readonly [name: string]: unknown }) : undefined;
}
