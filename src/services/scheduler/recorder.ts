import type { EventOf } from "../../kernel/commit.ts";
import type { Decision } from "../../kernel/decision.ts";
import type { SchedulerEvents } from "./events.ts";
import type { SchedulerWorld } from "./world.ts";

/** A decision of anybody who may change this service: a request, a timer, or a control call. */
export type SchedulerRecorder = Decision<SchedulerWorld, EventOf<SchedulerEvents>>;
