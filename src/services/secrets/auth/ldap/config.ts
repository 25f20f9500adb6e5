import { parseFilter } from "../../../../surroundings/directory/filter.ts";
import type { FieldValues } from "../../../kit/operation.ts";
import type { SecretsDecision } from "../../declare.ts";
import { TLS_VERSIONS, type TlsVersion } from "../../directory-config/state.ts";
import { flag, seconds, text } from "../../fields.ts";
import type { MountPlace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { ldapMethodAt } from "../../world.ts";
import { DEFAULT_PARAMETERS, PARAMETER_FIELDS, parametersWith, shownParameters } from "../parameters.ts";
import { filled } from "./filters.ts";
import type { LdapConfig } from "./state.ts";

// Source of all rules in this file: auth/ldap/README.md, 1.

export const CONFIG_FIELDS = {
  ...PARAMETER_FIELDS,
  url: text,
  binddn: text,
  bindpass: text,
  userdn: text,
  userattr: text,
  userfilter: text,
  groupdn: text,
  groupattr: text,
  groupfilter: text,
  upndomain: text,
  discoverdn: flag,
  deny_null_bind: flag,
  case_sensitive_names: flag,
  username_as_alias: flag,
  insecure_tls: flag,
  starttls: flag,
  certificate: text,
  tls_min_version: text,
  tls_max_version: text,
  request_timeout: seconds,
  connection_timeout: seconds,
};

const DEFAULTS: LdapConfig = {
  url: "ldap://127.0.0.1",
  binddn: "",
  bindpass: "",
  userdn: "",
  userattr: "cn",
  userfilter: "({{.UserAttr}}={{.Username}})",
  groupdn: "",
  groupattr: "cn",
  groupfilter: "(|(memberUid={{.Username}})(member={{.UserDN}})(uniqueMember={{.UserDN}}))",
  upndomain: "",
  discoverDn: false,
  denyNullBind: true,
  caseSensitiveNames: false,
  usernameAsAlias: false,
  insecureTls: false,
  starttls: false,
  certificate: "",
  tlsMinVersion: "tls12",
  tlsMaxVersion: "tls12",
  requestTimeoutSeconds: 90,
  connectionTimeoutSeconds: 30,
  parameters: DEFAULT_PARAMETERS,
};

/** Writes the configuration: what is absent stays as it is. The directory is not asked. */
export function writeLdapConfig(
  decision: SecretsDecision,
  at: MountPlace,
  given: FieldValues<typeof CONFIG_FIELDS>,
): void {
  const before = ldapMethodAt(decision.state, at)?.ldapConfig ?? DEFAULTS;
  const config: LdapConfig = {
    url: given.url ?? before.url,
    binddn: given.binddn ?? before.binddn,
    bindpass: given.bindpass ?? before.bindpass,
    userdn: given.userdn ?? before.userdn,
    userattr: (given.userattr ?? before.userattr).toLowerCase(),
    userfilter: given.userfilter || before.userfilter,
    groupdn: given.groupdn ?? before.groupdn,
    groupattr: given.groupattr ?? before.groupattr,
    groupfilter: given.groupfilter || before.groupfilter,
    upndomain: given.upndomain ?? before.upndomain,
    discoverDn: given.discoverdn ?? before.discoverDn,
    denyNullBind: given.deny_null_bind ?? before.denyNullBind,
    caseSensitiveNames: given.case_sensitive_names ?? before.caseSensitiveNames,
    usernameAsAlias: given.username_as_alias ?? before.usernameAsAlias,
    insecureTls: given.insecure_tls ?? before.insecureTls,
    starttls: given.starttls ?? before.starttls,
    certificate: given.certificate ?? before.certificate,
    tlsMinVersion: versionOf("tls_min_version", given.tls_min_version ?? before.tlsMinVersion),
    tlsMaxVersion: versionOf("tls_max_version", given.tls_max_version ?? before.tlsMaxVersion),
    requestTimeoutSeconds: given.request_timeout ?? before.requestTimeoutSeconds,
    connectionTimeoutSeconds: given.connection_timeout ?? before.connectionTimeoutSeconds,
    parameters: parametersWith(before.parameters, given),
  };
  if (TLS_VERSIONS.indexOf(config.tlsMaxVersion) < TLS_VERSIONS.indexOf(config.tlsMinVersion)) {
    refuse("ldap_config_invalid", {
      reason: "'tls_max_version' must be greater than or equal to 'tls_min_version'",
    });
  }
  refuseFilter("userfilter", config.userfilter);
  refuseFilter("groupfilter", config.groupfilter);
  decision.record({ type: "LdapMethodConfigured", data: { at, config } });
}

function versionOf(field: string, given: string): TlsVersion {
  const known = TLS_VERSIONS.find((version) => version === given);
  return known ?? refuse("ldap_config_invalid", { reason: `invalid '${field}'` });
}

function refuseFilter(field: string, filter: string): void {
  try {
    parseFilter(filled(filter, { userAttr: "cn", username: "x", userDn: "cn=x" }));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    refuse("ldap_config_invalid", { reason: `invalid ${field}: ${error.message}` });
  }
}

/** What a configuration shows of a read: all but the password. */
export function shownLdapConfig(config: LdapConfig) {
  return {
    ...shownParameters(config.parameters),
    binddn: config.binddn,
    case_sensitive_names: config.caseSensitiveNames,
    certificate: config.certificate,
    connection_timeout: config.connectionTimeoutSeconds,
    deny_null_bind: config.denyNullBind,
    discoverdn: config.discoverDn,
    groupattr: config.groupattr,
    groupdn: config.groupdn,
    groupfilter: config.groupfilter,
    insecure_tls: config.insecureTls,
    request_timeout: config.requestTimeoutSeconds,
    starttls: config.starttls,
    tls_max_version: config.tlsMaxVersion,
    tls_min_version: config.tlsMinVersion,
    upndomain: config.upndomain,
    url: config.url,
    userattr: config.userattr,
    userdn: config.userdn,
    userfilter: config.userfilter,
    username_as_alias: config.usernameAsAlias,
  };
}
