import type { StateValueFrom } from "xstate";
import { policyCheckMachine } from "../../../machines/policy-check.machine.ts";
import { policyEvaluationMachine } from "../../../machines/policy-evaluation.machine.ts";
import { runMachine } from "../../../machines/run.machine.ts";
import { taskStageMachine } from "../../../machines/task-stage.machine.ts";
import type { CreateRunOptions } from "../../../src/index.ts";
import { fine, hard, mandatoryFailure, outcome, policySet, runsWorld, soft } from "../../contract/runs/runs-world.ts";
import { describeDoors, type MadeMove, type RefusedMove } from "./doors.ts";

/** A run that moves by steps, and has made so many. */
function stepping() {
  const made = runsWorld();
  const { sim, tokens } = made;
  const { taskStages, policyChecks } = sim.runs.as(tokens.overrider);
  let ids = { run: "", check: "", stage: "", evaluation: "" };
  return {
    ...made,
    run: (options: Options, steps: number) => {
      const { id, policyCheckIds, taskStageIds, policyEvaluationIds } = made.run({ timing: "manual", ...options });
      const [check = "", stage = "", evaluation = ""] = [policyCheckIds[0], taskStageIds[0], policyEvaluationIds[0]];
      ids = { run: id, check, stage, evaluation };
      const run = sim.runs.run(id);
      for (let step = 0; step < steps; step++) run.step();
      return run;
    },
    overrideStage: () => taskStages.override({ id: ids.stage }),
    overrideCheck: () => policyChecks.override({ id: ids.check }),
    status: () => {
      const { runs } = sim.state;
      return {
        run: runs?.runs.get(ids.run)?.status,
        check: runs?.policyChecks.get(ids.check)?.status,
        stage: runs?.taskStages.get(ids.stage)?.status,
        evaluation: runs?.policyEvaluations.get(ids.evaluation)?.status,
      };
    },
  };
}

type World = ReturnType<typeof stepping>;
type Options = Partial<CreateRunOptions>;

const PLAIN: Options = {};
const CHECKED: Options = { policyChecks: [{ policies: [fine] }] };
const SOFT: Options = { policyChecks: [{ policies: [soft] }] };
const HARD: Options = { policyChecks: [{ policies: [hard] }] };
const BROKEN: Options = { policyChecks: [{ policies: [fine], engineError: true }] };
const evaluated = (...outcomes: Parameters<typeof policySet>): Options => ({
  policyEvaluation: { policySets: [policySet(...outcomes)] },
});
const PASSES = evaluated([outcome("passed", "mandatory")]);
const FAILS = evaluated([mandatoryFailure]);
const WAITS = evaluated([mandatoryFailure], { overridable: true });
const ERRS = evaluated([outcome("errored", "mandatory")]);
/** Nothing to apply, and nobody to ask. */
const IDLE: Options = { hasChanges: false };
const BY_ITSELF: Options = { autoApply: true };

type Run = ReturnType<World["run"]>;
type Act = (run: Run, world: World) => unknown;
const step: Act = (run) => run.step();
const confirm: Act = (run) => run.confirm();
const discard: Act = (run) => run.discard();
const cancel: Act = (run) => run.cancel();
const overrideCheck: Act = (_, world) => world.overrideCheck();
const overrideStage: Act = (_, world) => world.overrideStage();

/** A run that has made so many steps, and what somebody does then. */
const story =
  (options: Options, steps: number, act: Act, ...before: readonly Act[]) =>
  async (world: World) => {
    const run = world.run(options, steps);
    for (const earlier of before) await earlier(run, world);
    return () => act(run, world);
  };

type RunState = StateValueFrom<ReturnType<typeof runMachine>>;
type RunMoved = MadeMove<ReturnType<typeof runMachine>, World>;
type RunRefused = RefusedMove<ReturnType<typeof runMachine>, World>;

