import type { RenewalTerms } from "../leases/terms.ts";

/** Default and maximum TTL of tokens: 768 hours (decisions-secrets-core.md, A.7). */
export const SYSTEM_TOKEN_SECONDS = 2_764_800;

const SYSTEM: RenewalTerms = { defaultSeconds: SYSTEM_TOKEN_SECONDS, maxSeconds: SYSTEM_TOKEN_SECONDS };

/** The times of a token, in seconds; 0 is none. */
export interface TokenTimes {
  readonly ttlSeconds: number;
  readonly periodSeconds: number;
  readonly explicitMaxTtlSeconds: number;
}

/**
 * The TTL that a new token gets, with a warning when it is less than what was asked for; 0 for one that never expires.
 *
 * A root token without a TTL never expires. A period replaces the TTL; neither passes the maximum of where it comes from, nor one of the
 * token's own (amendments.md, S3).
 */
export function newTokenTtl(
  { ttlSeconds, periodSeconds, explicitMaxTtlSeconds }: TokenTimes,
  isRoot: boolean,
  { defaultSeconds, maxSeconds }: RenewalTerms = SYSTEM,
): { readonly seconds: number; readonly warnings: readonly string[] } {
  const asked = periodSeconds || ttlSeconds;
  const wanted = asked || (isRoot ? 0 : defaultSeconds);
  if (wanted === 0) return { seconds: explicitMaxTtlSeconds, warnings: [] };
  const limit = Math.min(explicitMaxTtlSeconds || maxSeconds, maxSeconds);
  if (wanted <= limit) return { seconds: wanted, warnings: [] };
  return { seconds: limit, warnings: asked === 0 ? [] : [cutWarning(wanted, limit)] };
}

export function cutWarning(wantedSeconds: number, limitSeconds: number): string {
  return `TTL of "${wantedSeconds}s" exceeded the effective max_ttl of "${Math.floor(limitSeconds)}s"; TTL value is capped accordingly`;
}
