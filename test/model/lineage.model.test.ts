import { test } from "vitest";
import { playSchedules } from "../support/lineage-run.ts";
import { runs } from "../support/runs.ts";

// A hundred thousand others are played by `npm run test:long` (../long/lineage.test.ts).
test("loss reports are what clients were told and clusters lack", async ({ expect }) => {
  await expect(playSchedules(runs(600))).resolves.toBeUndefined();
});

test("and so they are in hundreds of other schedules", { tags: "full" }, async ({ expect }) => {
  const { seed, numRuns } = runs(600);
  await expect(playSchedules({ seed: seed + 1, numRuns })).resolves.toBeUndefined();
});
