import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { allCharts } from "../../src/simulator/charts.ts";
import { stateUses } from "./chart-states.ts";

const src = fileURLToPath(new URL("../../src/", import.meta.url));
const states: ReadonlySet<string> = new Set(allCharts().flatMap((chart) => chart.states.map(({ name }) => name)));

/** Who may look at a state or name one without asking its chart, how often, and why: a decision about a lifecycle is not among them. */
const ALLOWED: { readonly [reason: string]: { readonly [file: string]: number } } = {
  "it shows states": {
    "explore/acts.ts": 1,
    "node/story/changes-of-role.ts": 2,
    "node/story/otherwise.ts": 2,
    "scenario/places.ts": 12,
    "services/secrets/cluster/operations.ts": 1,
    "services/secrets/cluster/views.ts": 3,
    "services/secrets/leases/operations.ts": 2,
    "services/secrets/library/views.ts": 1,
    "services/secrets/replication/views.ts": 7,
  },
  "a new object begins in its chart's initial state": {
    "services/scheduler/birth.ts": 1,
    "services/secrets/auth/approle/state.ts": 1,
    "services/secrets/birth.ts": 1,
    "services/secrets/leases/state.ts": 1,
    "services/secrets/oidc/state.ts": 1,
    "services/secrets/orchestrator/rollback/state.ts": 1,
    "services/secrets/snapshots/state.ts": 1,
  },
  "a fold keeps what goes with the state that the fact carries, or an older fact is given it": {
    "services/runs/policy-checks/state.ts": 1,
    "services/runs/policy-evaluations/state.ts": 3,
    "services/runs/runs/state.ts": 5,
    "services/runs/task-stages/state.ts": 1,
    "services/scheduler/regions/state.ts": 4,
    "services/secrets/cluster/state.ts": 3,
    "services/secrets/library/state.ts": 3,
    "services/secrets/oidc/keys/state.ts": 1,
    "services/secrets/replication/folds.ts": 9,
  },
  "the state of one object is part of the judgement about another": {
    "services/runs/runs/judgement.ts": 4,
    "services/scheduler/bootstrap/decide.ts": 2,
    "services/secrets/library/decide.ts": 1,
    "services/secrets/replication/guards.ts": 1,
    "services/secrets/replication/secondary.ts": 2,
  },
  "it looks at where a chart has led, to go on from there": {
    "services/runs/runs/progress.ts": 3,
    "services/runs/task-stages/decide.ts": 1,
    "services/scheduler/control.ts": 1,
    "services/secrets/auth/approle/login.ts": 1,
    "services/secrets/leases/revoke.ts": 1,
    "services/secrets/library/loan.ts": 1,
    "services/secrets/oidc/keys/decide.ts": 1,
    "services/secrets/replication/settle/rewire.ts": 4,
    "services/scheduler/replication/settle.ts": 11,
  },
  "a look-up: who leads, who follows, who is connected, who answers at all": {
    "services/secrets/control.ts": 1,
    "services/secrets/replication/attach.ts": 5,
    "services/secrets/replication/filters/operations.ts": 2,
    "services/secrets/replication/connections.ts": 2,
    "services/secrets/replication/links.ts": 2,
    "services/secrets/replication/loss/comparison.ts": 2,
    "services/secrets/replication/lineage/state.ts": 2,
    "services/secrets/replication/primary.ts": 1,
    "services/secrets/replication/roles.ts": 4,
    "services/secrets/replication/settle/entry.ts": 1,
    "services/secrets/replication/settle/ship.ts": 3,
    "services/secrets/replication/state.ts": 2,
    "services/secrets/serve.ts": 1,
    "services/secrets/settle.ts": 2,
    "services/secrets/world.ts": 3,
  },
  "the same words of something without a chart: outcomes of single policies": {
    "services/runs/policy-set-outcomes/count.ts": 1,
    "services/runs/runs/create.ts": 1,
  },
};

test("nobody compares or sets the state of an object with a chart, but who is allowed to", () => {
  const allowed = new Map(Object.values(ALLOWED).flatMap((files) => Object.entries(files)));
  const surprises = readdirSync(src, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const uses = stateUses(file, readFileSync(src + file, "utf8"), states);
      const count = allowed.get(file) ?? 0;
      if (uses.length === count) return [];
      return [`${file}, ${count} allowed:`, ...uses.map(({ line, text }) => `  ${line}: ${text}`)];
    });
  expect(surprises).toEqual([]);
});

test.each([
  ['if (status === "sealed") refuse();', 'status === "sealed"'],
  ['if ("sealed" !== seal?.status) refuse();', '"sealed" !== seal?.status'],
  ['switch (role.mode) { case "primary": refuse(); }', "role.mode"],
  ['record({ type: "X", data: { status: "ended" } });', 'status: "ended"'],
  ['lease.status = "ended";', 'lease.status = "ended"'],
])("sees %s", (source, text) => {
  expect(stateUses("a.ts", source, states)).toEqual([{ line: 1, text }]);
});

test.each([
  'const next = step(machine, status, {}, { type: "end" }); record({ status: next.value });',
  'type Fact = { readonly status: "ended" };',
  'const word = kind === "refused" ? "ended" : "live";',
  'if (status === "none of a chart") refuse();',
  'if (status !== before) arrivedAt(next, "ended");',
])("sees nothing in %s", (source) => {
  expect(stateUses("a.ts", source, states)).toEqual([]);
});
