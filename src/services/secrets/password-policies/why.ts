import { argument, fact } from "../../kit/why.ts";
import { gone, inNamespace, type SecretsExplainers } from "../explaining.ts";
import type { PasswordPolicyRefusals } from "./rejections.ts";

/** Why a password policy is refused. */
export const passwordPolicyWhy: SecretsExplainers<PasswordPolicyRefusals> = {
  password_policy_missing: argument("policy", "the document of the policy"),
  password_policy_invalid: (_, { reason }) => [fact("argument", `policy: ${reason}`)],
  password_policy_not_found: (met, { policy }) => {
    const end = met.past.last("PasswordPolicyDeleted", (data) => inNamespace(met)(data) && data.name === policy);
    return [gone("policy", `password policy ${policy}`, end)];
  },
};
