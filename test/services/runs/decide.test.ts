import { describe, it } from "vitest";
import { epochMs } from "../../../src/kernel/brand.ts";
import type { Command, EventOf } from "../../../src/kernel/commit.ts";
import type {
  ApiToken,
  ApiTokenId,
  OrganizationName,
  PolicyCheckId,
  PolicyEvaluationId,
  PolicySetOutcomeId,
  RunId,
  TaskStageId,
  WorkspaceId,
} from "../../../src/services/runs/ids.ts";
import type { CheckedPolicy } from "../../../src/services/runs/policy-checks/state.ts";
import type { NewRun, NewTaskStage, Timing } from "../../../src/services/runs/runs/state.ts";
import { worldModel } from "../../../src/simulator/services.ts";
import type { WorldEvents } from "../../../src/simulator/world.ts";
import { deciderSpecification } from "../../support/decider-specification.ts";
import { newWorld, readOptions } from "../../support/world.ts";

type Fact = EventOf<WorldEvents>;

const START_MS = epochMs(Date.UTC(2026, 0, 1));
const settings = { ...readOptions({}), seed: "specification", startAtMs: START_MS };
const initialState = newWorld({ ...settings, clusters: [] });
const { given } = deciderSpecification({ model: worldModel, initialState, startAtMs: START_MS });

const organization = "acme" as OrganizationName;
const workspace = "ws-1" as WorkspaceId;
const run = "run-1" as RunId;
const check = "polchk-1" as PolicyCheckId;
const second = "polchk-2" as PolicyCheckId;
const stage = "ts-1" as TaskStageId;
const evaluation = "poleval-1" as PolicyEvaluationId;

// --- past facts -----------------------------------------------------------------------------------------------------

const grants = { owner: false, managePolicies: false, managePolicyOverrides: false };

function tokenCreated(name: string, more: Partial<typeof grants> = {}): Fact {
  const record = { id: `at-${name}` as ApiTokenId, kind: "user" as const, user: name, organization };
  const data = { token: name as ApiToken, record: { ...record, grants: { ...grants, ...more, workspaces: {} } } };
  return { type: "ApiTokenCreated", data };
}

const PAST: readonly Fact[] = [
  { type: "OrganizationCreated", data: { organization, record: { policyEnforcement: true, linkKey: "key" } } },
  {
    type: "WorkspaceCreated",
    data: { workspace, record: { organization, name: "prod", autoApply: false, allowEmptyApply: false } },
  },
  tokenCreated("lead", { managePolicyOverrides: true }),
  tokenCreated("reader", { managePolicies: true }),
];

const soft: CheckedPolicy = { name: "tags", level: "soft-mandatory", result: false };
const fine: CheckedPolicy = { name: "names", level: "hard-mandatory", result: true };

const record: NewRun = {
  workspace,
  message: "",
  source: "api",
  triggerReason: "manual",
  planOnly: false,
  hasChanges: true,
  isDestroy: false,
  autoApply: false,
  allowEmptyApply: false,
  planFails: false,
  applyFails: false,
  timing: "manual",
};

interface Having {
  readonly timing?: Timing;
  readonly policies?: readonly (readonly CheckedPolicy[])[];
  readonly taskStage?: NewTaskStage;
  readonly autoApply?: boolean;
}

function runCreated({ policies = [], taskStage, ...more }: Having): Fact {
  const policyChecks = policies.map((those, index) => ({
    id: [check, second][index] as PolicyCheckId,
    scope: (["organization", "workspace"] as const)[index] ?? "workspace",
    policies: those,
    engine: {},
    engineError: false,
  }));
  const made = { run, record: { ...record, ...more }, policyChecks };
  return { type: "RunCreated", data: taskStage === undefined ? made : { ...made, taskStage } };
}

type RunStatus = WorldEvents["RunStatusChanged"]["status"];
type CheckStatus = WorldEvents["PolicyCheckStatusChanged"]["status"];

const runIs = (status: RunStatus): Fact => ({ type: "RunStatusChanged", data: { run, status } });
const checkIs = (status: CheckStatus, policyCheck = check): Fact => ({
  type: "PolicyCheckStatusChanged",
  data: { policyCheck, status },
});
const overridden = (policyCheck = check, more = {}): Fact => ({
  type: "PolicyCheckOverridden",
  data: { policyCheck, status: "overridden", ...more },
});

const failingStage = (overridable: boolean): NewTaskStage => {
  const resultCount = { "advisory-failed": 0, errored: 0, "mandatory-failed": 1, passed: 0 };
  const policySets = [
    {
      id: "psout-1" as PolicySetOutcomeId,
      name: "network",
      description: null,
      overridable,
      error: "",
      outcomes: [
        {
          enforcement_level: "mandatory" as const,
          query: "q",
          status: "failed" as const,
          policy_name: "p",
          description: "",
        },
      ],
      resultCount,
    },
  ];
  return { id: stage, evaluation: { id: evaluation, policySets, resultCount, failuresAreOverridable: overridable } };
};

// --- commands -------------------------------------------------------------------------------------------------------

const overrideBy = (token: string, comment?: string): Command => ({
  name: "runs.policyChecks.override",
  input: { id: check, ...(comment === undefined ? {} : { comment }) },
  caller: { token },
  via: "call",
});
const control = (call: string): Command => ({
  name: `control.runs.run.${call}`,
  input: { run },
  caller: null,
  via: "control",
});

