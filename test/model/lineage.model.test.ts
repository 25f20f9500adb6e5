import { expect, test } from "vitest";
import { playSchedules } from "../support/lineage-run.ts";
import { runs } from "../support/runs.ts";

// A hundred thousand others are played by `npm run test:long` (../long/lineage.test.ts).
test("loss reports are what clients were told and clusters lack", async () => {
  await expect(playSchedules(runs(1_000))).resolves.toBeUndefined();
});

test.each([1, 2, 3, 4])("and so they are in thousands of other schedules, %i", { tags: "full" }, async (part) => {
  const { seed, numRuns } = runs(1_000);
  await expect(playSchedules({ seed: seed + part, numRuns })).resolves.toBeUndefined();
});
