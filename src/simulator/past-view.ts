import type { EpochMs } from "../kernel/brand.ts";
import type { Host } from "../kernel/host.ts";
import { DoorKinds, Doors } from "./doors.ts";
import type { WorldService } from "./model.ts";
import type { View } from "./types.ts";
import type { World } from "./world.ts";

/** A simulator as it was at a place: it only reads. */
export class PastView extends Doors implements View {
  readonly #host: Host<World>;

  static readonly #kinds = new DoorKinds<typeof PastView>();

  static over(host: Host<World>, services: readonly WorldService[]): PastView {
    const Kind = PastView.#kinds.for(services, () => class extends PastView {});
    return new Kind(host, services);
  }

  private constructor(host: Host<World>, services: readonly WorldService[]) {
    super(host, services);
    this.#host = host;
    Object.freeze(this);
  }

  get clock(): { now(): EpochMs } {
    return { now: () => this.#host.nowMs };
  }

  protected siteFor(call: string): never {
    throw new TypeError(`${call} is a command, and a view of the past only reads: fork it to go on from there`);
  }

  protected hostAt(): Host<World> {
    throw new TypeError("a view of the past is at one place already");
  }
}