// decisions-policy-checks.md, 4.6.
describe("an override of a policy check", () => {
  const waiting = given(...PAST, runCreated({ policies: [[soft]] }), checkIs("soft_failed"), runIs("policy_override"));

  it("records itself with its comment, and the run goes on", () => {
    waiting.when(overrideBy("lead", "agreed")).then(overridden(check, { comment: "agreed" }), runIs("policy_checked"));
  });

  it("of a run that applies by itself queues the apply at once", () => {
    given(
      ...PAST,
      runCreated({ policies: [[soft]], autoApply: true }),
      checkIs("soft_failed"),
      runIs("policy_override"),
    )
      .when(overrideBy("lead"))
      .then(overridden(), runIs("policy_checked"), runIs("confirmed"), runIs("apply_queued"));
  });

  it("leaves the run waiting while another soft failure is left", () => {
    given(
      ...PAST,
      runCreated({ policies: [[soft], [soft]] }),
      checkIs("soft_failed"),
      checkIs("soft_failed", second),
      runIs("policy_override"),
    )
      .when(overrideBy("lead"))
      .then(overridden());
  });

  it("is refused without the right as if there were nothing", () => {
    waiting.when(overrideBy("reader")).thenRefused("not_found", {});
    waiting.when(overrideBy("nobody")).thenRefused("unauthorized", {});
  });

  it("is refused in every other state of check and run", () => {
    for (const [status, runStatus] of [
      ["soft_failed", "discarded"],
      ["soft_failed", "policy_soft_failed"],
      ["overridden", "policy_checked"],
      ["passed", "policy_checked"],
      ["hard_failed", "errored"],
      ["errored", "errored"],
      ["canceled", "canceled"],
      ["unreachable", "errored"],
      ["queued", "policy_checking"],
    ] as const) {
      given(...PAST, runCreated({ policies: [[soft]] }), checkIs(status), runIs(runStatus))
        .when(overrideBy("lead"))
        .thenRefused("transition_not_allowed", {
          ...(status === "soft_failed" ? { id: run, status: runStatus } : { id: check, status }),
          move: "override",
        });
    }
  });

  it("fails with an injected failure, of which only the count is kept", () => {
    const status = 503;
    waiting
      .given({ type: "RunsRequestFailureInjected", data: { count: 1, status } })
      .when(overrideBy("nobody"))
      .thenFailed("request_failed", [{ type: "RunsRequestFailed", data: { status } }]);
  });
});

// decisions-policy-checks.md, 8.
describe("a step", () => {
  it("into policy checking queues the first check", () => {
    given(...PAST, runCreated({ policies: [[fine], [fine]] }), runIs("planned"))
      .when(control("step"))
      .then(runIs("policy_checking"), checkIs("queued"));
  });

  it("in policy checking ends a check and queues the next", () => {
    const checking = given(
      ...PAST,
      runCreated({ policies: [[fine], [soft]] }),
      runIs("policy_checking"),
      checkIs("queued"),
    );
    const result = { result: true, passed: 1, totalFailed: 0, hardFailed: 0, softFailed: 0, advisoryFailed: 0 };
    checking
      .after(1_500)
      .when(control("step"))
      .then(
        {
          type: "PolicyCheckEvaluated",
          data: { policyCheck: check, status: "passed", result: { ...result, durationMs: 1_500 } },
        },
        checkIs("queued", second),
      );
  });

  it("takes an evaluation from queued to its end, and stage and run with it", () => {
    const status = (to: WorldEvents["PolicyEvaluationStatusChanged"]["status"]): Fact => ({
      type: "PolicyEvaluationStatusChanged",
      data: { policyEvaluation: evaluation, status: to },
    });
    const stageIs = (to: WorldEvents["TaskStageStatusChanged"]["status"]): Fact => ({
      type: "TaskStageStatusChanged",
      data: { taskStage: stage, status: to },
    });
    const running = (overridable: boolean) =>
      given(
        ...PAST,
        runCreated({ policies: [[fine]], taskStage: failingStage(overridable) }),
        runIs("post_plan_running"),
        stageIs("running"),
        status("queued"),
      );
    running(true)
      .when(control("step"))
      .then(status("running"), status("failed"), stageIs("awaiting_override"), runIs("post_plan_awaiting_decision"));
    running(false)
      .when(control("step"))
      .then(status("running"), status("failed"), stageIs("failed"), runIs("errored"), checkIs("unreachable"));
    running(true)
      .when(control("cancel"))
      .then(runIs("canceled"), status("canceled"), stageIs("canceled"), checkIs("unreachable"));
  });

  it("is refused where a person is waited for", () => {
    given(...PAST, runCreated({}), runIs("planned"))
      .when(control("step"))
      .thenRefused("transition_not_allowed", { id: run, status: "planned", move: "step" });
  });
});

describe("a run that spends time", () => {
  const timing = { queueMs: 0, planMs: 60_000, evaluationMs: 0, checkMs: 0, applyMs: 5_000 };

  it("arms the end of the phase that takes some", () => {
    given(...PAST, runCreated({ timing, policies: [[soft]] }), checkIs("soft_failed"), runIs("policy_override"))
      .given(overridden())
      .when(control("confirm"))
      .thenRefused("transition_not_allowed", { id: run, status: "policy_override", move: "confirm" });
    given(...PAST, runCreated({ timing }), runIs("planned"))
      .when(control("confirm"))
      .then(runIs("confirmed"), runIs("apply_queued"), {
        type: "RunPhaseBegun",
        data: { run, untilMs: epochMs(START_MS + 5_000) },
      });
  });
});
