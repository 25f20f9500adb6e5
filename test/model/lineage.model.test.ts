import { test } from "vitest";
import { playSchedules } from "../support/lineage-run.ts";
import { runs } from "../support/runs.ts";

// A hundred thousand others are played by `npm run test:long` (../long/lineage.test.ts).
test("loss reports are what clients were told and clusters lack", async ({ expect }) => {
  await expect(playSchedules(runs(1_000))).resolves.toBeUndefined();
});

test("and so they are in thousands of other schedules", { tags: "full" }, async ({ expect }) => {
  const { seed, numRuns } = runs(4_000);
  await expect(playSchedules({ seed: seed + 1, numRuns })).resolves.toBeUndefined();
});
