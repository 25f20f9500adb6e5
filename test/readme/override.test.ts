import { createSimulator } from "hindcast";
import { expect, test } from "vitest";

// The code under test: it waits until the policies of a run are settled, whoever settles them, and then applies.
interface Gate {
  readonly url: string;
  readonly token: string;
  readonly fetch: typeof fetch;
  /** How it passes the time between two looks. */
  readonly pause: () => Promise<void>;
}

async function waitForOverride(check: string, { url, token, fetch, pause }: Gate): Promise<string> {
  for (;;) {
    const response = await fetch(`${url}/api/v2/policy-checks/${check}?include=run`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    if (response.status === 404) throw new Error(`no such check, or no right to read it: ${check}`);
    if (response.ok) {
      const { included } = (await response.json()) as { included: { attributes: { status: string } }[] };
      const status = included[0]?.attributes.status ?? "";
      if (!["plan_queued", "planning", "policy_checking", "policy_override"].includes(status)) return status;
    }
    await pause();
  }
}

test("the release is applied once a person has overridden the policy", async () => {
  const sim = createSimulator();
  sim.runs.createOrganization({ name: "acme" });
  const { id: workspace } = sim.runs.createWorkspace({ organization: "acme", name: "production" });
  const userToken = (user: string, grant: "read" | "policy-overrides") =>
    sim.runs.createToken({ kind: "user", organization: "acme", user, grants: { workspaces: { [workspace]: [grant] } } })
      .token;
  const [robot, lead] = [userToken("robot", "read"), userToken("lead", "policy-overrides")];

  // What the policies will say is told beforehand; each phase takes its time.
  const { id, policyCheckIds } = sim.runs.createRun({
    workspace,
    timing: { planMs: "2m", checkMs: "10s", applyMs: "3m" },
    policyChecks: [{ policies: [{ name: "change-window", level: "soft-mandatory", result: false }] }],
  });
  const check = policyCheckIds[0] ?? "";
  sim.faults.failNextRequests({ service: "runs", count: 1, status: 503 });

  let looks = 0;
  const status = await waitForOverride(check, {
    url: sim.runs.url,
    token: robot,
    fetch: sim.fetch,
    pause: async () => {
      sim.clock.advance("30s");
      if (++looks === 10) sim.runs.as(lead).policyChecks.override({ id: check, comment: "agreed" });
    },
  });

  expect(status).toBe("policy_checked");
  expect(sim.clock.now()).toBe(Date.UTC(2026, 0, 1, 0, 5));
  sim.runs.run(id).confirm();
  sim.clock.advance("3m");
  expect(sim.runs.run(id).status).toBe("applied");

  // The robot itself has no right to override: for it there is no such action.
  expect(() => sim.runs.as(robot).policyChecks.override({ id: check })).toThrow("not found");
});
