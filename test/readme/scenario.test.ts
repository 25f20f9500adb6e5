import { defineScenario, runScenario } from "hindcast";
import { expect, test } from "vitest";

const tokenExpiry = defineScenario({
  name: "token-expiry",
  title: "A token expires in the middle of a job",
  world: { seed: 3 },
  cast: (sim) => ({
    job: sim.secrets.cluster("main").createToken({ policies: ["default"], ttl: "15m" }).token,
  }),
  steps: [
    {
      title: "The job runs for longer than anybody thought",
      does: (sim) => sim.clock.advance("20m"),
      expectation: "its token is worth nothing any more",
      expect: (sim, { job }) => {
        expect(() => sim.secrets.cluster("main").as(job).library.list()).toThrow("permission denied");
      },
    },
  ],
});

test("the story ends as told", async () => {
  const { ok, steps } = await runScenario(tokenExpiry);
  expect(steps).toMatchObject([{ ok: true, title: "The job runs for longer than anybody thought" }]);
  expect(ok).toBe(true);
});
