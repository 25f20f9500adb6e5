import { expect, test } from "vitest";
import { counts, playSchedules } from "../support/lineage-run.ts";
import { runs } from "../support/runs.ts";

test("loss reports are exactly what clients were told and clusters lack", async () => {
  const wanted = runs(200);
  const t = performance.now();
  try {
    await playSchedules(wanted);
  } finally {
    console.log(counts, performance.now() - t);
  }
  expect(counts.schedules).toBeGreaterThan(0);
});
