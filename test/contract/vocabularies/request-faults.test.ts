import { expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";

it("a rule has the path of a request in the words of the wire, whichever door the request comes by", async () => {
  const sim = createSimulator({
    vocabulary: {
      secrets: { segments: { orchestrator: "kubernetes" } },
      scheduler: { segments: { acl: "access" } },
      runs: { segments: { "policy-checks": "rule-checks" } },
    },
  });
  const main = sim.secrets.cluster("main");
  const region = sim.scheduler.region("global");
  const asked = [
    [`${main.url}/v1/kubernetes/config`, () => main.as(main.rootToken).orchestrator.config.read({})],
    [`${region.url}/v1/access/policies`, () => region.as().policies.list()],
    [`${sim.runs.url}/api/v2/rule-checks/polchk-1`, () => sim.runs.as("t").policyChecks.read({ id: "polchk-1" })],
  ] as const;
  for (const [url, call] of asked) {
    const path = new URL(url).pathname;
    const rule = sim.faults.requests({ path, effect: { kind: "lose-request" } });
    await expect(sim.fetch(url)).rejects.toThrow("fetch failed");
    expect(call).toThrow("fetch failed");
    rule.remove();
    const urls = sim.journal.slice(-2).map((entry) => entry.kind === "request" && entry.request.url);
    expect(urls).toEqual([url, url]);
  }
});
