import { expect, test } from "vitest";
import { createSimulator, defineScenario, runScenario, type Scenario } from "../../src/index.ts";
import { OTHER_ROUTES } from "../contract/driver.ts";
import { playSchedules } from "../support/failover-run.ts";
import { begun, type Story, scenarioText, taken } from "../support/failover-story.ts";
import { runs } from "../support/runs.ts";

/** Every cluster is initialized already. */
const ALWAYS_REFUSED = "secrets.seal.initialize";

// Others, and four times as many, are played by `npm run test:long` (../long/replication.test.ts).
test("whatever operators, clients and networks do, clusters hold what they should", async () => {
  const wanted = runs(2_000);
  const { played, answered } = await playSchedules(wanted);
  expect(played).toBe(wanted.numRuns);
  const operations = createSimulator()
    .operations()
    .filter(({ service, name }) => service === "secrets" && !OTHER_ROUTES.test(name) && name !== ALWAYS_REFUSED);
  expect(operations.filter(({ name }) => !answered.has(name)).map(({ name }) => name)).toEqual([]);
});

test("the text of a story is a scenario in which the same happens", async () => {
  const story: Story = {
    world: { seed: 8, secrets: { clusters: ["a", "b"] } },
    steps: [
      { move: "join", on: "b", other: "a", n: 0 },
      { move: "checkOut", on: "a", other: "b", n: 3 },
      { move: "promote", on: "b", other: "a", n: 0 },
      { move: "minutes", on: "b", other: "a", n: 1 },
    ],
  };
  const sim = await begun(story.world);
  for (const step of story.steps) await taken(sim, step);
  const text = scenarioText(story)
    .replace(/^import .*$/m, "")
    .replace("export const story =", "return");
  const pasted = new Function("defineScenario", text)(defineScenario) as Scenario;
  const report = await runScenario(pasted);
  expect(report.ok).toBe(true);
  expect(report.sim.stateHash()).toBe(sim.stateHash());
  expect(sim.state.secrets["b"]?.ignored.dr.mode).toBe("primary");
});
