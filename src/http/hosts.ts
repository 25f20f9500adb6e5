import type { Host } from "../kernel/host.ts";
import type { ServiceModule } from "../services/kit/module.ts";

/** Who answers requests, and the state that they answer from: the present, or the moment that a header asks for. */
export interface FetchHosts<W extends object> {
  readonly services: readonly ServiceModule<W>[];
  readonly present: () => Host<W>;
  /** @throws when the place is unknown or lies ahead */
  readonly past: (place: string) => Host<W>;
}
