import { expect } from "vitest";
import type { SimulatorOptions } from "../../index.ts";
import type { FailedSimulation } from "./failure.ts";
import { toHaveRecorded } from "./matchers/recorded.ts";
import { toBeRejectedWith } from "./matchers/rejected.ts";
import { toHaveState } from "./matchers/state.ts";
import type { SimMatchers } from "./matchers/types.ts";

export type { FailedSimulation } from "./failure.ts";
export { hindcastTest, type SimFixtures, type SimTest, test, test as it } from "./fixture.ts";
export type { EventPart, RejectionCode, RejectionPart, SimMatchers } from "./matchers/types.ts";

// Whoever imports this entry has the matchers.
expect.extend({ toHaveRecorded, toBeRejectedWith, toHaveState });

declare module "vitest" {
  interface Matchers<T> extends SimMatchers<T> {}
  interface ProvidedContext {
    simOptions?: SimulatorOptions;
    simLogs?: string | false;
    simTraces?: "on-failure" | "always" | "never";
    simTimers?: boolean;
  }
  interface TaskMeta {
    hindcast?: FailedSimulation;
  }
}
