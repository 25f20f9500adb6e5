import type { EpochMs } from "../../kernel/brand.ts";
import { type Refusals, refusalsOf } from "../../kernel/outcome.ts";

/** Why the scheduler refuses, in the order in which it looks (decisions-scheduler-acl.md, section 1). */
export interface SchedulerRefusals {
  /** A failure that a test injected. */
  request_failed: { readonly status: number };
  path_moved: { readonly location: string };
  unknown_path: Record<never, never>;
  policy_name_missing: Record<never, never>;
  accessor_missing: Record<never, never>;
  namespace_name_missing: Record<never, never>;
  role_id_missing: Record<never, never>;
  role_name_missing: Record<never, never>;
  method_not_allowed: Record<never, never>;
  acl_disabled: Record<never, never>;
  /** The past takes no commands, or a place in it is none. */
  past_refused: { readonly reason: string };

  index_invalid: Record<never, never>;
  wait_invalid: Record<never, never>;
  stale_invalid: Record<never, never>;
  per_page_invalid: Record<never, never>;
  body_missing: Record<never, never>;
  body_malformed: { readonly reason: string };
  policy_name_mismatch: Record<never, never>;
  accessor_mismatch: Record<never, never>;
  role_id_mismatch: Record<never, never>;

  no_path_to_region: { readonly region: string };
  no_cluster_leader: { readonly region: string };

  /** The secret is none that the executing region knows. */
  token_unknown: Record<never, never>;
  /** Its time is over. */
  token_expired: Record<never, never>;
  permission_denied: Record<never, never>;
  /** No one-time token has this secret: it was used, or another one took its place, or there never was one. */
  one_time_token_unknown: Record<never, never>;
  one_time_token_expired: { readonly expiresAtMs: EpochMs };
  /** The token for which it stands is gone. */
  one_time_token_orphaned: { readonly accessor: string };

  /** Every fault of a policy. */
  policy_invalid: { readonly faults: readonly string[] };
  /** Every fault of a token. */
  token_invalid: { readonly faults: readonly string[] };
  /** Every fault of a role. */
  role_invalid: { readonly faults: readonly string[] };
  /** A new role has the name of another one. */
  role_exists: { readonly name: string };
  /** An update gives a role the name of another one. */
  role_name_taken: { readonly name: string };
  /** An update, or the link of a token, names a role that is not there. */
  role_missing: { readonly role: string };
  /** A delete of a role that is not there. */
  role_nonexistent: { readonly role: string };
  /** A role names a policy that is not there. */
  policy_missing: { readonly policy: string };
  role_not_found: { readonly role: string; readonly index: number };
  auth_method_not_found: { readonly name: string; readonly index: number };
  binding_rule_not_found: { readonly id: string; readonly index: number };
  login_invalid: { readonly faults: readonly string[] };
  /** A login names an auth method that is not there. */
  auth_method_missing: { readonly name: string };
  bootstrap_done: { readonly resetIndex: number };
  bootstrap_reset_invalid: { readonly specified: number; readonly resetIndex: number };
  bootstrap_secret_invalid: Record<never, never>;
  /** An accessor in a path that is no UUID: for a read. */
  accessor_unreadable: { readonly reason: string };
  /** The same for an update or a delete. */
  accessor_invalid: { readonly reason: string };
  prefix_invalid: { readonly reason: string };
  /** `index` is that of the table. */
  policy_not_found: { readonly name: string; readonly index: number };
  namespace_not_found: { readonly name: string; readonly index: number };
  token_not_found: { readonly accessor: string; readonly index: number };
  /** An update of a token that is not there. */
  token_missing: { readonly accessor: string };
  /** A delete of a token that is not there. */
  token_nonexistent: { readonly accessor: string };
  global_mode_fixed: { readonly accessor: string };

  // Of control calls only.
  region_exists: { readonly region: string };
}

/** The two ways out of a decider of this service. */
export const { refuse, failKeepingFacts }: Refusals<SchedulerRefusals> = refusalsOf<SchedulerRefusals>();
