import type { Program, RegionHandle } from "hindcast";
import * as runs from "hindcast/runs";
import type * as scheduler from "hindcast/scheduler";
import * as secrets from "hindcast/secrets";
import { describe, expectTypeOf, test } from "vitest";

describe("the entry of a service", () => {
  test("gives simulators that have this service alone, also in forks and views", () => {
    expectTypeOf<runs.Simulator>().toHaveProperty("runs");
    expectTypeOf<runs.Simulator>().not.toHaveProperty("secrets");
    expectTypeOf<runs.Simulator>().not.toHaveProperty("directory");
    expectTypeOf<runs.Simulator>().not.toHaveProperty("lossReport");
    expectTypeOf<runs.Simulator["state"]>().not.toHaveProperty("secrets");
    expectTypeOf<scheduler.Simulator["fork"]>().returns.toEqualTypeOf<scheduler.Simulator>();
    expectTypeOf<scheduler.Simulator["at"]>().returns.toEqualTypeOf<scheduler.View>();
    expectTypeOf<secrets.Simulator>().toHaveProperty("lossReport");
    expectTypeOf<secrets.Simulator>().toHaveProperty("orchestrator");
  });

  test("takes the options of this service alone", () => {
    expectTypeOf(runs.createSimulator).returns.toEqualTypeOf<runs.Simulator>();
    // @ts-expect-error the secrets service is not there
    runs.createSimulator({ secrets: {} });
    // @ts-expect-error nor is the scheduler
    secrets.createSimulator({ scheduler: {} });
  });

  test("connects and fails its own places alone", () => {
    expectTypeOf<scheduler.Simulator["network"]["cut"]>().parameters.toEqualTypeOf<
      [RegionHandle | Program, RegionHandle | Program]
    >();
    expectTypeOf<runs.FailRequestsOptions["service"]>().toEqualTypeOf<"runs">();
  });
});
