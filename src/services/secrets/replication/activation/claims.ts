import type { SecretsReading } from "../../declare.ts";
import { heardClaims } from "../../wrapping/jwt.ts";

/** What a token says that is encrypted: nothing is to be unwrapped, so it leads to the primary's cluster address. */
export type OpenClaims = {
  readonly primary_cluster_addr: string;
  readonly jti: string;
  readonly exp: number;
};

/** The claims that a text says which was encrypted; undefined for what is none. */
export function readOpenClaims(reading: Omit<SecretsReading, "draw">, text: string): OpenClaims | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { primary_cluster_addr, jti, exp } = heardClaims(reading, value) ?? {};
  if (typeof primary_cluster_addr !== "string" || typeof jti !== "string" || typeof exp !== "number") return undefined;
  return { primary_cluster_addr, jti, exp };
}
