import { argument, type Fact, fact, textGiven } from "../../kit/why.ts";
import { directoryFacts } from "../auth/why.ts";
import { configFact } from "../directory-config/why.ts";
import { gone, inMount, mountAsked, type SecretsExplainers, type SecretsMet, there } from "../explaining.ts";
import { directoryAt } from "../world.ts";
import type { StaticRoleRefusals } from "./rejections.ts";

/** Why a static role is refused. */
export const staticRoleWhy: SecretsExplainers<StaticRoleRefusals> = {
  role_username_missing: argument("username", "the account of the role"),
  role_username_empty: argument("username", "the account of the role"),
  role_username_managed: (met, { username }) => {
    const engine = directoryAt(met.state, { ...met.caller, mount: mountAsked(met) });
    const holder = engine?.roles?.usernames.get(username) ?? engine?.library.accounts.get(username)?.set;
    return [fact("account", `${username} is of ${holder ?? "another role"}`), roleFact(met, holder ?? "")];
  },
  role_username_fixed: (met) => [
    ...argument("username", "what it was")(met, {}),
    roleFact(met, textGiven(met, "role_name")),
  ],
  role_dn_fixed: (met) => [...argument("dn", "what it was")(met, {}), roleFact(met, textGiven(met, "role_name"))],
  rotation_period_missing: argument("rotation_period", "how often the password is changed"),
  static_period_too_short: argument("rotation_period", "5 seconds or more"),
  skip_import_rotation_ineffective: argument("skip_import_rotation", "nothing for a role that is there"),
  role_config_missing: (met) => [configFact(met)],
  role_import_failed: (met, { role, reason }) => [
    fact("directory", `${role}: ${reason}`),
    ...directoryFacts(met),
    configFact(met),
  ],
  static_role_unknown: (met, { role }) => [roleFact(met, role)],
  rotated_role_missing: (met, { role }) => [roleFact(met, role)],
  static_role_rotation_failed: (met, { role, reason }) => [
    fact("directory", `${role}: ${reason}`),
    ...directoryFacts(met),
    roleFact(met, role),
    configFact(met),
  ],
};

function roleFact(met: SecretsMet, role: string): Fact {
  const fits = (data: Parameters<ReturnType<typeof inMount>>[0] & { readonly role: string }): boolean =>
    inMount(met)(data) && data.role === role;
  const found = directoryAt(met.state, { ...met.caller, mount: mountAsked(met) })?.roles?.staticRoles.get(role);
  return found === undefined
    ? gone("role", `static role ${role}`, met.past.last("StaticRoleDeleted", fits))
    : there("role", `static role ${role} of ${found.username}`, met.past.last("StaticRoleCreated", fits));
}
