import { type Fetch, simulatedFetch } from "../http/fetch.ts";
import type { LogPosition } from "../kernel/brand.ts";
import type { HandlePlace } from "../kernel/handle.ts";
import { hashOf, hexOf } from "../kernel/hash.ts";
import type { Host } from "../kernel/host.ts";
import type { Site } from "../services/kit/module.ts";
import { type RunsHandle, runsHandle } from "../services/runs/handle.ts";
import { type RegionHandle, type SchedulerHandle, schedulerHandle } from "../services/scheduler/handle.ts";
import { regionNamed, schedulerOf } from "../services/scheduler/state.ts";
import type { ClusterHandle } from "../services/secrets/cluster-handle.ts";
import { secretsHandle } from "../services/secrets/clusters-handle.ts";
import { clusterNetworkHandle } from "../services/secrets/network/handle.ts";
import { type DirectoryHandle, directoryHandle } from "../surroundings/directory/handle.ts";
import { networkHandle } from "../surroundings/network/handle.ts";
import { type OrchestratorHandle, orchestratorHandle } from "../surroundings/orchestrator/handle.ts";
import { type StoresHandle, storesHandle } from "../surroundings/stores/handle.ts";
import type { WorldService } from "./model.ts";
import { type Place, placeInText } from "./place.ts";
import type { Moments, Network, Secrets } from "./types.ts";
import type { Settings, World } from "./world.ts";

/** Doors that are made when they are first used: forks are many, and most use few of them. */
export abstract class Doors implements Moments {
  #fetch: Fetch | undefined;
  #runs: RunsHandle | undefined;
  #secrets: Secrets | undefined;
  #directory: DirectoryHandle | undefined;
  #orchestrator: OrchestratorHandle | undefined;
  #scheduler: SchedulerHandle | undefined;
  #network: Network | undefined;
  #stores: StoresHandle | undefined;
  readonly #host: Host<World>;

  protected readonly services: readonly WorldService[];

  constructor(host: Host<World>, services: readonly WorldService[]) {
    this.#host = host;
    this.services = services;
  }

  /** The world as it was at a place, for a request that asks for it. */
  protected abstract hostAt(place: Place): Host<World>;

  /** What is known where something is added. @throws TypeError where nothing can be */
  protected abstract siteFor(call: string): Site<Settings>;

  get fetch(): Fetch {
    this.#fetch ??= simulatedFetch({
      services: this.services,
      present: () => this.#host,
      past: (place) => this.hostAt(placeInText(place)),
    });
    return this.#fetch;
  }

  get runs(): RunsHandle {
    this.#runs ??= runsHandle(this.#host, "control");
    return this.#runs;
  }

  get secrets(): Secrets {
    this.#secrets ??= secretsHandle(this.#host, "control", (call) => this.siteFor(call));
    return this.#secrets;
  }

  get scheduler(): SchedulerHandle {
    this.#scheduler ??= schedulerHandle(this.#host, "control", (call) => this.siteFor(call));
    return this.#scheduler;
  }

  get network(): Network {
    const has = (world: World, { region, cluster }: HandlePlace): boolean =>
      region === undefined
        ? cluster !== undefined && Object.hasOwn(world.secrets, cluster)
        : regionNamed(schedulerOf(world), region) !== undefined;
    this.#network ??= Object.freeze({
      ...networkHandle<World, RegionHandle | ClusterHandle>(this.#host, "control", has),
      ...clusterNetworkHandle(this.#host, "control"),
    });
    return this.#network;
  }

  get directory(): DirectoryHandle {
    this.#directory ??= directoryHandle(this.#host, "control");
    return this.#directory;
  }

  get stores(): StoresHandle {
    this.#stores ??= storesHandle(this.#host, "control", ({ secrets }, cluster) => Object.hasOwn(secrets, cluster));
    return this.#stores;
  }

  get orchestrator(): OrchestratorHandle {
    this.#orchestrator ??= orchestratorHandle(this.#host, "control");
    return this.#orchestrator;
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
