import fc from "fast-check";
import { describe, expect } from "vitest";
import { type CreateRunOptions, Rejection, rehearse, replay, type Simulator } from "../../src/index.ts";
import { createSimulator, property } from "../support/checked.ts";
import { runs } from "../support/runs.ts";

type Policy = NonNullable<CreateRunOptions["policyChecks"]>[number]["policies"][number];
type PolicySet = NonNullable<CreateRunOptions["policyEvaluation"]>["policySets"][number];

// --- what may happen ------------------------------------------------------------------------------------------------

const policy = (): fc.Arbitrary<Policy> =>
  fc.record({
    name: fc.constantFrom("tags", "cost", "region"),
    level: fc.constantFrom("advisory", "soft-mandatory", "hard-mandatory"),
    result: fc.constantFrom<Policy["result"][]>(true, true, true, false, "error"),
  });

const outcome = () =>
  fc.record({
    policy_name: fc.constant("p"),
    query: fc.constant("q"),
    status: fc.constantFrom("passed", "passed", "failed", "errored"),
    enforcement_level: fc.constantFrom("advisory", "mandatory"),
  });

const policySet = (): fc.Arbitrary<PolicySet> =>
  fc.record({
    name: fc.constant("set"),
    overridable: fc.boolean(),
    error: fc.constantFrom("", "", "", "", "boom"),
    outcomes: fc.array(outcome(), { maxLength: 4 }),
  });

const phaseMs = () => fc.constantFrom(0, 0, 1, 999, 60_000);

const newRun = (): fc.Arbitrary<Omit<CreateRunOptions, "workspace">> =>
  fc.record(
    {
      planOnly: fc.boolean(),
      hasChanges: fc.boolean(),
      autoApply: fc.boolean(),
      allowEmptyApply: fc.boolean(),
      planFails: fc.constantFrom(false, false, false, true),
      applyFails: fc.constantFrom(false, false, true),
      policyChecks: fc.uniqueArray(
        fc.record({
          scope: fc.constantFrom("organization", "workspace"),
          policies: fc.array(policy(), { maxLength: 4 }),
          engineError: fc.constantFrom(false, false, false, true),
        }),
        { selector: ({ scope }) => scope, maxLength: 2 },
      ),
      policyEvaluation: fc.record({ policySets: fc.array(policySet(), { maxLength: 4 }) }),
      timing: fc.oneof(
        fc.constantFrom("immediate", "manual", "manual"),
        fc.record({
          queueMs: phaseMs(),
          planMs: phaseMs(),
          evaluationMs: phaseMs(),
          checkMs: phaseMs(),
          applyMs: phaseMs(),
        }),
      ),
    },
    { requiredKeys: [] },
  );

const MOVES = ["step", "step", "step", "confirm", "discard", "cancel", "overrideCheck", "overrideStage"] as const;

type Action =
  | { readonly do: "create"; readonly run: Omit<CreateRunOptions, "workspace"> }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "move"; readonly run: number; readonly move: (typeof MOVES)[number] };

const action = (): fc.Arbitrary<Action> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ do: fc.constant("create" as const), run: newRun() }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1, 500, 60_000, 240_000) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant("move" as const), run: fc.nat(3), move: fc.constantFrom(...MOVES) }),
    },
  );

const story = () => fc.array(action(), { minLength: 4, maxLength: 30 });

// --- the world ------------------------------------------------------------------------------------------------------

interface World {
  readonly sim: Simulator;
  readonly token: string;
  readonly created: ReturnType<Simulator["runs"]["createRun"]>[];
}

function newWorld(): World {
  const sim = createSimulator({ seed: 3 });
  sim.runs.createOrganization({ name: "acme" });
  sim.runs.createWorkspace({ organization: "acme", name: "prod", id: "ws-1" });
  const { token } = sim.runs.createToken({ kind: "user", organization: "acme", grants: { owner: true } });
  return { sim, token, created: [] };
}

/** Does something; false when it was refused. */
function perform(world: World, what: Action): boolean {
  const { sim, created } = world;
  switch (what.do) {
    case "create":
      created.push(sim.runs.createRun({ workspace: "ws-1", ...what.run }));
      return true;
    case "wait":
      sim.clock.advance(what.ms);
      return true;
    case "move":
      return move(world, what);
    default:
      return what satisfies never;
  }
}

