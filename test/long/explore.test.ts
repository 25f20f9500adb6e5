import { explore } from "hindcast/explore";
import { describe, expect, test } from "vitest";
import { subjects } from "../explore/mutants/subjects.ts";

const SEEDS = [1, 2, 3, 4, 5];
const SCHEDULES = 100_000;

describe.each(subjects)("the $name", ({ name, asItIs, mutants }) => {
  test.each(mutants.flatMap(({ name: mutant, options }) => SEEDS.map((seed) => ({ mutant, seed, options }))))(
    "with $mutant is found out with seed $seed",
    async ({ options, seed }) => {
      const { failures } = await explore(name, { ...options(), seed, schedules: 2_000, folder: false });
      expect(failures).toHaveLength(1);
      expect(failures[0]?.steps).toBeLessThanOrEqual(12);
      expect(failures[0]?.faults).toBeLessThanOrEqual(3);
    },
  );

  test(`has nothing that breaks it in ${SCHEDULES} schedules`, async () => {
    const { failures } = await explore(name, { ...asItIs(), schedules: SCHEDULES, folder: false });
    expect(failures).toEqual([]);
  });
});
