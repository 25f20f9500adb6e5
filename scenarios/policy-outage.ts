import { defineScenario, type Simulator } from "../src/index.ts";
import { expectEqual, expectRefusal } from "./support/expectations.ts";

const WORKSPACE = "ws-production";

const check = (id: string) => ({ id, policies: [{ name: "regions", level: "hard-mandatory" as const, result: true }] });

/** The policies cannot be evaluated. Runs end without an answer, and what waited behind them is never reached. */
export const policyOutage = defineScenario({
  name: "policy-outage",
  title: "The policies cannot be evaluated",
  world: { seed: 11 },

  cast: (sim) => {
    sim.runs.createOrganization({ name: "acme" });
    sim.runs.createWorkspace({ organization: "acme", name: "production", id: WORKSPACE });
    const owner = { kind: "user", organization: "acme", user: "olga", grants: { owner: true } } as const;
    return { olga: sim.runs.createToken(owner).token };
  },

  steps: [
    {
      title: "A run begins whose evaluation will find its data source gone",
      does: (sim) => {
        sim.runs.createRun({
          workspace: WORKSPACE,
          id: "run-errored",
          timing: { planMs: "1m", evaluationMs: "30s" },
          policyEvaluation: {
            id: "poleval-errored",
            taskStageId: "ts-errored",
            policySets: [
              { id: "psout-broken", name: "network", error: "the data source does not answer" },
              {
                id: "psout-whole",
                name: "cost",
                outcomes: [{ policy_name: "budget", query: "data.cost.deny", status: "passed" }],
              },
            ],
          },
          policyChecks: [check("polchk-errored")],
        });
        sim.clock.advance("75s");
      },
      expectation: "the evaluation runs, and has no outcomes yet",
      expect: (sim, { olga }) => {
        expectEqual(evaluationStatus(sim, olga, "poleval-errored"), "running");
        expectEqual(outcomesOf(sim, olga, "poleval-errored"), []);
        expectEqual(checkStatus(sim, olga, "polchk-errored"), "pending");
      },
    },
    {
      title: "The evaluation ends without an answer",
      does: (sim) => {
        sim.clock.advance("15s");
      },
      expectation: "evaluation, stage and run are errored, nobody can override, and the check was never reached",
      expect: (sim, { olga }) => {
        expectEqual(evaluationStatus(sim, olga, "poleval-errored"), "errored");
        expectEqual(outcomesOf(sim, olga, "poleval-errored"), ["psout-broken", "psout-whole"]);
        expectEqual(outcomesOf(sim, olga, "poleval-errored", "errored"), ["psout-broken"]);
        expectEqual(sim.runs.run("run-errored").status, "errored");
        expectEqual(checkStatus(sim, olga, "polchk-errored"), "unreachable");
        const override = () => sim.runs.as(olga).taskStages.override({ id: "ts-errored" });
        expectRefusal("transition_not_allowed", override);
      },
    },
    {
      title: "The next run hangs in its first check, and somebody cancels it",
      does: (sim) => {
        sim.runs.createRun({
          workspace: WORKSPACE,
          id: "run-canceled",
          timing: { checkMs: "1d" },
          policyChecks: [check("polchk-hanging"), { ...check("polchk-behind"), scope: "workspace" }],
        });
        sim.clock.advance("20m");
        sim.runs.run("run-canceled").cancel();
      },
      expectation: "the check under way is canceled, the one behind it unreachable, and neither has a result",
      expect: (sim, { olga }) => {
        expectEqual(sim.runs.run("run-canceled").status, "canceled");
        expectEqual(checkStatus(sim, olga, "polchk-hanging"), "canceled");
        expectEqual(checkStatus(sim, olga, "polchk-behind"), "unreachable");
        const output = (id: string) => sim.runs.as(olga).policyChecks.output({ id });
        expectEqual([output("polchk-hanging") ?? null, output("polchk-behind") ?? null], [null, null]);
        expectEqual(sim.clock.pending(), []);
      },
    },
    {
      title: "Then the service itself fails for two requests",
      does: (sim) => {
        sim.faults.failNextRequests({ service: "runs", count: 2, status: 503 });
      },
      expectation: "a client that tries three times reads the check at last",
      expect: async (sim, { olga }) => {
        const statuses: number[] = [];
        for (let attempt = 0; attempt < 3; attempt++) {
          const headers = { Authorization: `Bearer ${olga}` };
          const response = await sim.fetch(`${sim.runs.url}/api/v2/policy-checks/polchk-hanging`, { headers });
          statuses.push(response.status);
        }
        expectEqual(statuses, [503, 503, 200]);
      },
    },
  ],
});

function checkStatus(sim: Simulator, token: string, id: string): string {
  return sim.runs.as(token).policyChecks.read({ id }).data.attributes.status;
}

function evaluationStatus(sim: Simulator, token: string, id: string): string {
  return sim.runs.as(token).policyEvaluations.read({ id }).data.attributes.status;
}

function outcomesOf(sim: Simulator, token: string, evaluation: string, status?: string): string[] {
  const filter = status === undefined ? [] : [{ status }];
  const { data } = sim.runs.as(token).policySetOutcomes.list({ policy_evaluation_id: evaluation }, { filter });
  return data.map(({ id }) => id);
}
