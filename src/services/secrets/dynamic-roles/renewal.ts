import type { RoleName } from "../directory-config/roles.ts";
import type { RenewalTerms } from "../leases/terms.ts";
import type { DirectoryRoles } from "../mounts/state.ts";
import { refuse } from "../rejections.ts";

/** What credentials are renewed for: the role's times as they are now, limited by the mount's (decisions-directory.md, 8). */
export function credentialsRenewalTerms(
  roles: DirectoryRoles | undefined,
  mountTimes: RenewalTerms,
  role: RoleName,
): RenewalTerms {
  const found = roles?.dynamicRoles.get(role);
  if (found === undefined) return refuse("dynamic_role_gone", { role });
  const limits = [found.maxTtlSeconds, mountTimes.maxSeconds].filter((seconds) => seconds > 0);
  return { defaultSeconds: found.defaultTtlSeconds || mountTimes.defaultSeconds, maxSeconds: Math.min(...limits) };
}
