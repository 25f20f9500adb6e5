import type { EventOf } from "../../kernel/commit.ts";
import type { Decision } from "../../kernel/decision.ts";
import type { SecretsEvents } from "./events.ts";
import type { SecretsWorld } from "./world.ts";

/** A decision of anybody who may change this service: a request, a timer, or a control call. */
export type SecretsRecorder = Decision<SecretsWorld, EventOf<SecretsEvents>>;
