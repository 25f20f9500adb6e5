import { describe, expect, expectTypeOf, test } from "vitest";
import type { DeadlineCheck, Simulator, SimulatorOptions } from "../../src/index.ts";
import { hindcastTest, test as simTest } from "../../src/testing/vitest/index.ts";

declare const sim: Simulator;
declare const call: () => { readonly token: string };
declare const asyncCall: () => Promise<string>;

describe("hindcast/vitest", () => {
  test("gives tests a simulator, and takes the options of one", () => {
    simTest("", ({ sim, simOptions, simLogs }) => {
      expectTypeOf(sim).toEqualTypeOf<Simulator>();
      expectTypeOf(simOptions).toEqualTypeOf<SimulatorOptions>();
      expectTypeOf(simLogs).toEqualTypeOf<string | false>();
    });
    hindcastTest({ seed: 7, secrets: { clusters: ["east"] } }).concurrent.for([1])("", (one, { sim }) => {
      expectTypeOf(one).toEqualTypeOf<number>();
      expectTypeOf(sim).toEqualTypeOf<Simulator>();
    });
    simTest.override({ simOptions: { seed: 1 }, simLogs: false });
    // @ts-expect-error a simulator has no such option
    hindcastTest({ sed: 7 });
    // @ts-expect-error logs go to a folder, or nowhere
    simTest.override("simLogs", true);
  });

  test("knows events and codes by name, and takes matchers in their place", () => {
    expect(sim).toHaveRecorded("KvWritten", 1);
    expect(sim).toHaveRecorded({ type: expect.stringContaining("Kv"), data: { path: "a" } });
    // @ts-expect-error no event has this type
    expect(sim).toHaveRecorded("KvWriten");
    // @ts-expect-error an event has no such member
    expect(sim).toHaveRecorded({ typ: "KvWritten" });
    expect(sim).toHaveState("secrets.main", { name: "main" });
    expect(sim).toHaveState({ secrets: {} });
    // @ts-expect-error a part of the state has no path
    expect(sim).toHaveState({ secrets: {} }, 1);
    expect(call).toBeRejectedWith("sealed", { status: 503, data: {} });
    // @ts-expect-error a refusal has no other parts
    expect(call).toBeRejectedWith("sealed", { code: 503 });
  });

  test("gives a promise where a call gives one", () => {
    expectTypeOf(expect(call).toBeRejectedWith("sealed")).toEqualTypeOf<void>();
    expectTypeOf(expect(asyncCall).toBeRejectedWith("sealed")).toEqualTypeOf<Promise<void>>();
    expectTypeOf(expect(asyncCall()).not.toBeRejectedWith("sealed")).toEqualTypeOf<Promise<void>>();
    expectTypeOf(expect(sim).toHaveState("secrets")).toEqualTypeOf<void>();
    expectTypeOf(expect.toHaveState("secrets")).toEqualTypeOf<unknown>();
  });
});

test("a check around a deadline may be async, and knows its offset", () => {
  expectTypeOf(sim.forEachDeadline).parameters.toEqualTypeOf<[DeadlineCheck]>();
  expectTypeOf(sim.forEachDeadline).returns.resolves.toEqualTypeOf<number>();
  void sim.forEachDeadline(async (deadline, fork, offsetMs) => {
    expectTypeOf(deadline.command).toEqualTypeOf<string | undefined>();
    if (deadline.timer === undefined) expectTypeOf(deadline.command).toEqualTypeOf<string>();
    else expectTypeOf(deadline.program).toEqualTypeOf<string>();
    expectTypeOf(fork).toEqualTypeOf<Simulator>();
    expectTypeOf(offsetMs).toEqualTypeOf<-1 | 0 | 1>();
  });
  // @ts-expect-error a check is a function
  void sim.forEachDeadline("check");
});
