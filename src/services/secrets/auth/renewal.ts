import type { SecretsDecision } from "../declare.ts";
import { leaseTimesOf } from "../leases/issue.ts";
import type { RenewalTerms } from "../leases/terms.ts";
import type { AuthMount } from "../mounts/state.ts";
import { mountPlace, type NamespacePlace } from "../place.ts";
import { policyNames } from "../policies/names.ts";
import { refuse } from "../rejections.ts";
import type { Token, TokenLogin } from "../tokens/state.ts";
import { askDirectory } from "./ldap/ask.ts";
import { changeExternalGroups } from "./login.ts";
import { methodAt } from "./methods/decide.ts";
import type { TokenParameters } from "./parameters.ts";

// Source of all rules in this file: auth/README.md, 3.8, and the pages of the methods.

/** What a renewal of a login's token may give; a period takes the place of both. */
export interface LoginTerms extends RenewalTerms {
  readonly periodSeconds: number;
}

/** What a renewal may give by what the method says now; undefined where who logged in is gone, so that nothing is renewed. */
export function loginTerms(decision: SecretsDecision, token: Token, login: TokenLogin): LoginTerms | undefined {
  const { caller } = decision;
  const at: NamespacePlace = {
    cluster: caller.cluster,
    ...(token.namespace === undefined ? {} : { namespace: token.namespace }),
  };
  const method = methodAt(decision.state, mountPlace(at, login.mount));
  if (method === undefined) return undefined;
  const parameters = parametersOf(decision, method, token, login);
  if (parameters === undefined) return undefined;
  const { ttlSeconds, maxTtlSeconds, periodSeconds } = parameters;
  const times = leaseTimesOf(method);
  return {
    defaultSeconds: ttlSeconds || times.defaultSeconds,
    maxSeconds: Math.min(times.maxSeconds, maxTtlSeconds || times.maxSeconds),
    periodSeconds,
  };
}

function parametersOf(
  decision: SecretsDecision,
  method: AuthMount,
  { policies, entityId, path }: Token,
  login: TokenLogin,
): TokenParameters | undefined {
  const { name } = login;
  switch (method.type) {
    case "auth/userpass": {
      const parameters = method.users.get(name)?.parameters;
      if (parameters !== undefined) refuseChanged(parameters.policies, policies);
      return parameters;
    }
    case "auth/approle":
      return method.approles.get(name)?.parameters ?? refuseRoleGone(name);
    case "auth/ldap": {
      const { ldapConfig: config } = method;
      if (config === undefined) return refuse("ldap_not_configured", {});
      const { parameters } = config;
      const user = askDirectory(decision, method, config, { username: name, password: login.password ?? "" });
      refuseChanged([...parameters.policies, ...user.policies], policies);
      changeExternalGroups(decision, method.accessor, entityId, { path, groups: user.groups });
      return parameters;
    }
    case "auth/orchestrator":
      return method.accountRoles.get(name)?.parameters ?? refuseRoleGone(name);
    default:
      return method satisfies never;
  }
}

/** A token keeps its policies, so one whose policies would be others now is not renewed. */
function refuseChanged(now: readonly string[], then: readonly string[]): void {
  const given = (names: readonly string[]): string => policyNames(names.filter((name) => name !== "default")).join();
  if (given(now) !== given(then)) refuse("login_not_renewed", { reason: "policies have changed, not renewing" });
}

function refuseRoleGone(role: string): never {
  return refuse("login_not_renewed", { reason: `role "${role}" does not exist during renewal` });
}
