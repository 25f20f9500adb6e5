import { argument, argumentsTogether, type Fact, fact, recorded, textGiven } from "../../kit/why.ts";
import { gone, inMount, mountAsked, type SecretsExplainers, type SecretsMet, there } from "../explaining.ts";
import { mountFact } from "../mounts/why.ts";
import { callerFacts } from "../tokens/why.ts";
import { approleAt, userpassAt } from "../world.ts";
import type { AuthRefusals } from "./rejections.ts";

/** Why auth methods and their logins refuse. What somebody logs in with is never told. */
export const authWhy: SecretsExplainers<AuthRefusals> = {
  auth_path_reserved: (_, { path }) => [fact("argument", `${path} is a path of the system`)],
  auth_method_not_found: (met, { path }) => [mountFact(met, `auth/${path}`)],
  auth_method_built_in: (_, { path }) => [fact("configured", `${path} is there from the start, and stays`)],
  method_token_type_unknown: (_, { type }) => [
    fact("argument", `token_type is ${JSON.stringify(type)}: default-service, default-batch, service or batch`),
  ],
  token_parameter_invalid: (_, { reason }) => [fact("argument", reason)],
  root_login: (met) => [fact("policy", `${nameAsked(met)} has the policy root, which no login gives`)],
  login_not_renewed: (met, { reason }) => [fact("login", reason), ...callerFacts(met)],

  password_missing: argument("password", "the password of the user"),
  login_password_missing: argument("password", "the password of the user"),
  user_unknown: (met) => [userFact(met)],
  user_credentials_wrong: (met) => [userFact(met)],

  approle_unknown: (met, { role }) => [approleFact(met, role)],
  local_secret_ids_fixed: argument("local_secret_ids", "what it was when the role was made"),
  role_id_empty: argument("role_id", "an id, or none for one that is drawn"),
  role_id_taken: (met) => [
    fact("argument", "role_id is that of another role"),
    there("role", "a role", met.past.last("ApproleWritten", inMount(met))),
  ],
  role_unconstrained: argumentsTogether(["bind_secret_id", "token_bound_cidrs"], "one of them asks for something"),
  cidr_blocks_invalid: argumentsTogether(["secret_id_bound_cidrs", "token_bound_cidrs"], "blocks of addresses"),
  role_field_missing: (met, { field }) => argument(field, "a value")(met, {}),
  secret_id_missing: argument("secret_id", "the secret id that is meant"),
  secret_id_not_bound: (met) => [approleFact(met, nameAsked(met)), fact("configured", "bind_secret_id is false")],
  secret_id_beyond_role: (met, { reason }) => [fact("configured", reason), approleFact(met, nameAsked(met))],
  secret_id_cidrs_invalid: (_, { what }) => [fact("argument", what)],
  secret_id_cidrs_outside: (_, { role, secretId }) => [
    fact("configured", `the role allows ${role.join(", ")}, and the secret id would ${secretId.join(", ")}`),
  ],
  metadata_invalid: argument("metadata", "JSON of an object of texts"),
  secret_id_exists: (met) => [
    fact("object", "the role has a secret id of that text"),
    approleFact(met, nameAsked(met)),
  ],
  secret_id_accessor_unknown: (met) => [
    secretIdFact(met, ({ accessor }) => accessor === textGiven(met, "secret_id_accessor")),
  ],
  login_role_id_missing: argument("role_id", "the id of the role"),
  approle_credentials_wrong: (met) => [roleIdFact(met), secretIdFact(met, ({ secretId }) => secretId === given(met))],
  secret_id_elsewhere: (met, { address, of }) => [
    fact("gate", `the login came from ${address}, where the ${of} lets nobody in`),
    roleIdFact(met),
  ],

  ldap_config_invalid: (_, { reason }) => [fact("argument", reason)],
  ldap_not_configured: (met) => [
    gone("configured", `configuration of ${mountAsked(met)}`, undefined),
    mountFact(met, mountAsked(met)),
  ],
  ldap_login_failed: (met, { reason }) => [
    fact("directory", reason),
    there("configured", `${mountAsked(met)} asks a directory`, met.past.last("LdapMethodConfigured", inMount(met))),
    ...directoryFacts(met),
  ],

  review_host_missing: argument("orchestrator_host", "where the orchestrator answers"),
  account_role_invalid: (_, { reason }) => [fact("argument", reason)],
  login_field_missing: (met, { field }) => argument(field, "what a login shows")(met, {}),
  login_role_unknown: (met, { role }) => [
    gone(
      "role",
      `role ${role}`,
      met.past.last("AccountRoleDeleted", (data) => inMount(met)(data) && data.role === role),
    ),
  ],
  account_not_authorized: (met, { reason }) => {
    const role = textGiven(met, "role");
    const written = met.past.last("AccountRoleWritten", (data) => inMount(met)(data) && data.role === role);
    return [fact("role", reason), there("role", `role ${role}`, written)];
  },
};

