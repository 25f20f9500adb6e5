import type { Host } from "../kernel/host.ts";
import type { RunsWorld } from "../services/runs/world.ts";
import type { SchedulerWorld } from "../services/scheduler/world.ts";
import type { SecretsWorld } from "../services/secrets/world.ts";

/** All that answers requests. */
export interface ServedWorld extends SecretsWorld, RunsWorld, SchedulerWorld {}

/** The state that answers a request: the present, or the moment that a header asks for. */
export interface FetchHosts {
  readonly present: () => Host<ServedWorld>;
  /** @throws when the place is unknown or lies ahead */
  readonly past: (place: string) => Host<ServedWorld>;
}
