import { type FormsOf, type RefusalForm, RefusalForms } from "../kit/refusals.ts";
import type { ProtocolError, ProtocolRefusals } from "./oidc/rejections.ts";
import type { SecretsRefusals } from "./rejections.ts";
import type { ReplicationKind } from "./replication/state.ts";
import { enveloped, type Reply } from "./reply.ts";

/** A refusal on the wire: a status, and the texts of `errors`. */
export interface ErrorForm extends RefusalForm {
  readonly errors: readonly string[];
  /** The body, where it is not the usual one of `errors`. */
  readonly body?: object;
  /** The body, where it is that of a success. */
  readonly envelope?: Reply<unknown>;
  readonly headers?: { readonly [name: string]: string };
}

const quoted = (names: readonly string[]): string => `[${names.map((name) => JSON.stringify(name)).join(" ")}]`;

const bare = (status: number, text: string): ErrorForm => ({ status, errors: [text] });

/** The form in which upstream wraps the error of an operation that failed inside (decisions-directory.md, 1: class B). */
const listed = (status: number, text: string): ErrorForm => bare(status, `1 error occurred:\n\t* ${text}\n\n`);

/** What failed inside is wrapped, what the caller did wrong is not. */
const sized = (status: 400 | 404 | 500, text: string): ErrorForm => (status === 500 ? listed : bare)(status, text);

/** An error whose body is that of a success (kv2/README.md, "What each call answers"). */
const told = (status: number, data: object | null, warnings: readonly string[] = []): ErrorForm => ({
  status,
  errors: warnings,
  envelope: enveloped(data, { warnings }),
});

const INVALID_PATH =
  "Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use.";

const generation = (ofRootToken: boolean): string => `${ofRootToken ? "root" : "DR operation token"} generation`;

/** An error of OAuth: a bare object, whose status and headers depend on who answers (decisions-oidc.md, 10 and 11). */
const protocol =
  (error: keyof ProtocolRefusals) =>
  ({ endpoint, error_description, state }: ProtocolError): ErrorForm => ({
    errors: [error_description],
    ...protocolStatus(endpoint, error, error_description),
    body: { error, error_description, ...(endpoint === "authorize" ? { state: state ?? "" } : {}) },
  });

function protocolStatus(
  endpoint: ProtocolError["endpoint"],
  error: keyof ProtocolRefusals,
  description: string,
): Pick<ErrorForm, "status" | "headers"> {
  if (endpoint === "authorize") return { status: 400 };
  if (endpoint === "token") {
    return error === "invalid_client" ? { status: 401, headers: { "WWW-Authenticate": "Basic" } } : { status: 400 };
  }
  if (error === "access_denied") return { status: 403 };
  const challenge = `Bearer error="${error}",error_description="${description}"`;
  return { status: error === "invalid_token" ? 401 : 400, headers: { "WWW-Authenticate": challenge } };
}

function replicationName(kind: ReplicationKind): string {
  return kind === "dr" ? "DR replication" : "performance replication";
}

