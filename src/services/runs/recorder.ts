import type { EventOf } from "../../kernel/commit.ts";
import type { Decision } from "../../kernel/decision.ts";
import type { RunsEvents } from "./events.ts";
import type { RunsWorld } from "./world.ts";

/** A decision of anybody who may change this service: a request, a timer, or a control call. */
export type RunsRecorder = Decision<RunsWorld, EventOf<RunsEvents>>;
