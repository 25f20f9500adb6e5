import { expect, test } from "vitest";
import { playSchedules } from "../support/failover-run.ts";

// Thousands of schedules: other ones each time `HINDCAST_PROPERTY_SEED` says so.
test.each([1, 2, 3, 4])("two thousand schedules keep what clusters owe each other, %i", async (part) => {
  const seed = 100 * Number(process.env["HINDCAST_PROPERTY_SEED"] ?? 1) + part;
  expect((await playSchedules({ seed, numRuns: 2_000 })).played).toBe(2_000);
});
