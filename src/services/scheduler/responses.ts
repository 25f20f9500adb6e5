import { type FormsOf, type RefusalForm, RefusalForms } from "../kit/refusals.ts";
import type { SchedulerRefusals } from "./rejections.ts";

/** A refusal on the wire: a status, and the bare message as the body. */
export interface ErrorForm extends RefusalForm {
  readonly message: string;
  /** Where it is instead. */
  readonly location?: string;
}

const form = (status: number, message: string): ErrorForm => ({ status, message });

/** How each refusal looks on the wire. Source of statuses and quoted texts: decisions-scheduler-acl.md, sections 1 to 6. */
const FORMS: FormsOf<SchedulerRefusals, ErrorForm> = {
  request_failed: ({ status }) => form(status, "injected failure"),
  // Our choice: without the page that the real service sends along with the answer to a GET.
  path_moved: ({ location }) => ({ status: 301, message: "", location }),
  unknown_path: () => form(404, ""),
  policy_name_missing: () => form(400, "Missing Policy Name"),
  accessor_missing: () => form(400, "Missing Token Accessor"),
  namespace_name_missing: () => form(400, "Missing Namespace Name"),
  role_id_missing: () => form(400, "missing ACL role ID"),
  role_name_missing: () => form(400, "missing ACL role name"),
  method_not_allowed: () => form(405, "Invalid method"),
  acl_disabled: () => form(400, "ACL support disabled"),
  past_refused: ({ reason }) => form(400, `X-Hindcast-At: ${reason}`),

  index_invalid: () => form(400, "Invalid index"),
  wait_invalid: () => form(400, "Invalid wait time"),
  stale_invalid: () => form(400, 'Failed to parse value of "stale": it is no boolean'),
  per_page_invalid: () => form(400, 'Failed to parse value of "per_page": it is no integer'),
  body_missing: () => form(400, "Request body is empty"),
  body_malformed: ({ reason }) => form(400, `failed to decode request body: ${reason}`),
  policy_name_mismatch: () => form(400, "ACL policy name does not match request path"),
  accessor_mismatch: () => form(400, "ACL token accessor does not match request path"),

  role_id_mismatch: () => form(400, "ACL role ID does not match request path"),

  no_path_to_region: ({ region }) => form(500, `No path to region: ${region}`),
  no_cluster_leader: () => form(500, "No cluster leader"),

  token_unknown: () => form(403, "ACL token not found"),
  token_expired: () => form(403, "ACL token expired"),
  permission_denied: () => form(403, "Permission denied"),
  one_time_token_unknown: () => form(403, "Permission denied"),
  one_time_token_expired: () => form(403, "Permission denied"),
  one_time_token_orphaned: () => form(403, "Permission denied"),

  policy_invalid: ({ faults }) => form(400, `policy 0 invalid: ${listed(faults)}`),
  token_invalid: ({ faults }) => form(400, `token 0 invalid: ${listed(faults)}`),
  role_invalid: ({ faults }) => form(400, `role 0 invalid: ${listed(faults)}`),
  role_exists: ({ name }) => form(400, `role with name ${name} already exists`),
  role_name_taken: ({ name }) => form(500, `ACL role with name ${name} already exists`),
  role_missing: ({ role }) => form(400, `cannot find role ${role}`),
  role_nonexistent: () => form(500, "ACL role not found"),
  policy_missing: ({ policy }) => form(400, `cannot find policy ${policy}`),
  role_not_found: () => form(404, "ACL role not found"),
  auth_method_not_found: () => form(404, "ACL auth-method not found"),
  binding_rule_not_found: () => form(404, "ACL binding rule not found"),
  login_invalid: ({ faults }) => form(400, `invalid login request: ${listed(faults)}`),
  auth_method_missing: ({ name }) => form(400, `auth-method ${JSON.stringify(name)} not found`),
  bootstrap_done: ({ resetIndex }) => form(400, `ACL bootstrap already done (reset index: ${resetIndex})`),
  bootstrap_reset_invalid: ({ specified, resetIndex }) =>
    form(400, `Invalid bootstrap reset index (specified ${specified}, reset index: ${resetIndex})`),
  bootstrap_secret_invalid: () => form(400, "invalid acl token"),
  accessor_unreadable: ({ reason }) => form(500, `acl token lookup failed: index error: ${reason}`),
  accessor_invalid: ({ reason }) => form(400, `token lookup failed: index error: ${reason}`),
  prefix_invalid: ({ reason }) => form(500, `acl token lookup failed: index error: ${reason}`),
  policy_not_found: () => form(404, "ACL policy not found"),
  namespace_not_found: () => form(404, "Namespace not found"),
  token_not_found: () => form(404, "ACL token not found"),
  token_missing: ({ accessor }) => form(404, `cannot find token ${accessor}`),
  token_nonexistent: ({ accessor }) => form(400, `Cannot delete nonexistent tokens: ${accessor}`),
  global_mode_fixed: ({ accessor }) => form(400, `cannot toggle global mode of ${accessor}`),

  region_exists: ({ region }) => form(409, `there is a region ${region} already`),
};

export const schedulerForms = new RefusalForms<ErrorForm>("the scheduler", FORMS, ({ message }) => message.trim());

/** Several faults in one answer, as the real service lists them (decisions-scheduler-acl.md, section 4, several faults). */
function listed(faults: readonly string[]): string {
  const head = faults.length === 1 ? "1 error occurred:" : `${faults.length} errors occurred:`;
  return `${head}\n${faults.map((fault) => `\t* ${fault}\n`).join("")}\n`;
}
