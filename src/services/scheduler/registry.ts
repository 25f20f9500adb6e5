import { type Named, registryOf } from "../kit/registry.ts";
import { aclOperations } from "./bootstrap/operations.ts";
import type { SchedulerOperation } from "./declare.ts";
import { oneTimeTokenOperations } from "./one-time-tokens/operations.ts";
import { policyOperations } from "./policies/operations.ts";
import { roleOperations } from "./roles/operations.ts";
import { authMethodOperations, bindingRuleOperations, loginOperations } from "./sign-ins/operations.ts";
import { agentOperations, namespaceOperations, regionOperations, statusOperations } from "./status/operations.ts";
import { tokenOperations } from "./tokens/operations.ts";

/** Every operation of the service. The typed door has the shape of this table. */
export const schedulerRegistry = registryOf<SchedulerOperation>()("scheduler", {
  acl: { ...aclOperations, ...loginOperations },
  policies: policyOperations,
  tokens: tokenOperations,
  oneTimeTokens: oneTimeTokenOperations,
  roles: roleOperations,
  authMethods: authMethodOperations,
  bindingRules: bindingRuleOperations,
  status: statusOperations,
  regions: regionOperations,
  agent: agentOperations,
  namespaces: namespaceOperations,
});

export type NamedOperation = Named<SchedulerOperation>;