/** How a run comes into a state: options, steps, and acts after them, the last of which leads there. */
const ENTRIES = {
  plan_queued: [PLAIN, 0, step],
  planning: [PLAIN, 1, step],
  planned: [PLAIN, 2, step],
  post_plan_running: [PASSES, 3, step],
  post_plan_awaiting_decision: [WAITS, 4, step],
  post_plan_completed: [PASSES, 4, step],
  policy_checking: [CHECKED, 3, step],
  policy_override: [SOFT, 4, step],
  policy_checked: [CHECKED, 4, step],
  apply_queued: [PLAIN, 3, confirm],
  applying: [PLAIN, 3, step, confirm],
  policy_soft_failed: [{ ...SOFT, planOnly: true }, 4, step],
  applied: [PLAIN, 3, step, confirm, step],
  planned_and_finished: [IDLE, 2, step],
  discarded: [PLAIN, 0, discard],
  errored: [{ planFails: true }, 2, step],
  canceled: [PLAIN, 0, cancel],
} as const satisfies { readonly [S in RunState]?: readonly [Options, number, Act, ...Act[]] };
type Entered = keyof typeof ENTRIES;

const entering = (state: Entered) => {
  const [options, steps, last, ...before] = ENTRIES[state];
  return story(options, steps, last, ...before);
};
const from = (state: Entered | "pending", act: Act) => {
  if (state === "pending") return story(PLAIN, 0, act);
  const [options, steps, last, ...before] = ENTRIES[state];
  return story(options, steps, act, ...before, last);
};

const FINAL = ["policy_soft_failed", "applied", "planned_and_finished", "discarded", "errored", "canceled"] as const;
const NEVER_ENTERED = [
  "fetching",
  "fetching_completed",
  "pre_plan_running",
  "pre_plan_completed",
  "queuing",
  "cost_estimating",
  "cost_estimated",
  "pre_apply_running",
  "pre_apply_completed",
  "queuing_apply",
  "post_apply_running",
  "post_apply_completed",
  "planned_and_saved",
] as const;

const CONFIRMED = { to: "confirmed", ends: "apply_queued" } as const;
const CANCELED: readonly (Entered | "pending")[] = [
  "pending",
  "plan_queued",
  "planning",
  "post_plan_running",
  "policy_checking",
  "apply_queued",
  "applying",
];
const BOTH: Options = { ...PASSES, ...CHECKED };

