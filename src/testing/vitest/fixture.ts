import { type TestAPI, test as vitestTest } from "vitest";
import type { ExploreFailure, ExploreOptions } from "../../explore/index.ts";
import { createSimulator, type Simulator, type SimulatorOptions } from "../../index.ts";
import { shown } from "../../languages/shown.ts";
import { followChains } from "../../programs/install.ts";
import { readOptionsOf } from "../../simulator/read-options.ts";
import { worldModel } from "../../simulator/services.ts";
import { type Traces, Watch } from "./failure.ts";

/** What the tests of `hindcast/vitest` are given. */
export interface SimFixtures {
  /** A simulator that only this test has, made when it is first asked for and disposed of when the test has ended. */
  readonly sim: Simulator;
  /** The options with which it is made. Default: none. */
  readonly simOptions: SimulatorOptions;
  /**
   * The folder for the logs of failed tests, below the root of the tests; false for none. Default `"hindcast-failures"`: no hidden one,
   * because what uploads the artifacts of a build leaves those out.
   */
  readonly simLogs: string | false;
  /**
   * Which tests leave a page that shows their run, beside where their logs are: it opens in a browser from the disk. `index.html` of that
   * folder lists the pages. Default `"on-failure"`.
   */
  readonly simTraces: Traces;
  /**
   * Whether the timers of the simulator take the place of the platform's for the time of the test, for it and all that it starts. Default
   * false. Set it within a suite: where `isolate` is false, vitest takes an override at the top of a file along to the files after it.
   *
   * @example
   * describe("the keeper", () => {
   *   test.override({ simTimers: true });
   * });
   */
  readonly simTimers: boolean;
}

/** A test function whose tests have a simulator. */
export type SimTest = TestAPI<SimFixtures> & {
  /**
   * A test that explores: it plays schedules of faults, and fails with the first in which something does not hold. What failed is shrunk,
   * and leaves a scenario, a log and a page in the folder of `simLogs`. It has no time limit: give it fewer `schedules`, or a `budget`.
   *
   * Needs the package fast-check.
   *
   * @example
   * test.explore("the shop loses no order", {
   *   world: () => createSimulator({ secrets: { clusters: ["east", "west"] } }),
   *   programs: { shop: (program) => new Shop(program).start() },
   *   faults: { lines: true, requests: true },
   *   finally: [losesNoOrder],
   *   schedules: 200,
   * });
   */
  readonly explore: (name: string, options: ExploreOptions) => void;
};

// Tests that run at the same time are chains of their own.
followChains();

const LOGS = "hindcast-failures";

/** A test whose simulator is made as the configuration says (`provide: { simOptions }`), or without options. */
export const test: SimTest = testWith([{}, { injected: true }]);

/**
 * A `test` whose simulators are made with options of your own.
 *
 * @throws TypeError naming the option that is wrong
 * @example
 * const test = hindcastTest({ seed: 7, secrets: { clusters: ["east", "west"] } });
 * test("a primary dies", ({ sim, expect }) => { ... });
 */
export function hindcastTest(options: SimulatorOptions): SimTest {
  readOptionsOf(worldModel.services, options);
  return testWith([options, { injected: false }]);
}

type SimOptionsFixture = [SimulatorOptions, { readonly injected: boolean }];

function testWith(simOptions: SimOptionsFixture): SimTest {
  const extended = vitestTest.extend<SimFixtures>({
    simOptions,
    simLogs: [LOGS, { injected: true }],
    simTraces: ["on-failure", { injected: true }],
    simTimers: [false, { injected: true }],
    // The runner reads from these names what a fixture needs.
    sim: async ({ simOptions, simLogs, simTraces, simTimers, task, onTestFailed, onTestFinished }, use) => {
      const keeping = { folder: folderOf(simLogs), traces: tracesOf(simTraces) };
      if (typeof simTimers !== "boolean") throw new TypeError(`simTimers is ${shown(simTimers)}: it is true or false`);
      const sim = createSimulator({ ...simOptions, history: { callSites: true, ...simOptions.history } });
      const watch = new Watch(task, sim, keeping);
      // Not when the fixture ends: what fails after that, or ends before it, would be missed.
      onTestFailed(() => watch.failed());
      onTestFinished(() => watch.ended());
      // Before anything is waited for: the chain that goes on after that is the test's. Disposing takes it back.
      if (simTimers) sim.timers.install();
      await use(sim);
      watch.ending();
      sim.dispose();
    },
  });
  return Object.assign(extended, {
    explore: (name: string, options: ExploreOptions): void => {
      extended(name, { timeout: 0 }, async ({ simLogs, expect }) => {
        // Who does not explore needs no fast-check.
        const { explore } = await import("../../explore/index.ts");
        const { failures } = await explore(name, { folder: folderOf(simLogs), ...options });
        const [failure] = failures;
        if (failure !== undefined) throw new Error(toldOf(failure));
        expect(failures).toEqual([]);
      });
    },
  });
}

function toldOf({ judge, message, schedule, found, files, repeat }: ExploreFailure): string {
  const left = Object.entries(files).map(([what, file]) => `${what}: ${file}`);
  return [`${judge}: ${message}`, "", `schedule ${found}, shrunk: ${schedule}`, ...left, `again: ${repeat}`].join("\n");
}

function folderOf(simLogs: unknown): string | false {
  if (simLogs === false || (typeof simLogs === "string" && simLogs !== "")) return simLogs;
  throw new TypeError(`simLogs is ${shown(simLogs)}: it is a folder, or false for none`);
}

function tracesOf(simTraces: unknown): Traces {
  if (simTraces === "on-failure" || simTraces === "always" || simTraces === "never") return simTraces;
  throw new TypeError(`simTraces is ${shown(simTraces)}: it is "on-failure", "always" or "never"`);
}
