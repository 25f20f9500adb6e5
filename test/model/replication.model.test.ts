import { env } from "node:process";
import { expect, test } from "vitest";
import { playSchedules } from "../support/failover-run.ts";
import { runs } from "../support/runs.ts";

// Thousands more are played by `npm run test:long` (../long/replication.test.ts).
test("whatever operators, clients and networks do, clusters hold what they should", { timeout: 120_000 }, async () => {
  const wanted = runs(Number(env["N"] ?? 200));
  expect(await playSchedules(wanted)).toBe(wanted.numRuns);
});
