import type { Simulator } from "../../simulator/types.ts";
import type { ServedWorld } from "../listener/served-world.ts";
import type { ServedUrls } from "../listener/urls.ts";
import type { KeptWorld } from "./folder.ts";

/** A world among others: what `worlds.create` gives. */
export class WorldAmongOthers {
  /** By which it is called: a DNS label. */
  readonly id: string;
  /** What whoever made it calls it. */
  readonly name: string | undefined;
  /** Opens its part of the admin path, and nothing else. */
  readonly secret: string;
  readonly createdAt: string;
  /** @internal */
  readonly served: ServedWorld;
  /** @internal */
  readonly kept: KeptWorld;
  #askedAtMs = performance.now();

  /** @internal */
  constructor(kept: KeptWorld, served: ServedWorld) {
    this.id = kept.id;
    this.name = kept.name;
    this.secret = kept.secret;
    this.createdAt = kept.createdAt;
    this.kept = kept;
    this.served = served;
  }

  /** The simulator that answers: another one after a reset. */
  get sim(): Simulator {
    return this.served.sim;
  }

  /** Where each service answers, as soon as somebody listens. */
  get urls(): ServedUrls {
    return this.served.urls;
  }

  /** @internal */
  asked(): void {
    this.#askedAtMs = performance.now();
  }

  /** How long nobody has asked it. @internal */
  get idleMs(): number {
    return this.served.isWaitedFor ? 0 : performance.now() - this.#askedAtMs;
  }
}
