import type { SecretsRefusals } from "./rejections.ts";
import type { ReplicationKind } from "./replication/state.ts";

/** A refusal on the wire: a status, and the texts of `errors`. */
export interface ErrorForm {
  readonly status: number;
  readonly errors: readonly string[];
}

/** How each refusal looks on the wire. A code without a row does not compile. */
type ErrorForms = { readonly [C in keyof SecretsRefusals]: (data: SecretsRefusals[C]) => ErrorForm };

const bare = (status: number, text: string): ErrorForm => ({ status, errors: [text] });

/** The form in which upstream wraps the error of an operation that failed inside (decisions-directory.md, 1: class B). */
const listed = (status: number, text: string): ErrorForm => bare(status, `1 error occurred:\n\t* ${text}\n\n`);

function replicationName(kind: ReplicationKind): string {
  return kind === "dr" ? "DR replication" : "performance replication";
}

const FORMS: ErrorForms = {
  request_failed: ({ status }) => bare(status, "the request failed, as it was meant to"),
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
  bad_token: () => bare(403, "bad token"),
  token_not_found: () => bare(400, "token not found"),
  batch_token_creates: () => bare(400, "batch tokens cannot create more tokens"),
  limited_token_creates: () => bare(400, "restricted use token cannot generate child tokens"),
  token_type_unknown: ({ type }) => bare(400, `invalid 'type' value: ${type}`),
  token_option_needs_sudo: ({ option }) => bare(400, `root or sudo privileges required to give ${option} to a token`),
  batch_token_option: ({ option }) => bare(400, `batch tokens cannot have ${option}`),
  policy_not_assignable: ({ policy }) => bare(400, `cannot assign policy "${policy}"`),
  root_token_needs_root: () => bare(400, "root tokens may not be created without parent token being root"),
  policies_not_subset: () => bare(400, "child policies must be subset of parent"),
  token_not_renewable: () => bare(400, "token is not renewable"),
  token_past_max_ttl: () => bare(400, "past the max TTL, cannot renew"),
  batch_token_revoked: () => bare(400, "batch tokens cannot be revoked"),

  wrapping_token_invalid: () => bare(400, "wrapping token is not valid or does not exist"),
  wrap_ttl_missing: () => bare(400, "endpoint requires response wrapping to be used: X-Secrets-Wrap-TTL is missing"),

  policy_not_writable: ({ policy }) => bare(400, `cannot update "${policy}" policy`),
  policy_not_deletable: ({ policy }) => bare(400, `cannot delete "${policy}" policy`),
  policy_missing: () => bare(400, "'policy' parameter not supplied or empty"),
  policy_invalid: ({ reason }) => bare(400, `failed to parse policy: ${reason}`),
  capability_paths_missing: () => bare(400, "paths must be supplied"),

  namespace_reserved: ({ namespace }) => bare(400, `${namespace} is a reserved name`),
  namespace_conflicts: ({ namespace }) => bare(400, `namespace ${namespace} conflicts with an existing mount`),
  namespace_has_children: ({ namespace }) => bare(400, `cannot delete namespace ${namespace}: it has child namespaces`),

  mount_type_missing: () => bare(400, "backend type must be specified as a string"),
  mount_ttl_above_max: () => bare(400, "given default lease TTL greater than system/mount max lease TTL"),
  kv_version_unsupported: ({ version }) => bare(400, `kv version ${version} is not supported`),
  plugin_not_found: ({ type }) => bare(400, `plugin not found in the catalog: ${type}`),
  mount_path_reserved: ({ path }) => bare(400, `cannot mount under existing mount at ${path}`),
  mount_in_use: ({ path }) => bare(400, `path is already in use at ${path}`),
  mount_not_found: ({ path }) => bare(400, `No secret engine mount at ${path}`),
  unmount_reserved: ({ path }) => bare(400, `cannot unmount ${path}`),
  mount_not_tunable: ({ path }) => bare(400, `cannot tune ${path}`),

  path_relative: () => bare(400, "path cannot contain . or .. as a segment"),
  data_missing: () => bare(400, "missing data fields"),
  cubbyhole_data_missing: () => listed(500, "missing data fields"),
  cubbyhole_of_batch_token: () => bare(400, "cubbyhole operations are only supported by service tokens"),

  key_share_missing: () => bare(400, "'key' must be specified in request body, or 'reset' set to true"),
  key_share_malformed: () => bare(400, "'key' must be a share of 16 to 33 bytes in hexadecimal or base64"),
  not_sealed: () => bare(400, "the service is not sealed: there is no attempt to reset"),
  key_shares_do_not_fit: () => bare(400, "unseal failed, invalid key"),
  cluster_exists: ({ cluster }) => bare(400, `there is a cluster ${cluster} already`),
  cluster_stopped: ({ cluster }) => bare(503, `${cluster} is stopped`),
  node_unknown: ({ node, nodes }) => bare(400, `there is no node ${node}: the nodes are 0 to ${nodes - 1}`),

  changing_role: () => bare(503, "the cluster is changing its role in replication"),
  dr_secondary: () => bare(400, "path disabled in replication DR secondary mode"),
  forwarding_failed: () => listed(500, "failed to forward the request to the primary: it cannot be reached"),
  replication_enabled: ({ kind, mode }) => bare(400, `${replicationName(kind)} is already enabled: mode is ${mode}`),
  not_a_primary: ({ kind }) => bare(400, `${replicationName(kind)}: cluster is not a primary`),
  not_a_secondary: ({ kind }) => bare(400, `cluster is not a ${kind === "dr" ? "DR secondary" : "secondary"}`),
  dr_operation_token_missing: () => bare(400, "dr_operation_token must be specified"),
  dr_operation_token_unknown: () => listed(403, "permission denied"),
  generation_in_progress: () => bare(400, "DR operation token generation already in progress"),
  pgp_key_malformed: ({ reason }) => bare(400, `error parsing PGP key: ${reason}`),
  generation_share_missing: () => bare(400, "'key' must be specified in request body as a share"),
  generation_share_not_encoded: () => bare(400, "'key' must be a share in hexadecimal or base64"),
  generation_share_length: () => bare(400, "'key' must be a share of 16 to 33 bytes"),
  generation_not_started: () => bare(400, "no DR operation token generation in progress"),
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

  lease_id_missing: () => bare(400, "lease_id must be specified"),
  invalid_lease: () => bare(400, "invalid lease"),
  lease_not_found: () => bare(400, "lease not found"),
  lease_not_renewable: () => bare(400, "lease is not renewable"),
  lease_past_max_ttl: () => bare(400, "past the max TTL, cannot renew"),
  lease_renewal_failed: ({ account }) => bare(400, `failed to renew entry: "${account}" is not checked out any more`),
  lease_revocation_failed: ({ lease, reason }) => bare(400, `failed to revoke entry: ${lease}: ${reason}`),

  password_policy_missing: () => bare(400, "missing policy"),
  password_policy_invalid: ({ reason }) => bare(400, `invalid password policy: ${reason}`),
  password_policy_not_found: () => bare(404, "policy does not exist"),

  certificate_invalid: () => listed(500, "failed to parse server tls cert"),
  client_certificate_incomplete: () => listed(500, "both client_tls_cert and client_tls_key must be set"),
  tls_version_unknown: ({ field }) => listed(500, `invalid '${field}' in config`),
  tls_versions_crossed: () => listed(500, "'tls_max_version' must be greater than or equal to 'tls_min_version'"),
  url_missing: () => listed(500, "at least one url must be provided"),
  bind_account_missing: () => listed(500, "cannot derive UserBindDN based on config"),
  schema_invalid: ({ schema }) =>
    listed(500, schema === "" ? "schema is required" : `the configured schema ${schema} is not valid`),
  length_and_policy: () => listed(500, "cannot set both 'password_policy' and 'length'"),

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
};

/** The form of a refusal that a decider or a view of this service made. */
export function errorForm(code: string, data: object): ErrorForm {
  const form = FORMS[code as keyof SecretsRefusals] as ((data: object) => ErrorForm) | undefined;
  if (form === undefined) throw new TypeError(`${code} is no refusal of the secrets service`);
  return form(data);
}
