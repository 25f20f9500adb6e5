import { explore } from "hindcast/explore";
import { describe, expect, test } from "vitest";
import { subjects } from "./subjects.ts";

// What is found is no question of luck: the schedules follow from the seed. Five seeds, and many more schedules of programs in which nothing
// is to be found, are in test/long.

describe.each(subjects)("the $name", ({ name, asItIs, mutants }) => {
  test("has nothing that breaks it in the first hundred schedules", async () => {
    const { failures } = await explore(name, { ...asItIs(), schedules: 100, folder: false });
    expect(failures).toEqual([]);
  });

  test.each(mutants)("with $name is found out: $breaks", { tags: ["full"] }, async ({ options }) => {
    const { failures } = await explore(name, { ...options(), schedules: 2_000, folder: false });
    expect(failures).toHaveLength(1);
    const [failure] = failures;
    expect(failure?.message).not.toContain("did not fail again");
    expect(failure?.steps).toBeLessThanOrEqual(12);
    expect(failure?.faults).toBeLessThanOrEqual(3);
  });
});
