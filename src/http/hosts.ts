import type { Host } from "../kernel/host.ts";
import type { RunsWorld } from "../services/runs/state.ts";
import type { SecretsWorld } from "../services/secrets/state.ts";

/** The state that answers a request: the present, or the moment that a header asks for. */
export interface FetchHosts {
  readonly present: () => Host<SecretsWorld & RunsWorld>;
  /** @throws when the place is unknown or lies ahead */
  readonly past: (place: string) => Host<SecretsWorld & RunsWorld>;
}
