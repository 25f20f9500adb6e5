import { argument, type Fact, fact } from "../../kit/why.ts";
import { directoryFacts } from "../auth/why.ts";
import { configFact } from "../directory-config/why.ts";
import { gone, type SecretsExplainers, type SecretsMet } from "../explaining.ts";
import type { DynamicRoleRefusals } from "./rejections.ts";

/** Why a dynamic role, or an account of one, is refused. */
export const dynamicRoleWhy: SecretsExplainers<DynamicRoleRefusals> = {
  dynamic_role_ldif_missing: (met, { field }) => argument(field, "LDIF")(met, {}),
  dynamic_role_ldif_invalid: (_, { field, reason }) => [fact("argument", `${field}: ${reason}`)],
  creds_config_missing: (met) => [configFact(met)],
  username_not_generated: (_, { reason }) => [fact("argument", `username_template: ${reason}`)],
  password_not_generated: (met, { reason }) => [fact("configured", reason), configFact(met)],
  user_not_created: (met, { reason, rollback }) => [
    fact("directory", reason),
    rollback === null ? undefined : fact("directory", `the rollback: ${rollback}`),
    ...directoryFacts(met),
    configFact(met),
  ],
  dynamic_role_gone: (met, { role }) => [dynamicRoleFact(met, role)],
};

function dynamicRoleFact(met: SecretsMet, role: string): Fact {
  return gone(
    "role",
    `dynamic role ${role}`,
    met.past.last("DynamicRoleDeleted", (data) => data.role === role),
  );
}
