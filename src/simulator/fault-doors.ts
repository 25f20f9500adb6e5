import type { Host } from "../kernel/host.ts";
import { Doors, withHandles } from "./doors.ts";
import { injectedFaults } from "./faults.ts";
import type { WorldService } from "./model.ts";
import type { InjectedFaults } from "./types.ts";
import type { World } from "./world.ts";

/** The handles of a simulator over another host: what they are asked to do is only taken down. */
export class FaultDoors extends Doors {
  readonly faults: InjectedFaults;

  /** Those of other services have other handles. */
  static readonly #kinds = new WeakMap<readonly WorldService[], typeof FaultDoors>();

  static over(host: Host<World>, services: readonly WorldService[]): FaultDoors {
    let Kind = FaultDoors.#kinds.get(services);
    if (Kind === undefined) {
      Kind = withHandles(class extends FaultDoors {}, services);
      FaultDoors.#kinds.set(services, Kind);
    }
    return new Kind(host, services);
  }

  private constructor(host: Host<World>, services: readonly WorldService[]) {
    super(host, services);
    this.faults = injectedFaults(host, "control", services);
  }

  protected hostAt(): Host<World> {
    throw new TypeError(NOT_A_FAULT);
  }

  protected siteFor(): never {
    throw new TypeError(NOT_A_FAULT);
  }
}

const NOT_A_FAULT = "a request, a region or a cluster that is added is no fault";
