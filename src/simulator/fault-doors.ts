import type { Host } from "../kernel/host.ts";
import { DoorKinds, Doors } from "./doors.ts";
import { injectedFaults } from "./faults.ts";
import type { WorldService } from "./model.ts";
import type { InjectedFaults } from "./types.ts";
import type { World } from "./world.ts";

/** The handles of a simulator over another host: what they are asked to do is only taken down. */
export class FaultDoors extends Doors {
  readonly faults: InjectedFaults;

  static readonly #kinds = new DoorKinds<typeof FaultDoors>();

  static over(host: Host<World>, services: readonly WorldService[]): FaultDoors {
    const Kind = FaultDoors.#kinds.for(services, () => class extends FaultDoors {});
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
