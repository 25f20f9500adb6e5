import type { Via } from "../../kernel/commit.ts";
import type { Host } from "../../kernel/host.ts";
import { optionsAt } from "../kit/arguments.ts";
import { controlsOver } from "../kit/control.ts";
import { type ClusterHandle, clusterHandle } from "./cluster-handle.ts";
import type { AddClusterOptions, ClusterDefaults } from "./clusters/add.ts";
import type { secretsControls } from "./control.ts";
import type { ClusterName } from "./place.ts";
import { secretsForms } from "./responses.ts";
import type { SecretsWorld } from "./state.ts";

/** The clusters of a simulator or of a view. */
export interface SecretsHandle {
  /** @throws TypeError for a name that no cluster has */
  cluster(name: string): ClusterHandle;
  /**
   * Adds a cluster that stands alone, under a name that is a DNS label. What is not given it has from the simulator's options.
   *
   * @throws TypeError for a wrong name or option; Rejection `cluster_exists`
   * @example
   * const spare = sim.secrets.addCluster("spare", { keyShares: 1, keyThreshold: 1 });
   */
  addCluster(name: string, options?: AddClusterOptions): ClusterHandle;
}

/** What a simulator knows of clusters that are added. */
export interface ClusterSite {
  /** Where one answers of that name. */
  readonly urlOf: (name: string, nodes: number) => string;
  readonly defaults: ClusterDefaults;
}

/** Makes the handle of a world's clusters; `via` is the door whose calls it makes. */
export function secretsHandle(host: Host<SecretsWorld>, via: Via, site: () => ClusterSite): SecretsHandle {
  const control = controlsOver<typeof secretsControls>(host, via, null, secretsForms);
  const handles = new Map<string, ClusterHandle>();
  const cluster = (name: string): ClusterHandle => {
    const { secrets } = host.state;
    if (!Object.hasOwn(secrets, name)) {
      throw new TypeError(
        `secrets.cluster: no cluster is named ${String(name)}; there are ${Object.keys(secrets).join(", ")}`,
      );
    }
    let handle = handles.get(name);
    if (handle === undefined) {
      handle = clusterHandle(host, name as ClusterName, via);
      handles.set(name, handle);
    }
    return handle;
  };
  return Object.freeze({
    cluster,
    addCluster: (name, options = {}) => {
      optionsAt("addCluster", options, OPTIONS);
      const { urlOf, defaults } = site();
      const isNew = typeof name === "string" && !Object.hasOwn(host.state.secrets, name);
      const url = isNew ? urlOf(name, options.nodes ?? defaults.nodes) : "";
      control("control.secrets.addCluster", { ...options, name, url, defaults });
      return cluster(name);
    },
  } satisfies SecretsHandle);
}

const OPTIONS: readonly (keyof AddClusterOptions)[] = ["keyShares", "keyThreshold", "nodes", "license"];
