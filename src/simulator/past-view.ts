import type { EpochMs } from "../kernel/brand.ts";
import type { Host } from "../kernel/host.ts";
import type { ClusterSite } from "../services/secrets/clusters-handle.ts";
import { Doors } from "./doors.ts";
import type { View } from "./types.ts";
import type { World } from "./world.ts";

/** A simulator as it was at a place: it only reads. */
export class PastView extends Doors implements View {
  readonly #host: Host<World>;

  constructor(host: Host<World>) {
    super(host);
    this.#host = host;
    Object.freeze(this);
  }

  get clock(): { now(): EpochMs } {
    return { now: () => this.#host.nowMs };
  }

  protected freeUrlOf(): string {
    throw new TypeError("addRegion is a command, and a view of the past only reads: fork it to go on from there");
  }

  protected clusterSite(): ClusterSite {
    throw new TypeError("addCluster is a command, and a view of the past only reads: fork it to go on from there");
  }

  protected hostAt(): Host<World> {
    throw new TypeError("a view of the past is at one place already");
  }
}
