import { type NormalisedDn, parseDn } from "../../../../languages/ldif/dn.ts";
import { bindAs, search, textsOf } from "../../../../surroundings/directory/login.ts";
import {
  bindEntry,
  connect,
  type DirectoryName,
  type DirectorySession,
  directoryName,
} from "../../../../surroundings/directory/session.ts";
import type { SecretsDecision } from "../../declare.ts";
import type { LdapMount } from "../../mounts/state.ts";
import { failKeepingFacts } from "../../rejections.ts";
import { filled } from "./filters.ts";
import type { LdapConfig } from "./state.ts";

// Source of all rules in this file: auth/ldap/README.md, 2.

/** Somebody whom the directory has let in. */
export interface LdapUser {
  readonly alias: string;
  readonly policies: readonly string[];
  /** The directory's groups and those that are mapped to the user. */
  readonly groups: readonly string[];
  readonly warnings: readonly string[];
}

/** Asks the directory whether somebody's password is right, and in what groups he is. What it was asked in vain stays a fact. */
export function askDirectory(
  decision: SecretsDecision,
  method: LdapMount,
  config: LdapConfig,
  { username, password }: { readonly username: string; readonly password: string },
): LdapUser {
  const session = sessionOf(config);
  if (config.denyNullBind && password === "") {
    failed("password cannot be of zero length when passwordless binds are being denied");
  }
  const unreached = connect(decision, session);
  if (unreached !== undefined) failed(unreached);
  const entry = entryOf(decision, session, config, username) ?? failed(NOT_BOUND);
  if (bindAs(decision, session, entry.name, password) !== undefined) failed(NOT_BOUND);
  const userDn = decision.state.directory.entries.get(entry.dn)?.dn ?? entry.name.text;
  const groups = groupsOf(decision, config, username, userDn);
  const mapped = mappedOf(method, config, username, groups);
  return {
    alias: config.usernameAsAlias ? username : aliasOf(decision, config, entry.dn),
    ...mapped,
    warnings:
      groups.length > 0
        ? []
        : [`no LDAP groups found in groupDN "${config.groupdn}"; only policies from locally-defined groups available`],
  };
}

const NOT_BOUND = "ldap operation failed: failed to bind as user";

/** A failure that a test injected may have been used up: that is a fact. */
function failed(reason: string): never {
  return failKeepingFacts("ldap_login_failed", { reason });
}

function sessionOf(config: LdapConfig): DirectorySession {
  const timeouts = [config.requestTimeoutSeconds, config.connectionTimeoutSeconds].filter((seconds) => seconds > 0);
  const bind = directoryName(config.binddn);
  return {
    urls: config.url.split(",").map((url) => url.trim().toLowerCase()),
    timeoutMs: timeouts.length === 0 ? 0 : Math.min(...timeouts) * 1000,
    bind,
    account: bind,
    bindPasswords: [config.bindpass],
    base: baseOf(config.userdn),
  };
}

function baseOf(dn: string): DirectoryName | undefined {
  return dn === "" ? undefined : directoryName(dn);
}

interface Found {
  readonly name: DirectoryName;
  readonly dn: NormalisedDn;
}

/** The entry of a username; undefined where there is none or more than one, or the bind account is refused. */
function entryOf(
  decision: SecretsDecision,
  session: DirectorySession,
  { binddn, bindpass, discoverDn, upndomain, userattr, userdn, userfilter }: LdapConfig,
  username: string,
): Found | undefined {
  if (binddn !== "" || discoverDn) {
    if (binddn !== "" && bindAs(decision, session, session.bind, bindpass) !== undefined) return undefined;
    const filter = filled(userfilter, { userAttr: userattr, username, userDn: "" });
    const found = search(decision, session.base, filter);
    const [dn, more] = typeof found === "string" ? [] : found;
    return dn === undefined || more !== undefined ? undefined : { name: directoryName(dn), dn };
  }
  const text = upndomain === "" ? `${userattr}=${escaped(username)},${userdn}` : `${username}@${upndomain}`;
  const name = directoryName(text);
  const dn = bindEntry(decision.state.directory, name);
  return dn === undefined ? undefined : { name, dn };
}

/** A value of a name with everything escaped that separates names (RFC 4514, 2.4). */
function escaped(value: string): string {
  return value.replace(/[\\,+"<>;=#]/g, (character) => `\\${character}`);
}

function groupsOf(
  decision: SecretsDecision,
  { groupdn, groupattr, groupfilter, userattr }: LdapConfig,
  username: string,
  userDn: string,
): readonly string[] {
  if (groupdn === "") return [];
  const found = search(decision, baseOf(groupdn), filled(groupfilter, { userAttr: userattr, username, userDn }));
  if (typeof found === "string") return failed(`LDAP search failed: ${found}`);
  const names = found.flatMap((dn) => {
    const values = textsOf(decision.state.directory.entries.get(dn), groupattr);
    return (values.length === 0 ? [dn] : values).map(firstValue);
  });
  return [...new Set(names)];
}

/** What a group is called: a DN by the first value in it, any other name as it is. */
function firstValue(text: string): string {
  if (!text.includes("=")) return text;
  const { dn } = directoryName(text);
  return dn === undefined ? text : (parseDn(dn)[0]?.[0]?.value ?? text);
}

function aliasOf(decision: SecretsDecision, { userattr }: LdapConfig, dn: NormalisedDn): string {
  const [value] = textsOf(decision.state.directory.entries.get(dn), userattr);
  return value ?? failed("missing entity alias attribute value");
}

/** What the mapped user and the groups, the directory's and the user's own, add to the policies. */
function mappedOf(
  { mappedUsers, mappedGroups }: LdapMount,
  { caseSensitiveNames }: LdapConfig,
  username: string,
  groups: readonly string[],
): Pick<LdapUser, "policies" | "groups"> {
  const key = (name: string): string => (caseSensitiveNames ? name : name.toLowerCase());
  const user = mappedUsers.get(key(username));
  const all = [...(user?.groups ?? []), ...groups];
  const policies = all.flatMap((name) => mappedGroups.get(key(name))?.policies ?? []);
  return { groups: all, policies: [...policies, ...(user?.policies ?? [])] };
}
