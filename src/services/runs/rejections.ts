import { type Refusals, refusalsOf } from "../../kernel/outcome.ts";

/** Why the run service refuses, in the order in which it looks (decisions-policy-checks.md, 1.1). */
export interface RunsRefusals {
  /** A failure that a test injected. */
  request_failed: { readonly status: number };
  too_many_requests: { readonly limit: number };
  unauthorized: Record<never, never>;
  content_type_invalid: Record<never, never>;
  body_invalid: Record<never, never>;
  /** A command for a view of the past. */
  past_is_read_only: Record<never, never>;
  /** It is not there, the caller may not read it, or may not do this with it: nobody can tell which. */
  not_found: Record<never, never>;
  include_invalid: { readonly name: string };
  filter_invalid: { readonly parameter: string; readonly reason: string };
  /** What a resource shall be made with lacks something, or has something that it cannot have. `pointer` is where it stands in the body. */
  attribute_invalid: { readonly pointer: string; readonly reason: string };
  /** The state of a resource does not allow the action. */
  transition_not_allowed: { readonly id: string; readonly status: string; readonly move: string };

  // Of control calls only.
  organization_not_found: { readonly organization: string };
  workspace_not_found: { readonly workspace: string };
  run_not_found: { readonly run: string };
  token_not_found: { readonly id: string };
  organization_exists: { readonly organization: string };
  workspace_exists: { readonly organization: string; readonly name: string };
  id_taken: { readonly id: string };
  /** Only a run with manual timing is moved step by step. */
  run_moves_by_itself: { readonly run: string };
}

/** The two ways out of a decider of this service. */
export const { refuse, failKeepingFacts }: Refusals<RunsRefusals> = refusalsOf<RunsRefusals>();
