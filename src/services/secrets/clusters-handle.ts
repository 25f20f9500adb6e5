import { optionsAt } from "../../kernel/arguments.ts";
import type { Via } from "../../kernel/commit.ts";
import type { Host } from "../../kernel/host.ts";
import { controlsOver } from "../kit/control.ts";
import type { Site, SiteFor } from "../kit/module.ts";
import type { ClusterDefaults } from "./birth.ts";
import { nodeUrls } from "./cluster/nodes.ts";
import { type ClusterHandle, clusterHandle } from "./cluster-handle.ts";
import type { AddClusterOptions } from "./clusters/add.ts";
import type { secretsControls } from "./control.ts";
import type { SecretsSettings } from "./options.ts";
import type { ClusterName } from "./place.ts";
import { secretsForms } from "./responses.ts";
import type { SecretsWorld } from "./world.ts";

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

/** Makes the handle of a world's clusters; `via` is the door whose calls it makes. */
export function secretsHandle(host: Host<SecretsWorld>, via: Via, site: SiteFor<SecretsSettings>): SecretsHandle {
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
      const here = site("addCluster");
      const defaults = defaultsIn(here.settings);
      const isNew = typeof name === "string" && !Object.hasOwn(host.state.secrets, name);
      const url = isNew ? freeUrl(here, name, options.nodes ?? defaults.nodes) : "";
      control("control.secrets.addCluster", { ...options, name, url, defaults });
      return cluster(name);
    },
  } satisfies SecretsHandle);
}

const OPTIONS: readonly (keyof AddClusterOptions)[] = ["keyShares", "keyThreshold", "nodes", "license"];

function defaultsIn(settings: SecretsSettings): ClusterDefaults {
  const { quirks, keyShares, keyThreshold, nodes, license, version, pluginDirectory, replication, kv } = settings;
  const own = kv === undefined ? {} : { kv };
  return { quirks, keyShares, keyThreshold, nodes, license, version, pluginDirectory, replication, ...own };
}

function freeUrl({ settings, refuseTaken }: Site<SecretsSettings>, name: string, nodes: number): string {
  const url = settings.clusterUrlOf(name);
  refuseTaken(name, [url, ...nodeUrls(url, nodes)]);
  return url;
}