/** The directory, where a test switched it off or lets it fail. */
export function directoryFacts({ state, past }: SecretsMet): readonly Fact[] {
  const failure = past.last("DirectoryFailureInjected", () => true);
  return [
    state.directory?.available === false
      ? recorded(
          "fault",
          "the directory was switched off",
          past.last("DirectoryAvailabilityChanged", () => true),
        )
      : undefined,
    failure && recorded("fault", "a failure of the directory was asked for", failure),
  ].filter((one) => one !== undefined);
}

function nameAsked(met: SecretsMet): string {
  return textGiven(met, "role_name") || textGiven(met, "username") || textGiven(met, "role");
}

function userFact(met: SecretsMet): Fact {
  const name = textGiven(met, "username").toLowerCase();
  const user = userpassAt(met.state, { ...met.caller, mount: mountAsked(met) })?.users.get(name);
  const ofUser = (data: { readonly username: string }): boolean => data.username === name;
  if (user === undefined) {
    return gone(
      "user",
      `user ${name}`,
      met.past.last("UserpassUserDeleted", (data) => inMount(met)(data) && ofUser(data)),
    );
  }
  const written = met.past.last("UserpassUserWritten", (data) => inMount(met)(data) && ofUser(data));
  return there("user", `user ${name} has another password`, written);
}

function approleFact(met: SecretsMet, given: string): Fact {
  const name = given.toLowerCase();
  const role = approleAt(met.state, { ...met.caller, mount: mountAsked(met) })?.approles.get(name);
  const fits = (data: { readonly role: string }): boolean => data.role === name;
  if (role === undefined) {
    return gone(
      "role",
      `role ${name}`,
      met.past.last("ApproleDeleted", (data) => inMount(met)(data) && fits(data)),
    );
  }
  return there(
    "role",
    `role ${name}`,
    met.past.last("ApproleWritten", (data) => inMount(met)(data) && fits(data)),
  );
}

/** The role that a login names by its id, which is not told. */
function roleIdFact(met: SecretsMet): Fact {
  const roleId = textGiven(met, "role_id");
  const name = approleAt(met.state, { ...met.caller, mount: mountAsked(met) })?.approlesById.get(roleId);
  if (name !== undefined) return approleFact(met, name);
  const written = met.past.last("ApproleWritten", (data) => inMount(met)(data) && data.approle.roleId === roleId);
  return (
    recorded("role", `a role ${written?.data.role} had the role_id that was given`, written) ??
    fact("role", "no role has, or had, the role_id that was given")
  );
}

function given(met: SecretsMet): string {
  return textGiven(met, "secret_id");
}

/** A secret id that was issued, and may have ended; it is called by its accessor. */
function secretIdFact(
  met: SecretsMet,
  fits: (secret: { readonly secretId: string; readonly accessor: string }) => boolean,
): Fact {
  const issued = met.past.last("SecretIdIssued", (data) => inMount(met)(data) && fits(data.secret));
  if (issued === undefined) return fact("secret id", "no secret id of that text or accessor was issued here");
  const { accessor, role, expiresAtMs, usesLeft } = issued.data.secret;
  const end = met.past.last(
    "SecretIdEnded",
    (data) => inMount(met)(data) && data.key.startsWith(role) && data.key.endsWith(issued.data.secret.secretId),
  );
  const life = `${expiresAtMs === undefined ? "without an end" : "for a time"}${usesLeft > 0 ? ` and ${usesLeft} uses` : ""}`;
  return (
    recorded("secret id", `secret id ${accessor} of role ${role} ended`, end) ??
    there("secret id", `secret id ${accessor} of role ${role}, issued ${life}`, issued)
  );
}
