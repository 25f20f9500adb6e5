import type { Fetch } from "../http/fetch.ts";
import type { LogPosition } from "../kernel/brand.ts";
import type { HandlePlace } from "../kernel/handle.ts";
import { hashOf, hexOf } from "../kernel/hash.ts";
import type { Host } from "../kernel/host.ts";
import type { ProgramsTime } from "../programs/program-time.ts";
import type { ProgramTimers } from "../programs/timers.ts";
import type { Site } from "../services/kit/module.ts";
import type { RunsHandle } from "../services/runs/handle.ts";
import type { RegionHandle, SchedulerHandle } from "../services/scheduler/handle.ts";
import type { ClusterHandle } from "../services/secrets/cluster-handle.ts";
import type { SecretsHandle } from "../services/secrets/clusters-handle.ts";
import type { DirectoryHandle } from "../surroundings/directory/handle.ts";
import { networkHandle } from "../surroundings/network/handle.ts";
import type { OrchestratorHandle } from "../surroundings/orchestrator/handle.ts";
import type { StoresHandle } from "../surroundings/stores/handle.ts";
import { isEnd, type WorldService } from "./model.ts";
import { type Place, placeInText } from "./place.ts";
import { type Program, Programs } from "./programs.ts";
import type { Moments, Network } from "./types.ts";
import type { Settings, World } from "./world.ts";

/** Doors that are made when they are first used: forks are many, and most use few of them. */
export abstract class Doors implements Moments {
  #fetch: Fetch | undefined;
  readonly #handles = new Map<string, object>();
  #network: Network | undefined;
  #programs: Programs | undefined;
  readonly #host: Host<World>;

  declare readonly runs: RunsHandle;
  declare readonly scheduler: SchedulerHandle;
  declare readonly secrets: SecretsHandle;
  declare readonly directory: DirectoryHandle;
  declare readonly stores: StoresHandle;
  declare readonly orchestrator: OrchestratorHandle;
  protected readonly services: readonly WorldService[];

  constructor(host: Host<World>, services: readonly WorldService[]) {
    this.#host = host;
    this.services = services;
  }

  /** The world as it was at a place, for a request that asks for it. */
  protected abstract hostAt(place: Place): Host<World>;

  /** What is known where something is added. @throws TypeError where nothing can be */
  protected abstract siteFor(call: string): Site<Settings>;

  /** The time of programs. @throws TypeError where it does not go on */
  protected time(): ProgramsTime {
    throw new TypeError("a view of the past has no timers: fork it to go on from there");
  }

  get fetch(): Fetch {
    this.#fetch ??= this.#asking.author.fetch;
    return this.#fetch;
  }

  get timers(): ProgramTimers {
    return this.#asking.author.timers;
  }

  program(name: string): Program {
    return this.#asking.of(name);
  }

  programs(): Program[] {
    return this.#asking.all();
  }

  get #asking(): Programs {
    this.#programs ??= new Programs({
      host: this.#host,
      services: this.services,
      past: (place) => this.hostAt(placeInText(place)),
      time: () => this.time(),
    });
    return this.#programs;
  }

  /** A handle of a service, made when it is first used. */
  handleOf(name: string, make: WorldService["calls"]["handles"][string]): object {
    let handle = this.#handles.get(name);
    if (handle === undefined) {
      handle = make(this.#host, "control", (call) => this.siteFor(call) as Site<never>);
      this.#handles.set(name, handle);
    }
    return handle;
  }

  get network(): Network {
    // A program is known by its handle, whoever made that: a fork's line is that of the program of this name.
    const has = (world: World, place: HandlePlace): boolean =>
      place["program"] !== undefined || isEnd(this.services, world, place);
    this.#network ??= Object.freeze(
      Object.assign(
        { ...networkHandle<World, RegionHandle | ClusterHandle | RunsHandle | Program>(this.#host, "control", has) },
        ...this.services.map(({ calls }) => calls.ofNetwork?.(this.#host, "control")),
      ),
    ) as Network;
    return this.#network;
  }

  get state(): World {
    return this.#host.state;
  }

  get position(): LogPosition {
    return this.#host.position;
  }

  stateHash(): string {
    return hexOf(hashOf(this.#host.state));
  }
}

/** Kinds of doors, by the services whose handles are members of each. */
export class DoorKinds<C extends { readonly prototype: Doors }> {
  readonly #kinds = new WeakMap<readonly WorldService[], C>();

  /** The kind for services; `extend` makes a class, to which the members are added. */
  for(services: readonly WorldService[], extend: () => C): C {
    const known = this.#kinds.get(services);
    if (known !== undefined) return known;
    const kind = extend();
    for (const [name, make] of services.flatMap(({ calls }) => Object.entries(calls.handles))) {
      const get = function (this: Doors): object {
        return this.handleOf(name, make);
      };
      Object.defineProperty(kind.prototype, name, { get, enumerable: true });
    }
    this.#kinds.set(services, kind);
    return kind;
  }
}