const runMoves: readonly RunMoved[] = [
  ...CANCELED.map((state): RunMoved => ({ state, move: "cancel", to: "canceled", story: from(state, cancel) })),
  { state: "planned", move: "cancel", to: "canceled", story: story(CHECKED, 3, cancel) },
  { state: "post_plan_completed", move: "cancel", to: "canceled", story: story(BOTH, 5, cancel) },
  ...(
    [
      "pending",
      "planned",
      "post_plan_awaiting_decision",
      "post_plan_completed",
      "policy_override",
      "policy_checked",
    ] as const
  ).map((state): RunMoved => ({ state, move: "discard", to: "discarded", story: from(state, discard) })),
  ...(["planned", "post_plan_completed", "policy_checked"] as const).map(
    (state): RunMoved => ({ state, move: "confirm", ...CONFIRMED, story: from(state, confirm) }),
  ),
  { state: "pending", move: "proceed", to: "plan_queued", story: from("pending", step) },
  { state: "plan_queued", move: "proceed", to: "planning", story: from("plan_queued", step) },
  { state: "planning", move: "proceed", guard: "planFails", to: "errored", story: entering("errored") },
  { state: "planning", move: "proceed", guard: "else", to: "planned", story: from("planning", step) },
  {
    state: "planned",
    move: "proceed",
    guard: "hasTaskStage",
    to: "post_plan_running",
    story: entering("post_plan_running"),
  },
  {
    state: "planned",
    move: "proceed",
    guard: "hasPolicyChecks",
    to: "policy_checking",
    story: entering("policy_checking"),
  },
  { state: "post_plan_completed", move: "proceed", to: "policy_checking", story: story(BOTH, 5, step) },
  { state: "apply_queued", move: "proceed", to: "applying", story: from("apply_queued", step) },
  {
    state: "applying",
    move: "proceed",
    guard: "applyFails",
    to: "errored",
    story: story({ applyFails: true }, 3, step, confirm, step),
  },
  { state: "applying", move: "proceed", guard: "else", to: "applied", story: from("applying", step) },
  ...(["planned", "post_plan_completed", "policy_checked"] as const).flatMap((state): RunMoved[] => {
    const [options, steps] = ENTRIES[state];
    const asked = { state, move: "settle" } as const;
    return [
      {
        ...asked,
        guard: "hasNothingToApply",
        to: "planned_and_finished",
        story: story({ ...options, ...IDLE }, steps, step),
      },
      { ...asked, guard: "isAppliedByItself", ...CONFIRMED, story: story({ ...options, ...BY_ITSELF }, steps, step) },
    ];
  }),
  {
    state: "post_plan_running",
    move: "settle",
    guard: "taskStagePassed",
    to: "post_plan_completed",
    story: entering("post_plan_completed"),
  },
  {
    state: "post_plan_running",
    move: "settle",
    guard: "taskStageAwaitsOverride",
    to: "post_plan_awaiting_decision",
    story: entering("post_plan_awaiting_decision"),
  },
  { state: "post_plan_running", move: "settle", guard: "taskStageFailed", to: "errored", story: story(FAILS, 4, step) },
  {
    state: "post_plan_awaiting_decision",
    move: "overrideTaskStage",
    to: "post_plan_running",
    ends: "post_plan_completed",
    story: from("post_plan_awaiting_decision", overrideStage),
  },
  { state: "policy_checking", move: "settle", guard: "checksFailed", to: "errored", story: story(HARD, 4, step) },
  {
    state: "policy_checking",
    move: "settle",
    guard: "checksPassed",
    to: "policy_checked",
    story: entering("policy_checked"),
  },
  {
    state: "policy_checking",
    move: "settle",
    guard: "checksSoftFailed",
    to: "policy_override",
    story: entering("policy_override"),
  },
  {
    state: "policy_checking",
    move: "settle",
    guard: "checksSoftFailedInVain",
    to: "policy_soft_failed",
    story: entering("policy_soft_failed"),
  },
  { state: "policy_override", move: "settle", to: "policy_checked", story: from("policy_override", overrideCheck) },
  { state: "confirmed", move: "settle", to: "apply_queued", story: entering("apply_queued") },
];

const made = new Set(runMoves.map(({ state, move }) => `${state} ${move}`));

/** What somebody asks for in a state that does not have it; what it has under a guard is refused there, too, if it waits for nothing. */
const asked = (move: "confirm" | "discard" | "cancel" | "proceed", act: Act): RunRefused[] =>
  (["pending", ...(Object.keys(ENTRIES) as Entered[])] as const)
    .filter((state) => !made.has(`${state} ${move}`))
    .filter((state) => move !== "proceed" || (state !== "post_plan_running" && state !== "policy_checking"))
    .map((state) => ({ state, move, story: from(state, act) }));

describeDoors(runMachine, {
  world: stepping,
  stateIn: (world) => world.status().run,
  moves: runMoves,
  refused: [
    ...asked("confirm", confirm),
    ...asked("discard", discard),
    ...asked("cancel", cancel),
    ...asked("proceed", step),
    ...(["planned", "post_plan_completed"] as const).flatMap((state): RunRefused[] => {
      const [{ policyEvaluation }] = [state === "planned" ? {} : PASSES];
      const open = { ...CHECKED, ...(policyEvaluation === undefined ? {} : { policyEvaluation }) };
      const steps = state === "planned" ? 3 : 5;
      return [
        { state, move: "confirm", story: story(open, steps, confirm) },
        { state, move: "discard", story: story(open, steps, discard) },
        { state, move: "cancel", story: from(state, cancel) },
        { state, move: "proceed", story: from(state, step) },
      ];
    }),
    ...(Object.keys(ENTRIES) as Entered[]).map(
      (state): RunRefused => ({ state, move: "settle", goesOn: true, story: entering(state) }),
    ),
  ],
  noDoor: [
    {
      states: NEVER_ENTERED,
      moves: ["proceed", "settle", "confirm", "discard", "cancel", "overrideTaskStage"],
      why: "Clients know the status, and no run enters it.",
    },
    {
      states: ["confirmed"],
      moves: ["proceed", "confirm", "discard", "cancel", "overrideTaskStage"],
      why: "A run that is confirmed is queued in the same commit.",
    },
    {
      states: ["pending"],
      moves: ["settle"],
      why: "Nothing leads there, and what follows is asked for after a move.",
    },
    {
      states: ["post_plan_running", "policy_checking"],
      moves: ["proceed"],
      why: "A step ends what is evaluated there.",
    },
    {
      states: ["policy_checked"],
      moves: ["confirm", "discard"],
      refusal: true,
      why: "By then all policies were asked, and whoever has nothing to wait for has gone on.",
    },
    {
      states: [
        ...(["pending", "plan_queued", "planning", "planned", "post_plan_running", "post_plan_completed"] as const),
        ...(["policy_checking", "policy_override", "policy_checked", "apply_queued", "applying"] as const),
        ...FINAL,
      ],
      moves: ["overrideTaskStage"],
      why: "The stage itself refuses before its run is asked.",
    },
  ],
});

