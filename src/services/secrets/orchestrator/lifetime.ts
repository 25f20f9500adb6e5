import { leaseTimesOf } from "../leases/issue.ts";
import type { OrchestratorMount } from "../mounts/state.ts";
import type { OrchestratorRole } from "./state.ts";

/** A time, and what a caller is to be told of how it came about. */
export interface Lifetime {
  readonly seconds: number;
  readonly warnings: readonly string[];
}

/**
 * For how long a token is asked for: what the request wants, else the role, else the mount; then cut to the role's maximum, then to
 * the mount's.
 *
 * Source: decisions-orchestrator.md, 5.
 */
export function wantedLifetime(asked: number | undefined, role: OrchestratorRole, mount: OrchestratorMount): Lifetime {
  const { defaultSeconds, maxSeconds } = leaseTimesOf(mount);
  const warnings: string[] = [];
  let seconds = asked || role.tokenDefaultTtlSeconds || defaultSeconds;
  const { tokenMaxTtlSeconds } = role;
  if (tokenMaxTtlSeconds > 0 && seconds > tokenMaxTtlSeconds) {
    warnings.push(
      `ttl of ${seconds}s is greater than the role's token_max_ttl of ${tokenMaxTtlSeconds}s; it is cut to that`,
    );
    seconds = tokenMaxTtlSeconds;
  }
  if (seconds > maxSeconds) {
    warnings.push(`ttl of ${seconds}s is greater than the max lease ttl of ${maxSeconds}s; it is cut to that`);
    seconds = maxSeconds;
  }
  return { seconds, warnings };
}

/** The lease's time by what the orchestrator granted: never longer than that. */
export function leaseLifetime({ seconds, warnings }: Lifetime, grantedSeconds: number): Lifetime {
  if (grantedSeconds === seconds) return { seconds, warnings };
  const order = grantedSeconds < seconds ? "less" : "greater";
  const told = `the created token's TTL of ${grantedSeconds}s is ${order} than the lease TTL of ${seconds}s`;
  return { seconds: Math.min(seconds, grantedSeconds), warnings: [...warnings, told] };
}
