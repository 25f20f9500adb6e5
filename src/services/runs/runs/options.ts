// What test authors say of a run beforehand (control-surface.md, "Run service").

/** A duration: a text with units (`"90s"`), or milliseconds. */
type DurationInput = string | number;

/** The options of `sim.runs.createRun`. */
export interface CreateRunOptions {
  /** The id of a workspace. */
  readonly workspace: string;
  readonly id?: string | undefined;
  /** Default `""`. */
  readonly message?: string | undefined;
  /** Default `"api"`. */
  readonly source?: string | undefined;
  /** Default `"manual"`. */
  readonly triggerReason?: string | undefined;
  /** It ends with its policies, and is not applied. Default false. */
  readonly planOnly?: boolean | undefined;
  /** Whether the plan changes anything. Default true. */
  readonly hasChanges?: boolean | undefined;
  /** Default false. */
  readonly isDestroy?: boolean | undefined;
  /** Nobody has to confirm it. Default: as its workspace. */
  readonly autoApply?: boolean | undefined;
  /** It is applied also when nothing changes. Default: as its workspace. */
  readonly allowEmptyApply?: boolean | undefined;
  /** The kind-a policies that it is checked by: at most one check of each scope. Default none. */
  readonly policyChecks?: readonly NewPolicyCheckOptions[] | undefined;
  /** The kind-b policies that are evaluated after its plan. Default none. */
  readonly policyEvaluation?: NewPolicyEvaluationOptions | undefined;
  /** Default false. */
  readonly planFails?: boolean | undefined;
  /** Default false. */
  readonly applyFails?: boolean | undefined;
  /**
   * What moves it on where no person is needed: `"immediate"` (the default) nothing has to, `"manual"` each step of
   * `run(id).step()`, an object of durations the virtual time that its phases take; a phase that is left out takes none.
   */
  readonly timing?:
    | "immediate"
    | "manual"
    | {
        readonly queueMs?: DurationInput | undefined;
        readonly planMs?: DurationInput | undefined;
        readonly evaluationMs?: DurationInput | undefined;
        readonly checkMs?: DurationInput | undefined;
        readonly applyMs?: DurationInput | undefined;
      }
    | undefined;
}

/** The options of `sim.runs.planRuns`. */
export type PlanRunsOptions = Pick<
  CreateRunOptions,
  "workspace" | "hasChanges" | "policyChecks" | "policyEvaluation" | "planFails" | "applyFails" | "timing"
>;

/** A policy check, and what it will come to. */
interface NewPolicyCheckOptions {
  readonly id?: string | undefined;
  /** Default `"organization"`. The organization's check comes first. */
  readonly scope?: "organization" | "workspace" | undefined;
  /** Takes the place of `checkMs`, and is what `duration-ms` shows. Default: what the clock says. */
  readonly durationMs?: DurationInput | undefined;
  /** What the result shows as `engine`. Default `{ "schema-version": 1, data: {} }`. */
  readonly engine?: { readonly [key: string]: unknown } | undefined;
  /** The engine itself breaks: the check is errored and has no result. Default false. */
  readonly engineError?: boolean | undefined;
  readonly policies: readonly {
    readonly name: string;
    readonly level: "advisory" | "soft-mandatory" | "hard-mandatory";
    /** `"error"` counts as failed at its level. */
    readonly result: boolean | "error";
  }[];
}

/** A policy evaluation, and what it will come to. */
interface NewPolicyEvaluationOptions {
  readonly id?: string | undefined;
  readonly taskStageId?: string | undefined;
  /** Takes the place of `evaluationMs`. */
  readonly durationMs?: DurationInput | undefined;
  readonly policySets: readonly {
    /** The id of its outcome. */
    readonly id?: string | undefined;
    readonly name: string;
    /** Default null. */
    readonly description?: string | null | undefined;
    /** Its mandatory failures may be overridden. Default false. */
    readonly overridable?: boolean | undefined;
    /** Not empty: the whole set could not be evaluated, and has no outcomes. Default `""`. */
    readonly error?: string | undefined;
    readonly outcomes?:
      | readonly {
          readonly policy_name: string;
          readonly query: string;
          readonly status: "passed" | "failed" | "errored";
          /** Default `"advisory"`; an errored one has none. */
          readonly enforcement_level?: "advisory" | "mandatory" | null | undefined;
          /** Default `""`. */
          readonly description?: string | undefined;
        }[]
      | undefined;
  }[];
}
