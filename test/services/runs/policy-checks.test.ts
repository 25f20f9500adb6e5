import { expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { isOverridable } from "../../../src/services/runs/policy-checks/decide.ts";
import type { PolicyCheck } from "../../../src/services/runs/policy-checks/state.ts";

it.each(["pending", "soft_failed", "passed"] as const)(
  "whoever reads a %s check counts none of its policies",
  (status) => {
    const sim = createSimulator();
    sim.runs.createOrganization({ name: "acme" });
    const { id: workspace } = sim.runs.createWorkspace({ organization: "acme", name: "prod" });
    const { policyCheckIds } = sim.runs.createRun({ workspace, timing: "manual", policyChecks: [{ policies: [] }] });
    const known = sim.state.runs?.policyChecks.get(policyCheckIds[0] ?? "");
    const check = {
      ...known,
      status,
      get policies(): never {
        throw new Error("counted");
      },
    };
    expect(isOverridable(sim.state, check as PolicyCheck)).toBe(false);
  },
);