const EVERY_PART =
  "The run asks it of each of its parts in turn, and goes on where a chart says no: nobody is refused.";
const CHECK_STATES = ["passed", "hard_failed", "overridden", "errored", "canceled", "unreachable"] as const;

describeDoors(policyCheckMachine, {
  world: stepping,
  stateIn: (world) => world.status().check,
  moves: [
    { state: "pending", move: "queue", to: "queued", story: story(CHECKED, 3, step) },
    { state: "pending", move: "abandon", to: "unreachable", story: story(CHECKED, 0, cancel) },
    { state: "queued", move: "end", guard: "hasHardFailure", to: "hard_failed", story: story(HARD, 4, step) },
    { state: "queued", move: "end", guard: "hasSoftFailure", to: "soft_failed", story: story(SOFT, 4, step) },
    { state: "queued", move: "end", guard: "else", to: "passed", story: story(CHECKED, 4, step) },
    { state: "queued", move: "break", to: "errored", story: story(BROKEN, 4, step) },
    { state: "queued", move: "cancel", to: "canceled", story: story(CHECKED, 4, cancel) },
    { state: "soft_failed", move: "override", to: "overridden", story: story(SOFT, 5, overrideCheck) },
  ],
  refused: [
    { state: "soft_failed", move: "override", story: story({ ...SOFT, planOnly: true }, 5, overrideCheck) },
    { state: "pending", move: "override", story: story(CHECKED, 0, overrideCheck) },
    { state: "queued", move: "override", story: story(CHECKED, 4, overrideCheck) },
    { state: "passed", move: "override", story: story(CHECKED, 5, overrideCheck) },
    { state: "hard_failed", move: "override", story: story(HARD, 5, overrideCheck) },
    { state: "overridden", move: "override", story: story(SOFT, 5, overrideCheck, overrideCheck) },
    { state: "errored", move: "override", story: story(BROKEN, 5, overrideCheck) },
    { state: "canceled", move: "override", story: story(CHECKED, 4, overrideCheck, cancel) },
    { state: "unreachable", move: "override", story: story(CHECKED, 0, overrideCheck, cancel) },
  ],
  noDoor: [
    { states: ["pending"], moves: ["end", "break", "cancel"], asked: true, why: EVERY_PART },
    { states: ["queued"], moves: ["queue", "abandon"], asked: true, why: EVERY_PART },
    {
      states: ["soft_failed", ...CHECK_STATES],
      moves: ["queue", "end", "break", "cancel", "abandon"],
      asked: true,
      why: EVERY_PART,
    },
  ],
});

