import { rfc3339 } from "../../languages/instant.ts";
import type { RequestFaultEvents } from "../../surroundings/faults/rules.ts";
import {
  argument,
  type ExplainersOf,
  type Fact,
  fact,
  factsBy,
  failureFact,
  type Met,
  recorded,
  shownArgument,
  textGiven,
  when,
} from "../kit/why.ts";
import type { RunsCaller } from "./declare.ts";
import type { RunsEvents } from "./events.ts";
import type { RunsRefusals } from "./rejections.ts";
import type { TokenRecord } from "./tokens/state.ts";
import { type RunsWorld, runServiceOf } from "./world.ts";

/** A refusal of this service. */
type RunsMet = Met<RunsWorld, RunsEvents & RequestFaultEvents, RunsCaller>;

/** Why the run service refuses. */
const WHY: ExplainersOf<RunsRefusals, RunsMet> = {
  request_failed: (met, { status }) => [
    failureFact(
      met,
      status,
      met.past.last("RunsRequestFailureInjected", (data) => data.status === status),
    ),
  ],
  too_many_requests: (met, { limit }) => [
    fact(
      "configured",
      `rateLimitPerSecond is ${limit}, and the clock stands in the same second at ${rfc3339(met.nowMs)}`,
    ),
    ...callerFacts(met),
  ],
  unauthorized: (met) => callerFacts(met),
  content_type_invalid: () => [fact("argument", "Content-Type is not application/vnd.api+json")],
  body_invalid: () => [fact("argument", "the body is no JSON in UTF-8")],
  past_is_read_only: ({ command }) => [fact("past", `${command.name} is a command, and a view of the past only reads`)],
  not_found: (met) => [...objectFacts(met), ...callerFacts(met)],
  include_invalid: (_, { name }) => [fact("argument", `include is ${JSON.stringify(name)}`)],
  filter_invalid: (_, { parameter, reason }) => [fact("argument", `${parameter}: ${reason}`)],
  attribute_invalid: (_, { pointer, reason }) => [fact("argument", `${pointer}: ${reason}`)],
  transition_not_allowed: (met, { id, status, move }) => [
    recorded("status", `${id} became ${status}, which allows no ${move},`, lastMove(met, id)) ??
      fact("status", `${id} is ${status}, which allows no ${move}`),
  ],

  organization_not_found: shownArgument("organization", "the name of an organization"),
  workspace_not_found: shownArgument("workspace", "the id of a workspace"),
  run_not_found: shownArgument("run", "the id of a run"),
  token_not_found: argument("id", "the id of a token"),
  organization_exists: (met, { organization }) => [
    recorded(
      "organization",
      `${organization} was made`,
      met.past.last("OrganizationCreated", (data) => data.organization === organization),
    ),
    fact("argument", `the name is ${organization}`),
  ],
  workspace_exists: (met, { organization, name }) => [
    recorded(
      "workspace",
      `${organization}/${name} was made`,
      met.past.last("WorkspaceCreated", ({ record }) => record.organization === organization && record.name === name),
    ),
    fact("argument", `the name is ${name}`),
  ],
  id_taken: (_, { id }) => [fact("argument", `the id is ${id}`)],
  run_moves_by_itself: (met, { run }) => [
    recorded(
      "run",
      `${run} was made without timing "manual"`,
      met.past.last("RunCreated", (data) => data.run === run),
    ) ?? fact("run", `${run} was made without timing "manual"`),
  ],
};

/** The facts behind a refusal of this service. */
export function runsWhy(met: RunsMet): readonly Fact[] {
  return factsBy(WHY, met);
}

/** The token of a request, by its id: the token itself is not told. */
function callerFacts({ caller, past, nowMs }: RunsMet): readonly Fact[] {
  const { token } = caller ?? {};
  if (token === undefined) return [fact("token", "no token was sent as Authorization: Bearer")];
  const made = past.last("ApiTokenCreated", (data) => data.token === token);
  if (made === undefined) return [fact("token", "the token that was sent is none that was made here")];
  const { record } = made.data;
  const revoked = past.last("ApiTokenRevoked", ({ id }) => id === record.id);
  const name = `${record.kind} token ${record.id}`;
  const { expiresAtMs } = record;
  const isOver = expiresAtMs !== undefined && nowMs >= expiresAtMs;
  const life = expiresAtMs === undefined ? "without an end" : `until ${rfc3339(expiresAtMs)}`;
  return [
    recorded("token", `${name} was revoked`, revoked) ?? fact("token", `${name} ${isOver ? "has ended" : "is valid"}`),
    {
      kind: "token",
      position: made.position,
      text: `it was made ${when(made)} ${life}, for ${record.organization}, with ${grantsOf(record)}`,
    },
  ];
}

function grantsOf({ kind, grants: { owner, managePolicies, managePolicyOverrides, workspaces } }: TokenRecord): string {
  const held = [
    ...(owner ? ["owner"] : []),
    ...(managePolicies ? ["managePolicies"] : []),
    ...(managePolicyOverrides ? ["managePolicyOverrides"] : []),
    ...Object.entries(workspaces).map(([workspace, grants]) => `${grants.join(", ")} on ${workspace}`),
  ];
  return held.length === 0
    ? kind === "organization"
      ? "the rights of an organization"
      : "no grants"
    : held.join("; ");
}

/** Whether what was asked for is there: a caller without rights is told that it is not. */
function objectFacts(met: RunsMet): readonly Fact[] {
  const { state, command } = met;
  const service = runServiceOf(state);
  const named = Object.entries((command.input ?? {}) as object).filter(([name]) => NAMES.has(name));
  if (named.length === 0) return [fact("route", `${textGiven(met, "path") || command.name} leads nowhere`)];
  return named.map(([name, value]) => {
    const id = String(value);
    const isThere = [
      service.runs,
      service.workspaces,
      service.organizations,
      service.policyChecks,
      service.taskStages,
      service.policyEvaluations,
      service.policySetOutcomes,
    ].some((table) => table.has(id));
    return fact(
      "object",
      isThere ? `${name} ${id} is there, and the token has too few rights` : `there is no ${name} ${id}`,
    );
  });
}

const NAMES: ReadonlySet<string> = new Set([
  "id",
  "run_id",
  "workspace_id",
  "organization",
  "organization_name",
  "workspace_name",
  "policy_check_id",
  "task_stage_id",
  "policy_evaluation_id",
  "policy_set_outcome_id",
]);

/** The last change of the status of a run, a check or a stage. */
function lastMove({ past }: RunsMet, id: string) {
  return [
    past.last("RunStatusChanged", ({ run }) => run === id),
    past.last("PolicyCheckStatusChanged", ({ policyCheck }) => policyCheck === id),
    past.last("PolicyCheckOverridden", ({ policyCheck }) => policyCheck === id),
    past.last("TaskStageStatusChanged", ({ taskStage }) => taskStage === id),
    past.last("TaskStageOverridden", ({ taskStage }) => taskStage === id),
  ].reduce((last, one) => ((one?.position ?? 0) > (last?.position ?? 0) ? one : last), undefined);
}