function move({ sim, token, created }: World, { run, move: wanted }: Extract<Action, { do: "move" }>): boolean {
  const target = created[run % Math.max(1, created.length)];
  if (target === undefined) return true;
  const client = sim.runs.as(token);
  const before = { position: sim.position, hash: sim.stateHash() };
  try {
    if (wanted === "overrideCheck") {
      for (const id of target.policyCheckIds) client.policyChecks.override({ id });
    } else if (wanted === "overrideStage") {
      for (const id of target.taskStageIds) client.taskStages.override({ id });
    } else sim.runs.run(target.id)[wanted]();
    return true;
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    expect(error).toMatchObject({ status: 409 });
    // The second of two overrides may be refused after the first was done.
    if (wanted !== "overrideCheck") expect({ position: sim.position, hash: sim.stateHash() }).toEqual(before);
    return false;
  }
}

// --- what always holds ----------------------------------------------------------------------------------------------

const FINAL = new Set(["policy_soft_failed", "applied", "planned_and_finished", "discarded", "errored", "canceled"]);

/** Everything that can be read of a world, by type and id. */
function shown({ sim, token, created }: World) {
  const client = sim.runs.as(token);
  const all = new Map<
    string,
    { status: string; stamps: Record<string, string>; attributes: Record<string, unknown> }
  >();
  const add = (resource: { type: string; id: string; attributes: object }): void => {
    const attributes = resource.attributes as Record<string, unknown>;
    const stamps = { ...(attributes["status-timestamps"] as Record<string, string>) };
    all.set(`${resource.type} ${resource.id}`, { status: attributes["status"] as string, stamps, attributes });
  };
  for (const { id, taskStageIds } of created) {
    const checks = client.policyChecks.list({ run_id: id }, { include: "run" });
    for (const check of [...checks.data, ...(checks.included ?? [])]) add(check);
    for (const stage of client.taskStages.list({ run_id: id }).data) add(stage);
    for (const stage of taskStageIds) {
      for (const evaluation of client.policyEvaluations.list({ task_stage_id: stage }).data) add(evaluation);
    }
  }
  return all;
}

function expectSoundCounters({ sim, token, created }: World): void {
  const client = sim.runs.as(token);
  for (const { id, policyEvaluationIds } of created) {
    for (const { attributes } of client.policyChecks.list({ run_id: id }).data) {
      const { result } = attributes;
      if (result === null) continue;
      expect(result["total-failed"]).toBe(result["hard-failed"] + result["soft-failed"] + result["advisory-failed"]);
      expect(result.result).toBe(result["hard-failed"] + result["soft-failed"] === 0);
    }
    for (const evaluation of policyEvaluationIds) {
      const sums = { "advisory-failed": 0, errored: 0, "mandatory-failed": 0, passed: 0 };
      const { data } = client.policySetOutcomes.list({ policy_evaluation_id: evaluation });
      for (const { attributes } of data) {
        const counted = Object.values(attributes["result-count"]).reduce((sum, count) => sum + count, 0);
        expect(counted).toBe(attributes.outcomes.length + (attributes.error === "" ? 0 : 1));
        for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += attributes["result-count"][name];
      }
      expect(client.policyEvaluations.read({ id: evaluation }).data.attributes["result-count"]).toEqual(sums);
    }
  }
}

describe("runs and their policy resources", () => {
  property([story()], runs(150))(
    "count what they have, keep their timestamps, and stay when they are final",
    (actions) => {
      const world = newWorld();
      let before = shown(world);
      for (const what of actions) {
        perform(world, what);
        expectSoundCounters(world);
        const after = shown(world);
        for (const [key, { status, stamps, attributes }] of before) {
          const now = after.get(key);
          if (key.startsWith("runs ") && FINAL.has(status)) expect(now?.attributes).toEqual(attributes);
          for (const [stamp, at] of Object.entries(stamps)) expect((now?.stamps[stamp] ?? "") >= at).toBe(true);
          if (!key.startsWith("task-stages") && !key.startsWith("runs")) {
            for (const [stamp, at] of Object.entries(stamps)) expect(now?.stamps[stamp]).toBe(at);
          }
        }
        before = after;
      }
    },
  );

  property([story()], runs(60))("are led to by their log, folded or decided again", async (actions) => {
    const world = newWorld();
    for (const what of actions) perform(world, what);
    const log = world.sim.log.toNdjson();
    expect(replay(log).stateHash()).toBe(world.sim.stateHash());
    expect(replay(log).log.toNdjson()).toBe(log);
    expect(await rehearse(log)).toEqual({ ok: true });
  });

  property([story(), fc.nat(30)], runs(60))("of a fork do not touch those of its parent", (actions, at) => {
    const world = newWorld();
    for (const what of actions.slice(0, at)) perform(world, what);
    const hash = world.sim.stateHash();
    const fork = { ...world, sim: world.sim.fork(), created: [...world.created] };
    for (const what of actions.slice(at)) perform(fork, what);
    expect(world.sim.stateHash()).toBe(hash);
    for (const what of actions.slice(at)) perform(world, what);
    expect(world.sim.stateHash()).toBe(fork.sim.stateHash());
    expect(shown(world)).toEqual(shown(fork));
  });

  property([story()], runs(60))("have no deadline once nothing moves any more", (actions) => {
    const world = newWorld();
    for (const what of actions) perform(world, what);
    world.sim.clock.advance("1h");
    expect(world.sim.clock.pending()).toEqual([]);
  });
});

