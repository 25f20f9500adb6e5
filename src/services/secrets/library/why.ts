import { argument, type Fact, fact, recorded, textGiven, when } from "../../kit/why.ts";
import { directoryFacts } from "../auth/why.ts";
import { configFact } from "../directory-config/why.ts";
import { gone, inMount, mountAsked, type SecretsExplainers, type SecretsMet, there } from "../explaining.ts";
import { byWhom } from "../tokens/why.ts";
import { directoryAt } from "../world.ts";
import type { LibraryRefusals } from "./rejections.ts";

/** Why a library set or a check-out is refused. */
export const libraryWhy: SecretsExplainers<LibraryRefusals> = {
  set_config_missing: (met) => [configFact(met)],
  set_names_missing: argument("service_account_names", "names of accounts"),
  account_already_managed: (met, { account }) => [managerFact(met, account)],
  account_checked_out: (met, { account }) => [loanFact(met, account)],
  set_empty: argument("service_account_names", "at least one account"),
  account_name_empty: argument("service_account_names", "names that are not empty"),
  max_ttl_below_ttl: (met) => [
    ...argument("ttl", "no more than max_ttl")(met, {}),
    ...argument("max_ttl", "at least ttl")(met, {}),
  ],
  rotation_failed: (met, { account, reason }) => [
    fact("directory", `${account}: ${reason}`),
    ...directoryFacts(met),
    configFact(met),
  ],
  set_not_found: (met, { set }) => [
    gone(
      "set",
      `set ${set}`,
      met.past.last("LibrarySetDeleted", (data) => inMount(met)(data) && data.set === set),
    ),
  ],
  no_account_available: (met, { set }) => {
    const library = directoryAt(met.state, { ...met.caller, mount: mountAsked(met) })?.library;
    const names = library?.sets.get(set)?.names ?? [];
    const told = names.slice(0, LOANS_TOLD).map((account) => loanFact(met, account));
    return [fact("set", `all ${names.length} accounts of ${set} are lent`), ...told];
  },
  check_in_config_missing: (met) => [configFact(met)],
  account_not_in_set: (met, { account, set }) => {
    const library = directoryAt(met.state, { ...met.caller, mount: mountAsked(met) })?.library;
    return [
      fact("set", `${set} has ${library?.sets.get(set)?.names.join(", ") ?? "no accounts"}, and ${account} was named`),
    ];
  },
  account_not_yours: (met, { account }) => [loanFact(met, account)],
  check_in_ambiguous: (met, { set }) => [
    fact("argument", "service_account_names is not given"),
    recorded("set", "an account was lent last", met.past.last("ServiceAccountCheckedOut", inMount(met))) ??
      fact("set", `several accounts of ${set} are lent`),
  ],
};

const LOANS_TOLD = 3;

/** Who has an account, by the commit that lent it. */
function loanFact(met: SecretsMet, account: string): Fact {
  const fits = (data: Parameters<ReturnType<typeof inMount>>[0] & { readonly account: string }): boolean =>
    inMount(met)(data) && data.account === account;
  const lent = met.past.last("ServiceAccountCheckedOut", fits);
  const back = met.past.last("ServiceAccountCheckedIn", fits);
  if (lent === undefined) return fact("account", `${account} was never lent`);
  const isBack = back !== undefined && back.position > lent.position;
  const text = `${account} was lent ${when(lent)}${byWhom(met, lent.command)}`;
  return isBack
    ? { kind: "account", position: back.position, text: `${text}, and came back ${when(back)}` }
    : { kind: "account", position: lent.position, text };
}

/** What manages an account already: the request itself names it too, where nothing else does. */
function managerFact(met: SecretsMet, account: string): Fact {
  const engine = directoryAt(met.state, { ...met.caller, mount: mountAsked(met) });
  const set = engine?.library.accounts.get(account)?.set;
  const role = engine?.roles?.usernames.get(account);
  if (set !== undefined) {
    return there(
      "set",
      `${account} is of set ${set}`,
      met.past.last("LibrarySetCreated", (data) => inMount(met)(data) && data.set === set),
    );
  }
  if (role === undefined)
    return fact("argument", `${account} is named twice, or in ${textGiven(met, "set_name")} already`);
  return there(
    "role",
    `${account} is of role ${role}`,
    met.past.last("StaticRoleCreated", (data) => inMount(met)(data) && data.role === role),
  );
}
