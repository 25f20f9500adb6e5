import { type FormsOf, type RefusalForm, RefusalForms } from "../kit/refusals.ts";
import type { RunsRefusals } from "./rejections.ts";

/** An error object of JSON:API, as this service sends it (decisions-policy-checks.md, 2). */
export interface ErrorObject {
  readonly status: string;
  readonly title: string;
  readonly detail?: string;
  readonly source?: { readonly parameter: string } | { readonly pointer: string };
}

/** A refusal on the wire. */
export interface ErrorForm extends RefusalForm {
  readonly errors: readonly [ErrorObject];
}

function form(status: number, title: string, more: Pick<ErrorObject, "detail" | "source"> = {}): ErrorForm {
  return { status, errors: [{ status: `${status}`, title, ...more }] };
}

/** A request that cannot be read. */
export function badRequest(detail: string, parameter?: string): ErrorForm {
  return form(400, "bad request", { detail, ...(parameter === undefined ? {} : { source: { parameter } }) });
}

/** How each refusal looks on the wire. */
const FORMS: FormsOf<RunsRefusals, ErrorForm> = {
  request_failed: ({ status }) => form(status, titleOf(status)),
  too_many_requests: ({ limit }) =>
    form(429, "Too many requests", { detail: `no more than ${limit} requests are allowed in a second` }),
  unauthorized: () => form(401, "unauthorized"),
  content_type_invalid: () =>
    form(415, "invalid content type", { detail: "content-type must be application/vnd.api+json" }),
  past_is_read_only: () => badRequest("X-Hindcast-At: the past is read-only, and a view of it takes no commands"),
  body_invalid: () => badRequest("the request body is not valid JSON"),
  not_found: () => form(404, "not found"),
  include_invalid: ({ name }) =>
    badRequest(`the include parameter names ${JSON.stringify(name)}, which cannot be included`, "include"),
  filter_invalid: ({ parameter, reason }) => badRequest(`${parameter}: ${reason}`, parameter),
  attribute_invalid: ({ pointer, reason }) => form(422, "invalid attribute", { detail: reason, source: { pointer } }),
  transition_not_allowed: ({ id, status, move }) =>
    form(409, "transition not allowed", { detail: `${id} is ${status}, which allows no ${move}` }),

  organization_not_found: ({ organization }) =>
    form(404, "not found", { detail: `no organization is named ${JSON.stringify(organization)}` }),
  workspace_not_found: ({ workspace }) =>
    form(404, "not found", { detail: `no workspace has the id ${JSON.stringify(workspace)}` }),
  run_not_found: ({ run }) => form(404, "not found", { detail: `no run has the id ${JSON.stringify(run)}` }),
  token_not_found: ({ id }) => form(404, "not found", { detail: `no token has the id ${JSON.stringify(id)}` }),
  organization_exists: ({ organization }) =>
    form(409, "conflict", { detail: `an organization is named ${JSON.stringify(organization)} already` }),
  workspace_exists: ({ organization, name }) =>
    form(409, "conflict", {
      detail: `${JSON.stringify(organization)} has a workspace named ${JSON.stringify(name)} already`,
    }),
  id_taken: ({ id }) => form(409, "conflict", { detail: `the id ${JSON.stringify(id)} is taken` }),
  run_moves_by_itself: ({ run }) =>
    form(409, "transition not allowed", {
      detail: `${run} moves by itself: a run made with timing "manual" takes steps`,
    }),
};

export const runsForms = new RefusalForms<ErrorForm>("the run service", FORMS, ({ errors: [{ title, detail }] }) =>
  detail === undefined ? title : `${title}: ${detail}`,
);

/** Titles of failures that a test injects. Our choice: those of the service where it has one, else plain words. */
function titleOf(status: number): string {
  return TITLES.get(status) ?? (status < 500 ? "request failed" : "server error");
}

const TITLES: ReadonlyMap<number, string> = new Map([
  [400, "bad request"],
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "not found"],
  [409, "transition not allowed"],
  [415, "invalid content type"],
  [429, "Too many requests"],
  [500, "internal server error"],
  [502, "bad gateway"],
  [503, "service unavailable"],
  [504, "gateway timeout"],
]);
