import { expect, test } from "vitest";
import { playSchedules } from "../support/lineage-run.ts";

// A hundred thousand schedules: other ones each time `HINDCAST_PROPERTY_SEED` says so.
const PARTS = Array.from({ length: 20 }, (_, part) => part);

test.each(PARTS)("no loss report is wrong in five thousand schedules, %i", async (part) => {
  const seed = 1_000 * Number(process.env["HINDCAST_PROPERTY_SEED"] ?? 1) + part;
  await expect(playSchedules({ seed, numRuns: 5_000 })).resolves.toBeUndefined();
});
