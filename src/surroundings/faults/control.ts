import * as v from "valibot";
import { readArgument } from "../../kernel/arguments.ts";
import { type EpochMs, epochMs } from "../../kernel/brand.ts";
import { LAST_INSTANT_MS } from "../../kernel/calendar.ts";
import type { Caller, EventOf } from "../../kernel/commit.ts";
import type { Decision } from "../../kernel/decision.ts";
import type { Plain } from "../../kernel/plain.ts";
import type { FaultsEvents, FaultsWorld } from "./state.ts";

/** The handles of a simulator whose calls can be scheduled (control-surface.md, "Network and faults"). */
export const FAULT_SOURCES: readonly string[] = ["directory", "orchestrator", "stores", "network", "faults"];

const plain = v.custom<Plain>((given) => given !== undefined, "a fault has the input of its call");

const scheduled = v.strictObject({
  dueAtMs: v.pipe(
    v.number("a fault is due at an instant"),
    v.integer("an instant is a whole number of milliseconds"),
    v.maxValue(LAST_INSTANT_MS, "the clock ends before"),
  ),
  fault: v.strictObject({
    type: v.pipe(
      v.string("a fault's type is a text"),
      v.check(
        (type) => FAULT_SOURCES.some((source) => type.startsWith(`${source}.`)) && type !== "faults.schedule",
        `a fault's type is a call of ${FAULT_SOURCES.join(", ")}`,
      ),
    ),
    input: plain,
    caller: v.custom<Caller>((given) => typeof given === "object", "a fault has a caller, or null for none"),
  }),
});

/** What schedules a fault: the call as the log would have it, and when it is to be made. */
export interface ScheduleInput {
  readonly dueAtMs: EpochMs;
  readonly fault: FaultsEvents["FaultScheduled"]["fault"];
}

/** Lets a control call of the surroundings be made later. */
export function scheduleFault(decision: Decision<FaultsWorld, EventOf<FaultsEvents>>, input: unknown): void {
  const { dueAtMs, fault } = readArgument(scheduled, "faults.schedule", input);
  if (dueAtMs < decision.nowMs) {
    throw new TypeError(`faults.schedule: ${new Date(dueAtMs).toISOString()} lies before now`);
  }
  decision.record({ type: "FaultScheduled", data: { dueAtMs: epochMs(dueAtMs), fault } });
}