describeDoors(policyEvaluationMachine, {
  world: stepping,
  stateIn: (world) => world.status().evaluation,
  moves: [
    { state: "pending", move: "queue", to: "queued", story: story(PASSES, 3, step) },
    { state: "pending", move: "abandon", to: "unreachable", story: story(PASSES, 0, cancel) },
    { state: "queued", move: "pickUp", to: "running", ends: "passed", story: story(PASSES, 4, step) },
    { state: "queued", move: "cancel", to: "canceled", story: story(PASSES, 4, cancel) },
    { state: "running", move: "end", guard: "hasErrors", to: "errored", story: story(ERRS, 4, step) },
    { state: "running", move: "end", guard: "hasMandatoryFailure", to: "failed", story: story(FAILS, 4, step) },
    { state: "running", move: "end", guard: "else", to: "passed", story: story(PASSES, 4, step) },
    {
      state: "running",
      move: "cancel",
      to: "canceled",
      story: story({ ...PASSES, timing: { evaluationMs: 1000 } }, 0, cancel),
    },
    { state: "failed", move: "override", to: "overridden", story: story(WAITS, 5, overrideStage) },
  ],
  noDoor: [
    { states: ["pending"], moves: ["pickUp", "end", "override", "cancel"], asked: true, why: EVERY_PART },
    { states: ["queued"], moves: ["queue", "end", "override", "abandon"], asked: true, why: EVERY_PART },
    { states: ["running"], moves: ["queue", "pickUp", "override", "abandon"], asked: true, why: EVERY_PART },
    { states: ["failed"], moves: ["queue", "pickUp", "end", "cancel", "abandon"], asked: true, why: EVERY_PART },
    {
      states: ["passed", "overridden", "errored", "canceled", "unreachable"],
      moves: ["queue", "pickUp", "end", "override", "cancel", "abandon"],
      asked: true,
      why: EVERY_PART,
    },
  ],
});

const STAGE_MOVES = [
  "start",
  "evaluationPassed",
  "evaluationFailed",
  "evaluationErrored",
  "evaluationOverridden",
  "cancel",
  "abandon",
] as const;

describeDoors(taskStageMachine, {
  world: stepping,
  stateIn: (world) => world.status().stage,
  moves: [
    { state: "pending", move: "start", to: "running", story: story(PASSES, 3, step) },
    { state: "pending", move: "abandon", to: "unreachable", story: story(PASSES, 0, cancel) },
    { state: "running", move: "evaluationPassed", to: "passed", story: story(PASSES, 4, step) },
    {
      state: "running",
      move: "evaluationFailed",
      guard: "mayBeOverridden",
      to: "awaiting_override",
      story: story(WAITS, 4, step),
    },
    { state: "running", move: "evaluationFailed", guard: "else", to: "failed", story: story(FAILS, 4, step) },
    { state: "running", move: "evaluationErrored", to: "errored", story: story(ERRS, 4, step) },
    { state: "running", move: "evaluationOverridden", to: "passed", story: story(WAITS, 5, overrideStage) },
    { state: "running", move: "cancel", to: "canceled", story: story(PASSES, 4, cancel) },
    {
      state: "awaiting_override",
      move: "override",
      to: "running",
      ends: "passed",
      story: story(WAITS, 5, overrideStage),
    },
    { state: "awaiting_override", move: "cancel", to: "canceled", story: story(WAITS, 5, discard) },
  ],
  refused: [
    { state: "pending", move: "override", story: story(PASSES, 0, overrideStage) },
    { state: "running", move: "override", story: story(PASSES, 4, overrideStage) },
    { state: "passed", move: "override", story: story(PASSES, 5, overrideStage) },
    { state: "failed", move: "override", story: story(FAILS, 5, overrideStage) },
    { state: "errored", move: "override", story: story(ERRS, 5, overrideStage) },
    { state: "canceled", move: "override", story: story(PASSES, 4, overrideStage, cancel) },
    { state: "unreachable", move: "override", story: story(PASSES, 0, overrideStage, cancel) },
  ],
  noDoor: [
    {
      states: ["pending"],
      moves: ["evaluationPassed", "evaluationFailed", "evaluationErrored", "evaluationOverridden", "cancel"],
      asked: true,
      why: EVERY_PART,
    },
    { states: ["running"], moves: ["start", "abandon"], asked: true, why: EVERY_PART },
    {
      states: ["awaiting_override"],
      moves: ["start", "evaluationPassed", "evaluationFailed", "evaluationErrored", "evaluationOverridden", "abandon"],
      asked: true,
      why: EVERY_PART,
    },
    {
      states: ["passed", "failed", "errored", "canceled", "unreachable"],
      moves: STAGE_MOVES,
      asked: true,
      why: EVERY_PART,
    },
  ],
});
