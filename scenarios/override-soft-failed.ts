import { defineScenario, type Simulator } from "../src/index.ts";
import { expectEqual, expectRefusal } from "./support/expectations.ts";

const WORKSPACE = "ws-production";
const RUN = "run-release";
const CHECK = "polchk-release";

/** A soft failure holds up a release. One who may not tries to override it, then one who may, and the release is applied. */
export const overrideSoftFailed = defineScenario({
  name: "override-soft-failed",
  title: "A release waits for somebody to override a policy",
  world: { seed: 7 },

  cast: (sim) => {
    sim.runs.createOrganization({ name: "acme" });
    sim.runs.createWorkspace({ organization: "acme", name: "production", id: WORKSPACE });
    const user = (name: string, ...grants: ("read" | "apply" | "policy-overrides")[]): string =>
      sim.runs.createToken({
        kind: "user",
        organization: "acme",
        user: name,
        grants: { workspaces: { [WORKSPACE]: grants } },
      }).token;
    return { dev: user("dev", "apply"), lead: user("lead", "policy-overrides") };
  },

  steps: [
    {
      title: "A release is planned, and its policies are asked",
      does: (sim) => {
        sim.runs.createRun({
          workspace: WORKSPACE,
          id: RUN,
          message: "release 42",
          timing: { queueMs: "10s", planMs: "1m", checkMs: "5s", applyMs: "2m" },
          policyChecks: [
            {
              id: CHECK,
              policies: [
                { name: "regions", level: "hard-mandatory", result: true },
                { name: "change-window", level: "soft-mandatory", result: false },
              ],
            },
          ],
        });
        sim.clock.advance("70s");
      },
      expectation: "the plan is done and the check is queued",
      expect: (sim, { dev }) => {
        expectEqual(sim.runs.run(RUN).status, "policy_checking");
        expectEqual(statusOf(sim, dev), "queued");
      },
    },
    {
      title: "A policy fails softly",
      does: (sim) => {
        sim.clock.advance("5s");
        sim.mark("waiting");
      },
      expectation: "the run waits, and both see that the check may be overridden, but only the lead may do it",
      expect: (sim, { dev, lead }) => {
        expectEqual(sim.runs.run(RUN).status, "policy_override");
        expectEqual(flagsOf(sim, dev), [true, false]);
        expectEqual(flagsOf(sim, lead), [true, true]);
        expectEqual(sim.clock.pending(), []);
      },
    },
    {
      title: "The developer tries to override it",
      expectation: "it is as if there were no such check, and nothing has changed",
      expect: async (sim, { dev }) => {
        const { position } = sim;
        expectRefusal("not_found", () => sim.runs.as(dev).policyChecks.override({ id: CHECK }));
        expectEqual(await overrideOverHttp(sim, dev), 404);
        expectEqual(sim.position, position);
      },
    },
    {
      title: "An hour later the lead overrides it",
      does: (sim, { lead }) => {
        sim.clock.advance("1h");
        sim.runs.as(lead).policyChecks.override({ id: CHECK, comment: "agreed with the owners" });
      },
      expectation: "the check is overridden, its result stays, and the run waits to be confirmed",
      expect: async (sim, { lead }) => {
        const { attributes } = sim.runs.as(lead).policyChecks.read({ id: CHECK }).data;
        expectEqual(attributes.status, "overridden");
        expectEqual(attributes.result?.result, false);
        expectEqual(attributes["status-timestamps"]["overridden-at"], "2026-01-01T01:01:15+00:00");
        expectEqual(sim.runs.run(RUN).status, "policy_checked");
        expectEqual(await overrideOverHttp(sim, lead), 409);
      },
    },
    {
      title: "The release is confirmed and applied",
      does: (sim) => {
        sim.runs.run(RUN).confirm();
        sim.clock.advance("2m");
      },
      expectation: "it is applied, and nothing moves any more",
      expect: (sim) => {
        expectEqual(sim.runs.run(RUN).status, "applied");
        expectRefusal("transition_not_allowed", () => sim.runs.run(RUN).cancel());
        expectEqual(sim.clock.pending(), []);
      },
    },
    {
      title: "What if nobody had dared?",
      expectation: "in a fork from before, the release is discarded and the check stays soft_failed",
      expect: async (sim, { lead }) => {
        const other = sim.fork("waiting");
        other.runs.run(RUN).discard();
        expectEqual(statusOf(other, lead), "soft_failed");
        expectEqual(flagsOf(other, lead), [false, true]);
        expectEqual(await overrideOverHttp(other, lead), 409);
      },
    },
  ],
});

function statusOf(sim: Simulator, token: string): string {
  return sim.runs.as(token).policyChecks.read({ id: CHECK }).data.attributes.status;
}

/** Whether the check may be overridden, and whether by this caller. */
function flagsOf(sim: Simulator, token: string): readonly [boolean, boolean] {
  const { actions, permissions } = sim.runs.as(token).policyChecks.read({ id: CHECK }).data.attributes;
  return [actions["is-overridable"], permissions["can-override"]];
}

async function overrideOverHttp(sim: Simulator, token: string): Promise<number> {
  const response = await sim.fetch(`${sim.runs.url}/api/v2/policy-checks/${CHECK}/actions/override`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/vnd.api+json" },
  });
  return response.status;
}