describe("walking all pages", () => {
  const sets = fc.array(policySet(), { maxLength: 60 });
  const filter = fc.array(
    fc.record(
      {
        status: fc.constantFrom("passed", "failed", "errored"),
        enforcementLevel: fc.constantFrom("advisory", "mandatory"),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  );

  property([sets, fc.integer({ min: 1, max: 120 }), filter], runs(100))(
    "of outcomes gives each that the filter chooses once, in order",
    (policySets, size, groups) => {
      const { sim, token } = newWorld();
      const created = sim.runs.createRun({ workspace: "ws-1", policyEvaluation: { policySets } });
      const policy_evaluation_id = created.policyEvaluationIds[0] as string;
      const { policySetOutcomes } = sim.runs.as(token);
      const all = walk((number) => policySetOutcomes.list({ policy_evaluation_id }, { page: { number, size: 100 } }));
      const walked = walk((number) =>
        policySetOutcomes.list({ policy_evaluation_id }, { page: { number, size }, filter: groups }),
      );
      expect(walked.map(({ id }) => id)).toEqual(
        all.filter((set) => isChosen(set.attributes, groups)).map(({ id }) => id),
      );
      expect(all).toHaveLength(policySets.length);
    },
  );

  property([fc.integer({ min: 1, max: 3 })], runs(5))("of checks and stages gives each once", (size) => {
    const { sim, token } = newWorld();
    const created = sim.runs.createRun({
      workspace: "ws-1",
      policyChecks: [{ policies: [] }, { scope: "workspace", policies: [] }],
      policyEvaluation: { policySets: [] },
    });
    const client = sim.runs.as(token);
    const page = (number: number) => ({ page: { number, size } });
    const checks = walk((number) => client.policyChecks.list({ run_id: created.id }, page(number)) as never);
    expect(checks.map(({ id }) => id)).toEqual(created.policyCheckIds);
    const stages = walk((number) => client.taskStages.list({ run_id: created.id }, page(number)));
    expect(stages.map(({ id }) => id)).toEqual(created.taskStageIds);
    const [task_stage_id] = created.taskStageIds as [string];
    const evaluations = walk((number) => client.policyEvaluations.list({ task_stage_id }, page(number)));
    expect(evaluations.map(({ id }) => id)).toEqual(created.policyEvaluationIds);
  });
});

interface PageOf<T> {
  readonly data: readonly T[];
  readonly meta: { readonly pagination: { readonly "next-page": number | null } };
}

function walk<T extends { readonly id: string }>(page: (number: number) => PageOf<T>): T[] {
  const items: T[] = [];
  for (let number: number | null = 1; number !== null; ) {
    const { data, meta } = page(number);
    items.push(...data);
    number = meta.pagination["next-page"];
  }
  return items;
}

/** The rule of the filter, word by word (decisions-policy-checks.md, 6.4). */
function isChosen(
  {
    error,
    outcomes,
  }: { readonly error: string; readonly outcomes: readonly { status: string; enforcement_level: string | null }[] },
  groups: readonly { readonly status?: string; readonly enforcementLevel?: string }[],
): boolean {
  const chosen = groups.filter(({ status }) => status !== undefined);
  if (chosen.length === 0) return true;
  return chosen.some(({ status, enforcementLevel: level }) => {
    if (status === "errored" && error !== "") return true;
    return outcomes.some(
      (inner) =>
        inner.status === status && (status === "errored" || level === undefined || inner.enforcement_level === level),
    );
  });
}