/** How each refusal looks on the wire. */
const FORMS: FormsOf<SecretsRefusals, ErrorForm> = {
  request_failed: ({ status }) => bare(status, "the request failed, as it was meant to"),
  past_is_read_only: () => bare(400, "the past is read-only: X-Hindcast-At and views take no commands"),
  sealed: () => bare(503, "the service is sealed"),
  namespace_not_found: ({ namespace }) => bare(404, `namespace not found: ${namespace}`),
  trailing_slash: ({ path }) => bare(400, `cannot write to a path ending in '/': ${path}`),
  permission_denied: () => listed(403, "permission denied"),
  no_handler_for_route: ({ path }) => bare(404, `no handler for route "${path}". route entry not found.`),
  unsupported_path: () => listed(404, "unsupported path"),
  unsupported_operation: () => listed(405, "unsupported operation"),
  field_validation_failed: ({ field, reason }) => bare(400, `Field validation failed: ${field}: ${reason}`),
  lease_of_spent_token: () =>
    bare(400, "Secret cannot be returned; token had one use left, so leased credentials were immediately revoked."),
  token_exists: () => bare(400, "cannot create a token with a duplicate ID"),
  not_found: () => ({ status: 404, errors: [] }),

  token_missing: () => bare(400, "missing token ID"),
  accessor_missing: () => bare(400, "missing accessor"),
  accessor_unknown: () => listed(403, "invalid accessor"),
  token_role_unknown: ({ role }) => bare(400, `unknown role ${role}`),
  bad_token: () => bare(403, "bad token"),
  token_not_found: () => bare(400, "token not found"),
  batch_token_creates: () => bare(400, "batch tokens cannot create more tokens"),
  limited_token_creates: () => bare(400, "restricted use token cannot generate child tokens"),
  token_id_malformed: ({ id }) => bare(400, `a token cannot have the id ${JSON.stringify(id)}: ids have no dots`),
  token_type_unknown: ({ type }) => bare(400, `invalid 'type' value: ${type}`),
  token_option_needs_sudo: ({ option }) => bare(400, `root or sudo privileges required to give ${option} to a token`),
  batch_token_option: ({ option }) => bare(400, `batch tokens cannot have ${option}`),
  policy_not_assignable: ({ policy }) => bare(400, `cannot assign policy "${policy}"`),
  root_token_needs_root: () => bare(400, "root tokens may not be created without parent token being root"),
  root_token_needs_ttl: () => bare(400, "expiring root tokens cannot create non-expiring root tokens"),
  root_token_of_other_namespace: () => bare(400, "root tokens may not be created from a parent namespace"),
  policies_not_subset: () => bare(400, "child policies must be subset of parent"),
  policies_not_of_role: ({ policies, allowed, globs }) =>
    bare(
      400,
      `token policies (${quoted(policies)}) must be subset of the role's allowed policies (${quoted(allowed)}) ` +
        `or glob policies (${quoted(globs)})`,
    ),
  policy_disallowed_by_role: ({ policy }) => bare(400, `token policy "${policy}" is disallowed by this role`),
  entity_alias_without_role: () => bare(400, "'entity_alias' is only allowed in combination with token role"),
  entity_alias_not_of_role: () => bare(400, "invalid 'entity_alias' value"),
  token_role_gone: ({ role }) => listed(500, `original token role "${role}" could not be found, not renewing`),
  token_to_orphan_unknown: () => bare(400, "token to revoke not found"),
  orphaning_needs_sudo: () => bare(400, "root or sudo privileges required to revoke and orphan"),
  token_not_renewable: () => bare(400, "token is not renewable"),
  token_past_max_ttl: () => bare(400, "past the max TTL, cannot renew"),
  batch_token_revoked: () => bare(400, "batch tokens cannot be revoked"),

  password_missing: () => bare(400, "missing password"),
  login_password_missing: () => listed(500, "missing password"),
  user_unknown: () => listed(500, "username does not exist"),
  user_credentials_wrong: () => bare(400, "invalid username or password"),
  approle_unknown: ({ role, status }) => sized(status, `role "${role}" does not exist`),
  local_secret_ids_fixed: () => bare(400, "local_secret_ids can only be modified during role creation"),
  role_id_empty: () => bare(400, "invalid role_id supplied, or failed to generate a role_id"),
  role_id_taken: () => listed(500, "role_id already in use"),
  role_unconstrained: () => listed(500, "at least one constraint should be enabled on the role"),
  cidr_blocks_invalid: () => bare(400, "invalid CIDR blocks"),
  role_field_missing: ({ field }) => bare(400, `missing ${field}`),
  secret_id_missing: () => bare(400, "missing secret_id"),
  secret_id_not_bound: () => bare(400, "bind_secret_id is not set on the role"),
  secret_id_beyond_role: ({ reason }) => bare(400, reason),
  secret_id_cidrs_invalid: ({ what }) => bare(400, `failed to validate ${what}`),
  secret_id_cidrs_outside: ({ role, secretId }) =>
    listed(
      500,
      `failed to verify subset relationship between CIDR blocks on the role ${JSON.stringify(role)} and CIDR blocks on the secret ID ${JSON.stringify(secretId)}`,
    ),
  metadata_invalid: () => bare(400, "failed to parse metadata"),
  secret_id_exists: () => listed(500, "failed to store secret_id: SecretID is already registered"),
  secret_id_accessor_unknown: ({ accessor, status }) =>
    sized(status, `failed to find accessor entry for secret_id_accessor: "${accessor}"`),
  login_role_id_missing: () => bare(400, "missing role_id"),
  approle_credentials_wrong: () => bare(400, "invalid role or secret ID"),
  secret_id_elsewhere: ({ address, of }) =>
    bare(400, `source address "${address}" unauthorized by CIDR restrictions on the ${of}`),
  ldap_config_invalid: ({ reason }) => bare(400, reason),
  ldap_not_configured: () => bare(400, "auth method not configured"),
  ldap_login_failed: ({ reason }) => bare(400, reason),
  review_host_missing: () => bare(400, "no host provided"),
  account_role_invalid: ({ reason }) => bare(400, reason),
  login_field_missing: ({ field }) => bare(400, `missing ${field}`),
  login_role_unknown: ({ role }) => bare(400, `invalid role name "${role}"`),
  account_not_authorized: ({ reason }) => bare(403, reason),
  auth_path_reserved: ({ path }) => bare(400, `path is already in use at auth/${path}`),
  auth_method_not_found: ({ path }) => bare(400, `No auth engine at ${path}`),
  auth_method_built_in: () => bare(400, "token credential backend cannot be disabled"),
  method_token_type_unknown: ({ type }) => bare(400, `invalid value for 'token_type': ${type}`),
  token_parameter_invalid: ({ reason }) => bare(400, reason),
  root_login: () => bare(400, "auth methods cannot create root tokens"),
  login_not_renewed: ({ reason }) => listed(500, `failed to renew entry: ${reason}`),

  wrapping_token_invalid: () => bare(400, "wrapping token is not valid or does not exist"),
  wrap_ttl_missing: () => bare(400, "endpoint requires response wrapping to be used: X-Secrets-Wrap-TTL is missing"),

  policy_not_writable: ({ policy }) => bare(400, `cannot update "${policy}" policy`),
  policy_not_deletable: ({ policy }) => bare(400, `cannot delete "${policy}" policy`),
  policy_missing: () => bare(400, "'policy' parameter not supplied or empty"),
  policy_invalid: ({ reason }) => bare(400, `failed to parse policy: ${reason}`),
  capability_token_missing: ({ kind }) => bare(400, `missing ${kind}`),
  capability_token_unknown: ({ kind }) => bare(400, `invalid ${kind}`),
  capability_paths_missing: () => bare(400, "paths must be supplied"),

  namespace_reserved: ({ namespace }) => bare(400, `${namespace} is a reserved name`),
  namespace_conflicts: ({ namespace }) => bare(400, `namespace ${namespace} conflicts with an existing mount`),
  namespace_has_children: ({ namespace }) => bare(400, `cannot delete namespace ${namespace}: it has child namespaces`),

  mount_type_missing: () => bare(400, "backend type must be specified as a string"),
  listing_visibility_unknown: ({ visibility }) => bare(400, `invalid listing visibility type ${visibility}`),
  mount_ttl_above_max: () => bare(400, "given default lease TTL greater than system/mount max lease TTL"),
  kv_downgrade: ({ version }) => bare(400, `cannot downgrade mount from version ${version}`),
  kv2_path_invalid: () => told(404, null, [INVALID_PATH]),
  secret_data_missing: () => bare(400, "no data provided"),
  versions_missing: () => bare(400, "No version number provided"),
  custom_metadata_invalid: ({ reason }) => bare(400, `custom_metadata validation failed: ${reason}`),
  cas_mismatch: () => bare(400, "check-and-set parameter did not match the current version"),
  cas_missing: () => bare(400, "check-and-set parameter required for this call"),
  secret_version_gone: ({ member, metadata }) => told(404, member === null ? metadata : { [member]: null, metadata }),
  kv_version_unsupported: ({ version }) => bare(400, `kv version ${version} is not supported`),
  mount_not_movable: ({ path }) => bare(400, `cannot remount ${JSON.stringify(path)}`),
  mount_kind_differs: () =>
    bare(400, "cannot remount a secret mount to an auth mount, nor an auth mount to a secret mount"),
  plugin_not_found: ({ type }) => bare(400, `plugin not found in the catalog: ${type}`),
  mount_path_reserved: ({ path }) => bare(400, `cannot mount under existing mount at ${path}`),
  mount_in_use: ({ path }) => bare(400, `path is already in use at ${path}`),
  mount_not_found: ({ path }) => bare(400, `No secret engine mount at ${path}`),
  unmount_reserved: ({ path }) => bare(400, `cannot unmount ${path}`),
  mount_out_of_reach: ({ path }) =>
    bare(
      403,
      `preflight capability check returned 403, please ensure client's policies grant access to path "${path}"`,
    ),
  mount_not_tunable: ({ path }) => bare(400, `cannot tune ${path}`),

  path_relative: () => bare(400, "path cannot contain . or .. as a segment"),
  path_missing: () => bare(400, "missing path"),
  cubbyhole_path_missing: () => listed(500, "missing path"),
  data_missing: () => bare(400, "missing data fields"),
  cubbyhole_data_missing: () => listed(500, "missing data fields"),
  cubbyhole_of_batch_token: () => bare(400, "cubbyhole operations are only supported by service tokens"),

  already_initialized: () => bare(400, "the service is already initialized"),
  key_share_missing: () => bare(400, "'key' must be specified in request body, or 'reset' set to true"),
  key_share_malformed: () => bare(400, "'key' must be a share of 16 to 33 bytes in hexadecimal or base64"),
  not_sealed: () => bare(400, "the service is not sealed: there is no attempt to reset"),
  key_shares_do_not_fit: () => bare(400, "unseal failed, invalid key"),
  cluster_exists: ({ cluster }) => bare(400, `there is a cluster ${cluster} already`),
  cluster_stopped: ({ cluster }) => bare(503, `${cluster} is stopped`),
  no_active_node: () => bare(500, "local node not active but active cluster node not found"),
  node_stopped: ({ node }) => bare(400, `node ${node} is stopped`),
  node_unknown: ({ node, nodes }) => bare(400, `there is no node ${node}: the nodes are 0 to ${nodes - 1}`),

  rekey_backup_uncovered: () =>
    bare(400, "cannot request a backup of the new keys without providing PGP keys for encryption"),
  rekey_pgp_keys_count: ({ shares, keys }) =>
    bare(400, `incorrect number of PGP keys for rekey: ${keys} for ${shares} shares`),
  rekey_threshold_above_shares: () => bare(400, "provided threshold greater than the total shares"),
  rekey_shares_refused: ({ reason }) => bare(500, `invalid rekey seal configuration: ${reason}`),
  rekey_in_progress: () => bare(400, "rekey already in progress"),
  rekey_not_started: () => bare(400, "no rekey in progress"),
  rekey_awaits_verification: () => bare(400, "rekey operation already finished: verification must be performed"),
  rekey_not_verifying: () => bare(400, "no rekey verification in progress"),
  rekey_nonce_differs: () => bare(400, "incorrect nonce supplied"),
  rekey_share_repeated: () => bare(400, "given key has already been provided during this generation operation"),
  rekey_aborted: () =>
    bare(400, "rekey failed: the given shares make another key, and all of them have to be given again"),
  rekey_backup_missing: () => bare(400, "no backed-up keys found"),

  changing_role: () => bare(503, "the cluster is changing its role in replication"),
  dr_secondary: () => bare(400, "path disabled in replication DR secondary mode"),
  forwarding_failed: () => listed(500, "failed to forward the request to the primary: it cannot be reached"),
  replication_enabled: ({ kind, mode }) => bare(400, `${replicationName(kind)} is already enabled: mode is ${mode}`),
  not_a_primary: ({ kind }) => bare(400, `${replicationName(kind)}: cluster is not a primary`),
  not_a_secondary: ({ kind }) => bare(400, `cluster is not a ${kind === "dr" ? "DR secondary" : "secondary"}`),
  dr_operation_token_missing: () => bare(400, "dr_operation_token must be specified"),
  dr_operation_token_unknown: () => listed(403, "permission denied"),
  generation_in_progress: ({ ofRootToken }) => bare(400, `${generation(ofRootToken)} already in progress`),
  generation_otp_length: () => bare(400, "OTP string is wrong length"),
  generation_covers_exclusive: () => bare(400, "only one of otp and pgp_key can be given"),
  pgp_key_malformed: ({ reason }) => bare(400, `error parsing PGP key: ${reason}`),
  generation_share_missing: () => bare(400, "'key' must be specified in request body as a share"),
  generation_share_not_encoded: () => bare(400, "'key' must be a share in hexadecimal or base64"),
  generation_share_length: () => bare(400, "'key' must be a share of 16 to 33 bytes"),
  generation_not_started: ({ ofRootToken }) => bare(400, `no ${generation(ofRootToken)} in progress`),
  generation_nonce_differs: () => bare(400, "incorrect nonce supplied"),
  generation_share_repeated: () => bare(400, "given key has already been provided during this generation operation"),
  generation_aborted: () =>
    bare(400, "failed to compute the key from the given shares: aborted, all of them have to be given again"),
  reindex_running: () => bare(400, "a reindex of this cluster is already running"),
  secondary_id_missing: () => bare(400, "id must be specified"),
  secondary_id_malformed: ({ id }) => bare(400, `id ${JSON.stringify(id)} holds other characters than A-Z a-z 0-9 _ -`),
  secondary_exists: ({ id }) => bare(400, `secondary with id ${id} already exists`),
  secondary_token_ttl: () => bare(400, "ttl must be greater than zero"),
  public_key_malformed: () => bare(400, "secondary_public_key is no public key of a secondary"),
  activation_token_missing: () => bare(400, "token must be specified"),
  performance_in_the_way: () =>
    bare(400, "cannot become a DR secondary: performance replication is enabled on this cluster"),
  activation_token_malformed: () => bare(400, "token is no activation token of a secondary"),
  unwrapping_failed: ({ reason }) => bare(400, `error unwrapping secondary token: ${reason}`),
  bootstrap_failed: ({ address }) => bare(400, `failed to bootstrap replication: ${address} cannot be reached`),
  update_methods_exclusive: () => bare(400, "token and update_primary_addrs are mutually exclusive"),
  update_method_missing: () => bare(400, "token or update_primary_addrs must be specified"),
  update_needs_token: () =>
    bare(400, "update_primary_addrs cannot be used on a demoted cluster that no token has attached since"),
  no_primary_responds: () => bare(400, "none of update_primary_addrs responds as a primary of this set"),
  cluster_id_differs: () => bare(400, "the primary's cluster id differs from that of this set"),
  filter_mode_unknown: ({ mode, known }) => bare(400, `invalid mode ${mode}: it is one of ${known.join(", ")}`),
  filter_path_refused: ({ path }) => bare(400, `${path} cannot be filtered`),
  promotion_unsafe: ({ state }) =>
    bare(400, `not safe to promote while the state is ${state}: set force to do it anyway`),

  lease_limit_invalid: ({ limit }) => bare(400, `invalid 'limit' provided: ${limit}`),
  lease_id_missing: () => bare(400, "lease_id must be specified"),
  invalid_lease: () => bare(400, "invalid lease"),
  lease_not_found: () => bare(400, "lease not found"),
  lease_not_renewable: () => bare(400, "lease is not renewable"),
  lease_past_max_ttl: () => bare(400, "past the max TTL, cannot renew"),
  lease_renewal_failed: ({ account }) => bare(400, `failed to renew entry: "${account}" is not checked out any more`),
  lease_revocation_failed: ({ lease, reason }) => bare(400, `failed to revoke entry: ${lease}: ${reason}`),

  snapshot_config_invalid: ({ field, reason }) => bare(400, `invalid snapshot configuration: ${field} ${reason}`),
  snapshot_not_found: ({ url }) => bare(404, `no store that this cluster reaches has a snapshot ${url}`),
  snapshot_unreadable: () => bare(500, "failed to read snapshot file: the archive is invalid or damaged"),
  snapshot_of_other_keys: () =>
    bare(
      400,
      "could not verify hash file, possibly the snapshot is using a different set of unseal keys; use the snapshot-force API to bypass this check",
    ),
  secondary_not_restored: () => bare(400, "a performance secondary cannot be restored: it has what its primary has"),

  plugin_version_invalid: ({ version }) => bare(400, `version "${version}" is no semantic version`),
  plugin_version_reserved: ({ version }) =>
    bare(400, `version "${version}" is not allowed because 'builtin' is a reserved metadata identifier`),
  plugin_sha_missing: () => bare(400, "missing SHA-256 value"),
  plugin_command_missing: () => bare(400, "missing command value"),
  plugin_args_twice: () => bare(400, "must not specify args in command and in the args field"),
  plugin_sha_invalid: () => bare(400, "could not decode SHA-256 value from hexadecimal"),
  plugin_directory_missing: () => listed(500, "plugin directory is not configured"),
  plugin_path_relative: () => listed(500, "plugin name and command cannot contain parent references"),
  plugin_path_outside: () => listed(500, "command is outside of configured plugin directory"),
  plugin_file_missing: ({ command }) => listed(500, `error while validating the command path: ${command} is not there`),
  plugin_checksum_differs: ({ type }) => bare(400, `plugin ${type} cannot run: checksums did not match`),

  password_policy_missing: () => bare(400, "missing policy"),
  password_policy_invalid: ({ reason }) => bare(400, `invalid password policy: ${reason}`),
  password_policy_not_found: () => bare(404, "policy does not exist"),

  certificate_invalid: () => listed(500, "failed to parse server tls cert"),
  client_certificate_invalid: () => listed(500, "failed to parse client X509 key pair"),
  client_certificate_incomplete: () => listed(500, "both client_tls_cert and client_tls_key must be set"),
  tls_version_unknown: ({ field }) => listed(500, `invalid '${field}' in config`),
  tls_versions_crossed: () => listed(500, "'tls_max_version' must be greater than or equal to 'tls_min_version'"),
  url_missing: () => listed(500, "at least one url must be provided"),
  bind_account_missing: () => listed(500, "cannot derive UserBindDN based on config"),
  schema_invalid: ({ schema }) =>
    listed(500, schema === "" ? "schema is required" : `the configured schema ${schema} is not valid`),
  length_and_policy: () => listed(500, "cannot set both 'password_policy' and 'length'"),

  bind_config_missing: () => listed(500, "the config is currently unset"),
  bind_rotation_failed: ({ reason }) => listed(500, reason),

  role_username_missing: () => bare(400, "username is a required field to manage a static account"),
  role_username_empty: () => bare(400, "username must not be empty"),
  role_username_managed: ({ username }) => bare(400, `"${username}" is already managed by a set or a static role`),
  role_username_fixed: () => bare(400, "cannot update static account username"),
  role_dn_fixed: () => bare(400, "cannot update static account distinguished name (dn)"),
  rotation_period_missing: () => bare(400, "rotation_period is required to create static accounts"),
  static_period_too_short: () => bare(400, "rotation_period must be 5 seconds or more"),
  skip_import_rotation_ineffective: () => bare(400, "skip_import_rotation has no effect on updates"),
  role_config_missing: () => bare(400, "missing LDAP configuration"),
  role_import_failed: ({ reason }) => listed(500, reason),
  static_role_unknown: ({ role }) => bare(400, `unknown role: ${role}`),
  rotated_role_missing: ({ role }) => bare(400, `role doesn't exist: ${role}`),
  static_role_rotation_failed: ({ reason }) =>
    listed(500, `unable to finish rotating credentials; it will be tried again: ${reason}`),

  dynamic_role_ldif_missing: ({ field }) => listed(500, `missing ${field}`),
  dynamic_role_ldif_invalid: ({ field, reason }) => listed(500, `invalid ${field}: ${reason}`),
  creds_config_missing: () => listed(500, "missing LDAP configuration"),
  username_not_generated: ({ reason }) => listed(500, `failed to generate username: ${reason}`),
  password_not_generated: ({ reason }) => listed(500, reason),
  user_not_created: ({ reason, rollback }) =>
    listed(
      500,
      `failed to create user: ${reason}${rollback === null ? "" : `; failed to roll back user creation: ${rollback}`}`,
    ),
  dynamic_role_gone: ({ role }) => bare(400, `role does not exist: ${role}`),

  set_config_missing: () => bare(400, "config must exist before a library set can be written"),
  set_names_missing: () => bare(400, '"service_account_names" must be provided'),
  account_already_managed: ({ account }) => bare(400, `"${account}" is already managed by a set or a static role`),
  account_checked_out: ({ account }) => bare(400, `"${account}" can't be deleted because it is currently checked out`),
  set_empty: () => bare(400, "at least one service account must be configured"),
  account_name_empty: () => bare(400, "a service account name must not be empty"),
  max_ttl_below_ttl: () => bare(400, "max_ttl may not be less than ttl"),
  rotation_failed: ({ reason }) => listed(500, reason),
  set_not_found: ({ set }) => bare(400, `"${set}" doesn't exist`),
  no_account_available: () => bare(400, "No service accounts available for check-out."),
  check_in_config_missing: () => listed(500, "missing LDAP configuration"),
  account_not_in_set: ({ account }) => listed(500, `"${account}" not found`),
  account_not_yours: ({ account }) =>
    bare(400, `"${account}" can't be checked in because it is not checked out by you`),
  check_in_ambiguous: () =>
    bare(400, "when multiple service accounts are checked out, the 'service_account_names' to check in must be given"),

  entity_unknown: ({ entity }) => bare(400, `no entity has the id ${entity}`),
  entity_name_taken: ({ name }) => bare(400, `another entity is named "${name}"`),
  entity_exists: ({ entity }) => bare(400, `an entity has the id ${entity} already`),
  policy_of_identity: ({ policy }) => bare(400, `policies cannot contain ${policy}`),
  identity_name_missing: ({ object }) => bare(400, `missing name of the ${object}`),
  alias_accessor_missing: () => bare(400, "missing mount_accessor"),
  alias_on_accessor_exists: ({ entity, accessor }) =>
    bare(400, `entity ${entity} already has an alias on mount_accessor ${accessor}`),
  group_unknown: ({ group }) => bare(400, `no group has the id ${group}`),
  group_name_taken: ({ name }) => bare(400, `another group is named "${name}"`),
  group_exists: ({ group }) => bare(400, `a group has the id ${group} already`),
  group_type_unknown: ({ type }) => bare(400, `invalid group type "${type}": it is internal or external`),
  group_type_immutable: () => bare(400, "group type cannot be changed"),
  alias_unknown: () => bare(400, "invalid alias ID"),
  alias_login_taken: ({ name, accessor }) =>
    bare(400, `alias with combination of mount accessor "${accessor}" and name ${JSON.stringify(name)} already exists`),
  lookup_parameters_missing: () => bare(400, "query parameters not supplied"),
  lookup_parameters_conflict: () =>
    bare(400, "query parameter conflict; please supply distinct set of query parameters"),
  lookup_alias_incomplete: () => bare(400, "both alias_name and alias_mount_accessor needs to be supplied"),
  alias_of_internal_group: () => bare(400, "alias can be set only on external groups"),
  merge_entity_missing: ({ isTarget }) =>
    bare(400, isTarget ? "missing entity id to merge to" : "missing entity ids to merge from"),
  merge_into_itself: () => bare(400, "to_entity_id should not be present in from_entity_ids"),
  merge_aliases_conflict: ({ accessors }) =>
    bare(
      400,
      `toEntity and at least one fromEntity have aliases with the same mount accessor, repeat the merge request specifying exactly one fromEntity, clashes: ${accessors.join(", ")}`,
    ),
  external_group_members: ({ group }) => bare(400, `members of external group "${group}" cannot be set`),
  member_unknown: ({ member }) => bare(400, `no member has the id ${member}`),
  group_cycle: ({ group, member }) => bare(400, `group "${group}" and its member ${member} would make a cycle`),

  built_in_not_writable: ({ kind, name }) => bare(400, `modification of ${kind} "${name}" not allowed`),
  built_in_not_deletable: ({ kind, name }) => bare(400, `deletion of ${kind} "${name}" not allowed`),
  in_use: ({ kind, name, by, users }) =>
    bare(
      400,
      `unable to delete ${kind} "${name}" because it is currently referenced by these ${by}s: ${users.join(", ")}`,
    ),
  rotation_period_too_short: ({ seconds }) => bare(400, `rotation_period of ${seconds}s is shorter than one minute`),
  verification_ttl_too_long: ({ seconds, longest }) =>
    bare(400, `verification_ttl of ${seconds}s is longer than 10x the rotation_period: ${longest}s`),
  verification_ttl_below_role: ({ key, seconds }) =>
    bare(
      400,
      `unable to update key "${key}" because it is currently referenced by one or more roles with a token ttl greater than ${seconds} seconds`,
    ),
  verification_ttl_below_client: ({ client, seconds }) =>
    bare(400, `verification_ttl of ${seconds}s is less than the id_token_ttl of client "${client}"`),
  algorithm_unknown: ({ algorithm }) => bare(400, `unknown signing algorithm "${algorithm}"`),
  key_not_found: ({ key }) => bare(400, `key "${key}" does not exist`),
  template_invalid: ({ reason }) => bare(400, `error parsing template: ${reason}`),
  template_no_object: () => bare(400, "error parsing template: filled in, it is no JSON object"),
  template_claim_reserved: ({ claim }) => bare(400, `top level key "${claim}" not allowed: it is reserved`),
  assignment_not_found: ({ assignment }) => bare(400, `assignment "${assignment}" does not exist`),
  client_key_immutable: ({ client }) => bare(400, `key modification of client "${client}" is not allowed`),
  id_token_ttl_too_long: ({ seconds, longest }) =>
    bare(400, `id_token_ttl of ${seconds}s is greater than the verification_ttl of the key: ${longest}s`),
  client_type_immutable: ({ client }) => bare(400, `client_type modification of client "${client}" is not allowed`),
  client_type_unknown: ({ type }) => bare(400, `invalid client_type "${type}": it is confidential or public`),
  issuer_invalid: ({ issuer }) =>
    bare(400, `invalid issuer "${issuer}": it has to be a scheme http or https, a host and at most a port`),
  role_key_not_given: () => bare(400, "the key parameter is required"),
  role_ttl_too_long: () =>
    bare(400, "a role's token ttl cannot be longer than the verification_ttl of the key it references"),
  identity_role_not_found: ({ role }) => bare(400, `role "${role}" not found`),
  role_not_allowed_by_key: ({ role, key }) =>
    bare(400, `the key "${key}" does not list the client ID of the role "${role}" as an allowed client ID`),
  token_without_entity: () => bare(400, "no entity associated with the request's token"),
  scope_not_found: ({ scope }) => bare(400, `scope "${scope}" does not exist`),

  invalid_client_id: protocol("invalid_client_id"),
  invalid_request: protocol("invalid_request"),
  invalid_redirect_uri: protocol("invalid_redirect_uri"),
  unauthorized_client: protocol("unauthorized_client"),
  request_not_supported: protocol("request_not_supported"),
  request_uri_not_supported: protocol("request_uri_not_supported"),
  unsupported_response_type: protocol("unsupported_response_type"),
  access_denied: protocol("access_denied"),
  max_age_violation: protocol("max_age_violation"),
  invalid_client: protocol("invalid_client"),
  unsupported_grant_type: protocol("unsupported_grant_type"),
  invalid_grant: protocol("invalid_grant"),
  invalid_token: protocol("invalid_token"),
  orchestrator_host_missing: () =>
    listed(500, "orchestrator_host was not set and could not be determined from environment variables"),
  role_namespaces_missing: () =>
    bare(
      400,
      "one (at least) of allowed_orchestrator_namespaces or allowed_orchestrator_namespace_selector must be set",
    ),
  role_modes_wrong: () =>
    bare(400, "one (and only one) of service_account_name, orchestrator_role_name or generated_role_rules must be set"),
  role_default_ttl_above_max: () => bare(400, "token_default_ttl cannot be greater than token_max_ttl"),
  role_type_unknown: ({ type }) =>
    bare(400, `orchestrator_role_type must be either 'Role' or 'ClusterRole', and is '${type}'`),
  role_document_invalid: ({ field, reason }) => bare(400, `failed to parse '${field}': ${reason}`),
  name_template_invalid: ({ reason }) => bare(400, `unable to initialize name template: ${reason}`),
  orchestrator_role_missing: ({ role }) => bare(400, `role '${role}' does not exist`),
  orchestrator_namespace_missing: () => listed(500, "'orchestrator_namespace' is required"),
  orchestrator_namespace_forbidden: ({ namespace }) =>
    bare(
      400,
      `orchestrator_namespace '${namespace}' is not present in role's allowed_orchestrator_namespaces, nor does it match its selector`,
    ),
  orchestrator_config_missing: () => listed(500, "could not load backend configuration"),
  cluster_binding_of_role: () => bare(400, "a ClusterRoleBinding cannot ref a Role"),
  name_generation_failed: ({ reason }) => listed(500, `failed to generate name: ${reason}`),
  orchestrator_call_failed: ({ attempt, reason }) => listed(500, `${attempt}: ${reason}`),
  rollback_failed: ({ path, reason }) => bare(400, `failed to roll back what ${path} left half made: ${reason}`),
};

export const secretsForms = new RefusalForms<ErrorForm>("the secrets service", FORMS, ({ errors }) =>
  errors.join("; ").trim(),
);
