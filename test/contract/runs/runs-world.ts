import {
  type CreatedRun,
  type CreateRunOptions,
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from "../../../src/index.ts";

type Policy = NonNullable<CreateRunOptions["policyChecks"]>[number]["policies"][number];

export const soft: Policy = { name: "tags", level: "soft-mandatory", result: false };
export const hard: Policy = { name: "region", level: "hard-mandatory", result: false };
export const advisory: Policy = { name: "cost", level: "advisory", result: false };
export const fine: Policy = { name: "names", level: "hard-mandatory", result: true };

type PolicySet = NonNullable<CreateRunOptions["policyEvaluation"]>["policySets"][number];
type Outcome = NonNullable<PolicySet["outcomes"]>[number];

export const outcome = (status: Outcome["status"], level?: "advisory" | "mandatory"): Outcome => ({
  policy_name: `${level ?? "any"} ${status}`,
  query: "data.policies.deny",
  status,
  ...(level === undefined ? {} : { enforcement_level: level }),
});

/** A policy set with one outcome of each kind that is given. */
export const policySet = (outcomes: readonly Outcome[], more: Partial<PolicySet> = {}): PolicySet => ({
  name: "security",
  outcomes: [...outcomes],
  ...more,
});

export const mandatoryFailure = outcome("failed", "mandatory");

/** An organization with a workspace, and somebody of each kind who asks. */
export interface RunsWorld {
  readonly sim: Simulator;
  readonly workspace: string;
  readonly tokens: {
    /** A user who may override in the workspace. */
    readonly overrider: string;
    /** A user who may read there. */
    readonly reader: string;
    /** A user of the same organization without any right. */
    readonly nobody: string;
    readonly owner: string;
    readonly organization: string;
    /** An owner of another organization. */
    readonly stranger: string;
  };
  run(options?: Partial<CreateRunOptions>): CreatedRun;
  /** A run that waits for the override of its one policy check. */
  softFailed(options?: Partial<CreateRunOptions>): CreatedRun & { readonly check: string };
  /** A run with a policy evaluation of these sets. */
  evaluated(
    sets: readonly PolicySet[],
    options?: Partial<CreateRunOptions>,
  ): CreatedRun & { readonly stage: string; readonly evaluation: string };
}

export function runsWorld(options: SimulatorOptions = {}): RunsWorld {
  const sim = createSimulator({ seed: 7, ...options });
  sim.runs.createOrganization({ name: "acme" });
  sim.runs.createOrganization({ name: "other" });
  const { id: workspace } = sim.runs.createWorkspace({ organization: "acme", name: "prod", id: "ws-prod" });
  const user = (name: string, grants = {}, organization = "acme") =>
    sim.runs.createToken({ kind: "user", organization, user: name, grants }).token;
  const run = (more: Partial<CreateRunOptions> = {}): CreatedRun => sim.runs.createRun({ workspace, ...more });
  return {
    sim,
    workspace,
    tokens: {
      overrider: user("olga", { workspaces: { [workspace]: ["policy-overrides"] } }),
      reader: user("rita", { workspaces: { [workspace]: ["read"] } }),
      nobody: user("nick"),
      owner: user("otto", { owner: true }),
      organization: sim.runs.createToken({ kind: "organization", organization: "acme" }).token,
      stranger: user("sven", { owner: true }, "other"),
    },
    run,
    softFailed: (more = {}) => {
      const created = run({ policyChecks: [{ policies: [fine, soft] }], ...more });
      return { ...created, check: created.policyCheckIds[0] as string };
    },
    evaluated: (sets, more = {}) => {
      const created = run({ policyEvaluation: { policySets: [...sets] }, ...more });
      return {
        ...created,
        stage: created.taskStageIds[0] as string,
        evaluation: created.policyEvaluationIds[0] as string,
      };
    },
  };
}
